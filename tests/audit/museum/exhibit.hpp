#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "audit/samplers.hpp"
#include "privet/audit/mechanism_trials.hpp"
#include "privet/audit/two_world.hpp"

/// The museum: real defects of published mechanisms, re-enacted in a few lines, each with a healthy twin. An
/// audit that lets a broken one pass, or accuses a healthy one, does not leave the house.
namespace privet::audit::museum {

enum class Instrument {
  two_world,           ///< runs in two worlds refute the claimed epsilon
  sensitivity_search,  ///< a pair of neighbours moves further than was paid for
  noise_check,         ///< noise that should be independent is not
  plan_check,          ///< the accountant finds the plan dearer than the claim
};

struct Exhibit {
  std::string name;
  std::string defect;  ///< in one sentence, with where it is from
  Instrument instrument;
  std::function<bool()> broken_is_caught;
  std::function<bool()> healthy_is_caught;
};

inline void show(const Exhibit& exhibit) {
  EXPECT_FALSE(exhibit.name.empty());
  EXPECT_FALSE(exhibit.defect.empty());
  EXPECT_TRUE(exhibit.broken_is_caught()) << exhibit.name << " passed: " << exhibit.defect;
  EXPECT_FALSE(exhibit.healthy_is_caught()) << exhibit.name << ": its healthy twin was accused";
}

struct Claim {
  double epsilon = 1;
  double delta = 1e-5;
};

/// Draws of a mechanism alone refute the claim. A healthy one is accused with probability 1e-4.
inline bool refutes(const methods::AuditSampler& sampler, Claim claim, std::uint64_t draws = 100000) {
  SeededStream stream(17);
  return audit_mechanism(sampler, draws, claim.delta, 1 - 1e-4, stream).epsilon > claim.epsilon;
}

/// The same for a mechanism of which many numbers are seen: the score is learnt.
inline bool refutes(const Trial& trial, Claim claim, std::uint64_t trials = 400) {
  return run_two_worlds(trial, claim.epsilon, claim.delta, Shape::unknown,
                        {.trials = trials, .confidence = 1 - 1e-4, .seed = 18})
             .bound.epsilon > claim.epsilon;
}

}  // namespace privet::audit::museum
