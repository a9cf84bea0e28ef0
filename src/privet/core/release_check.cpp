#include "privet/core/release_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace privet::privacy {
namespace {

/// What the check needs to know of an event: gathered over its leaves.
struct Facts {
  std::uint64_t runs = 0;       ///< a contractive event counts as one
  std::uint64_t runs_hops = 0;  ///< a contractive event counts as its hops
  std::set<std::string> samplings;
  std::set<std::pair<double, double>> multipliers;  ///< with the standard deviation of noise of scale 1
  std::set<double> pure;                            ///< epsilons
  std::set<std::string_view> laws;
};

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > kMost / b ? kMost : a * b;
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

void gather(const Event& event, std::uint64_t times, Facts& facts) {
  std::visit(
      [&]<typename Kind>(const Kind& kind) {
        if constexpr (std::is_same_v<Kind, ComposedEvent>) {
          for (const Event& part : kind.parts) gather(part, times, facts);
        } else if constexpr (std::is_same_v<Kind, RepeatedEvent>) {
          gather(*kind.part, saturating_multiply(times, kind.times), facts);
        } else {
          const ReleaseForm form = kind.release_form();
          facts.runs = saturating_add(facts.runs, times);
          facts.runs_hops = saturating_add(facts.runs_hops, saturating_multiply(times, form.hops));
          facts.samplings.insert(form.sampling ? describe_sampling(*form.sampling) : "none");
          facts.laws.insert(Kind::kLaw);
          if (form.multiplier) facts.multipliers.emplace(*form.multiplier, form.stddev);
          if constexpr (std::is_same_v<Kind, PureEvent>) facts.pure.insert(kind.epsilon);
        }
      },
      event.kind());
}

Facts facts_of(const Event& event) {
  Facts facts;
  gather(event, 1, facts);
  return facts;
}

// Noise k with a probability that goes with exp(-|k| rate).
double geometric_stddev(double rate) { return std::sqrt(2 * std::exp(-rate)) / -std::expm1(-rate); }

struct Law {
  std::string_view name;
  bool states_noise = false;
};

// The law of the noise of a mechanism, from the row of events that names it.
std::optional<Law> law_of(std::string_view mechanism) {
  std::optional<Law> law;
  EventKinds::for_each([&]<typename Row>() {
    for (const std::string_view name : Row::kMechanisms)
      if (name == mechanism) law = Law{Row::kLaw, Row().release_form().multiplier.has_value()};
  });
  return law;
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
  const std::optional<Law> named = law_of(release.mechanism);
  if (!named) faults.push_back(fmt::format("'{}' is no mechanism of this version", release.mechanism));
  if (named && facts.laws != std::set<std::string_view>{named->name}) {
    faults.push_back(
        fmt::format("'mechanism' is '{}' but the event is {}", release.mechanism, release.event.describe()));
  }
  const bool geometric = release.mechanism == "geometric";
  const bool noisy = (named && named->states_noise) || geometric;
  if (noisy && !(release.sensitivity > 0 && release.noise_stddev > 0)) {
    faults.emplace_back("'sensitivity' and 'noise_stddev' are not both stated");
  }
  if (release.sensitivity > 0 && release.noise_stddev > 0 && !facts.multipliers.empty()) {
    for (const auto& [accounted, stddev] : facts.multipliers) {
      const double stated = release.noise_stddev / release.sensitivity / stddev;
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
