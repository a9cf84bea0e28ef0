#include "privet/core/release_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>

namespace privet::privacy {
namespace {

enum class Family { kGaussian, kLaplace, kRandomizedResponse, kPure, kApproximate };

/// What the check needs to know of an event: gathered over its leaves.
struct Facts {
  std::uint64_t runs = 0;       ///< a contractive event counts as one
  std::uint64_t runs_hops = 0;  ///< a contractive event counts as its hops
  std::set<std::string> samplings;
  std::set<double> multipliers;
  std::set<double> pure;  ///< epsilons
  std::set<Family> families;
};

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > kMost / b ? kMost : a * b;
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

std::string text_of(const Sampling& sampling) {
  if (const auto* poisson = std::get_if<PoissonSampling>(&sampling)) {
    return fmt::format("poisson rate {:.6g}", poisson->rate);
  }
  const auto& fixed = std::get<FixedSizeSampling>(sampling);
  return fmt::format("{} of {} without replacement", fixed.batch, fixed.population);
}

class Gatherer {
 public:
  explicit Gatherer(Facts& facts) : facts_(facts) {}

  void visit(const Event& event, std::uint64_t times) {
    times_ = times;
    std::visit(*this, event.kind());
  }

  void operator()(const ComposedEvent& e) {
    const std::uint64_t times = times_;
    for (const Event& part : e.parts) visit(part, times);
  }
  void operator()(const RepeatedEvent& e) { visit(*e.part, saturating_multiply(times_, e.times)); }
  void operator()(const GaussianEvent& e) { leaf(Family::kGaussian, e.noise_multiplier); }
  void operator()(const LaplaceEvent& e) { leaf(Family::kLaplace, e.noise_multiplier); }
  void operator()(const RandomizedResponseEvent&) { leaf(Family::kRandomizedResponse, std::nullopt); }
  void operator()(const PureEvent& e) {
    facts_.pure.insert(e.epsilon);
    leaf(Family::kPure, std::nullopt);
  }
  void operator()(const ApproximateEvent&) { leaf(Family::kApproximate, std::nullopt); }
  void operator()(const SubsampledGaussianEvent& e) {
    leaf(Family::kGaussian, e.noise_multiplier, text_of(e.sampling));
  }
  void operator()(const ContractiveGaussianEvent& e) {
    leaf(Family::kGaussian, e.noise_multiplier, "none", e.hops);
  }
  void operator()(const DpGnnEvent& e) {
    leaf(Family::kGaussian, e.noise_multiplier, text_of(FixedSizeSampling{e.nodes, e.batch}));
  }

 private:
  void leaf(Family family, std::optional<double> multiplier, const std::string& sampling = "none",
            std::uint64_t hops = 1) {
    facts_.runs = saturating_add(facts_.runs, times_);
    facts_.runs_hops = saturating_add(facts_.runs_hops, saturating_multiply(times_, hops));
    facts_.samplings.insert(sampling);
    facts_.families.insert(family);
    if (multiplier) facts_.multipliers.insert(*multiplier);
  }

  Facts& facts_;
  std::uint64_t times_ = 1;
};

Facts facts_of(const Event& event) {
  Facts facts;
  Gatherer(facts).visit(event, 1);
  return facts;
}

// Noise k with a probability that goes with exp(-|k| rate).
double geometric_stddev(double rate) { return std::sqrt(2 * std::exp(-rate)) / -std::expm1(-rate); }

std::optional<Family> family_named(const std::string& mechanism) {
  static const std::map<std::string, Family, std::less<>> kNames = {
      {"gaussian", Family::kGaussian},
      {"clipped-sum", Family::kGaussian},
      {"contractive", Family::kGaussian},
      {"dpgnn", Family::kGaussian},
      {"laplace", Family::kLaplace},
      {"top-entries", Family::kLaplace},
      {"geometric", Family::kPure},
      {"noisy-max", Family::kPure},
      {"neighbor-choice", Family::kPure},
      {"discrete-gaussian", Family::kApproximate},
      {"randomized-response", Family::kRandomizedResponse},
  };
  const auto found = kNames.find(mechanism);
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::string sampling_text(const Event& event) {
  const Facts facts = facts_of(event);
  if (facts.samplings.empty()) return "none";
  return facts.samplings.size() == 1 ? *facts.samplings.begin() : "";
}

std::vector<std::string> release_faults(const Release& release) {
  std::vector<std::string> faults;
  const Facts facts = facts_of(release.event);
  if (facts.runs == 0) {
    faults.emplace_back("its event is empty: nothing was accounted for it");
    return faults;
  }
  if (release.times != facts.runs && release.times != facts.runs_hops) {
    faults.push_back(
        fmt::format("'times' is {} but the event has {} mechanism runs", release.times, facts.runs));
  }
  if (const std::string sampling = sampling_text(release.event); release.sampling != sampling) {
    faults.push_back(fmt::format("'sampling' is '{}' but the event was accounted with '{}'", release.sampling,
                                 sampling.empty() ? "several ways of sampling" : sampling));
  }
  const std::optional<Family> named = family_named(release.mechanism);
  if (!named) faults.push_back(fmt::format("'{}' is no mechanism of this version", release.mechanism));
  if (named && facts.families != std::set<Family>{*named}) {
    faults.push_back(
        fmt::format("'mechanism' is '{}' but the event is {}", release.mechanism, release.event.describe()));
  }
  const bool geometric = release.mechanism == "geometric";
  const bool noisy = named == Family::kGaussian || named == Family::kLaplace || geometric;
  if (noisy && !(release.sensitivity > 0 && release.noise_stddev > 0)) {
    faults.emplace_back("'sensitivity' and 'noise_stddev' are not both stated");
  }
  if (release.sensitivity > 0 && release.noise_stddev > 0 && !facts.multipliers.empty()) {
    const bool laplace = facts.families.contains(Family::kLaplace);
    const double stated = release.noise_stddev / release.sensitivity / (laplace ? std::numbers::sqrt2 : 1.0);
    for (const double accounted : facts.multipliers) {
      if (std::abs(stated - accounted) <= 1e-9 * accounted) continue;
      faults.push_back(
          fmt::format("'noise_stddev' and 'sensitivity' give a noise multiplier of {} but {} was accounted",
                      stated, accounted));
      break;
    }
  }
  if (geometric && release.sensitivity > 0 && release.noise_stddev > 0) {
    for (const double epsilon : facts.pure) {
      const double accounted = geometric_stddev(epsilon / release.sensitivity);
      if (std::abs(release.noise_stddev - accounted) <= 1e-9 * accounted) continue;
      faults.push_back(fmt::format("'noise_stddev' is {} but 'sensitivity' and the event make it {}",
                                   release.noise_stddev, accounted));
      break;
    }
  }
  return faults;
}

}  // namespace privet::privacy
