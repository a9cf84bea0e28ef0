#pragma once

#include <vector>

#include "privet/accounting/gaussian_dp.hpp"
#include "privet/audit/one_run.hpp"
#include "privet/base/random.hpp"
#include "privet/core/noise/gaussian.hpp"

namespace privet::audit::testing {

/// What many one-run audits of a mechanism that is exactly mu-GDP have said, at 95 % and delta 1e-5.
struct OneRunAudits {
  double epsilon = 0;   ///< the true one
  int wrong = 0;        ///< bounds of the Gaussian recursion above it
  int wrong_plain = 0;  ///< the same of the bound for every mechanism
  double refined = 0;   ///< their means
  double plain = 0;
};

/// Canaries in directions of their own under Gaussian noise: each coin is seen through a mu-GDP channel.
inline OneRunAudits audit_gaussian(double mu, int audits, std::size_t canaries) {
  constexpr double kDelta = 1e-5;
  OneRunAudits all{.epsilon = privacy::gaussian_epsilon(mu, kDelta)};
  for (int audit = 0; audit < audits; ++audit) {
    SeededStream stream(1000 * static_cast<std::uint64_t>(10 * mu) + static_cast<std::uint64_t>(audit));
    CanaryScores drawn;
    std::vector<double>& scores = drawn["score"];
    scores.resize(canaries);
    privacy::fill_gaussian(stream, scores);
    std::vector<bool> there;
    for (double& score : scores) {
      there.push_back((stream.bits() & 1) != 0);
      score += there.back() ? mu : 0;
    }
    const double refined = one_run_lower_bound(drawn, there, kDelta, 0.95, Shape::gaussian).epsilon;
    const double plain = one_run_lower_bound(drawn, there, kDelta, 0.95, Shape::unknown).epsilon;
    all.wrong += refined > all.epsilon ? 1 : 0;
    all.wrong_plain += plain > all.epsilon ? 1 : 0;
    all.refined += refined / audits;
    all.plain += plain / audits;
  }
  return all;
}

}  // namespace privet::audit::testing
