#include "privet/proof/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/accounting/accountant.hpp"
#include "privet/base/error.hpp"
#include "privet/base/timestamp.hpp"
#include "privet/core/release_check.hpp"
#include "privet/core/unit.hpp"
#include "privet/proof/fingerprint.hpp"
#include "privet/proof/told.hpp"

namespace privet::privacy {
namespace {

constexpr double kAgreement = 1e-6;
// What dp-sage and dp-gnn call their training on a certificate, and no other method does.
constexpr std::string_view kStarGradients = "clipped gradients of a batch of stars";
constexpr std::string_view kSubgraphGradients = "clipped gradients of a batch of subgraphs";

bool is_loss(double value) { return std::isfinite(value) && value >= 0; }
bool is_probability(double value) { return value >= 0 && value < 1; }

class Faults {
 public:
  template <typename... Parts>
  void unless(bool holds, fmt::format_string<Parts...> text, Parts&&... parts) {
    if (!holds) list_.push_back(fmt::format(text, std::forward<Parts>(parts)...));
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

/// What is wrong with the name of a unit; empty for the canonical text of one.
std::string unit_fault(const std::string& text) {
  if (text.empty()) return "is empty";
  try {
    const std::string canonical = Unit::parse(text).text();
    return canonical == text ? "" : fmt::format("is '{}', which is spelt '{}'", text, canonical);
  } catch (const InvalidArgument&) {
    return fmt::format("is '{}', which is no unit of protection", text);
  }
}

/// The words of a sound certificate are its unit's own: a reader goes by them, not by the unit's name.
void check_words(const Certificate& c, Faults& faults) {
  if (!c.sound || !unit_fault(c.unit).empty()) return;
  const Unit unit = Unit::parse(c.unit);
  faults.unless(c.protects == unit.protects(), "protects is not what the unit '{}' protects", c.unit);
  faults.unless(c.leaves_public == unit.leaves_public(),
                "leaves_public is not what the unit '{}' leaves public", c.unit);
}

/// The unit of a certificate and where its noise came from are those of its releases: a sensitivity worked
/// out for one unit says nothing about another.
void check_releases_agree(const Certificate& c, Faults& faults) {
  for (std::size_t i = 0; i < c.releases.size(); ++i) {
    const Release& release = c.releases[i];
    faults.unless(release.unit == c.unit, "releases[{}] ({}) is for the unit '{}', not '{}'", i, release.what,
                  release.unit, c.unit);
    faults.unless(c.noise == NoiseSource::kSeeded || !release.replayable,
                  "releases[{}] ({}) has noise that can be drawn again, but noise is 'secure'", i,
                  release.what);
  }
}

bool is_known_accountant(const std::string& name) {
  try {
    parse_accountant(name);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

void check_soundness(const Certificate& c, Faults& faults) {
  if (c.sound) {
    faults.unless(c.epsilon.has_value(), "it is sound but epsilon is missing");
    faults.unless(c.unit != "none", "it is sound but unit is 'none'");
    faults.unless(c.failed_claims.empty(), "it is sound but failed_claims is not empty");
    faults.unless(!c.claimed_epsilon, "it is sound but has claimed_epsilon");
    return;
  }
  faults.unless(!c.epsilon, "it is not sound but epsilon is not null");
  faults.unless(!c.epsilon_lower, "it is not sound but has epsilon_lower");
  faults.unless(c.readings.empty(), "it is not sound but has readings");
  faults.unless(c.unit == "none" || !c.failed_claims.empty(),
                "it is not sound but failed_claims does not say why");
}

void check_numbers(const Certificate& c, Faults& faults) {
  faults.unless(is_probability(c.delta), "delta is {}, not at least 0 and below 1", c.delta);
  for (const auto& [name, value] : {std::pair{"epsilon", c.epsilon},
                                    {"epsilon_lower", c.epsilon_lower},
                                    {"claimed_epsilon", c.claimed_epsilon}}) {
    if (value) faults.unless(is_loss(*value), "{} is {}, not a finite number of at least 0", name, *value);
  }
  if (c.epsilon && c.epsilon_lower) {
    faults.unless(*c.epsilon_lower <= *c.epsilon, "epsilon_lower is above epsilon");
  }
  for (std::size_t i = 0; i < c.readings.size(); ++i) {
    const Reading& reading = c.readings[i];
    const std::string unit = unit_fault(reading.unit);
    faults.unless(unit.empty(), "readings[{}].unit {}", i, unit);
    faults.unless(reading.unit != "none", "readings[{}].unit is 'none'", i);
    faults.unless(is_loss(reading.epsilon), "readings[{}].epsilon is {}", i, reading.epsilon);
    faults.unless(is_probability(reading.delta), "readings[{}].delta is {}", i, reading.delta);
  }
  for (std::size_t i = 0; i < c.releases.size(); ++i) {
    const Release& release = c.releases[i];
    faults.unless(!release.what.empty(), "releases[{}].what is empty", i);
    faults.unless(!release.mechanism.empty(), "releases[{}].mechanism is empty", i);
    faults.unless(is_loss(release.sensitivity), "releases[{}].sensitivity is {}", i, release.sensitivity);
    faults.unless(is_loss(release.noise_stddev), "releases[{}].noise_stddev is {}", i, release.noise_stddev);
  }
}

/// How a printed epsilon stands to the one that the event gives; empty where they agree.
std::string disagreement(double printed, double derived) {
  if (!std::isfinite(derived))
    return fmt::format("epsilon {} is printed but the releases have none", printed);
  if (printed < derived) {
    return fmt::format("epsilon {} is printed but the releases cost {}: more than it says", printed, derived);
  }
  if (printed - derived > kAgreement * printed) {
    return fmt::format(
        "epsilon {} is printed but the releases cost only {}: some release is missing or was changed",
        printed, derived);
  }
  return {};
}

}  // namespace

std::optional<double> edge_epsilon(const Certificate& c) {
  if (!c.sound || !Unit::parse(c.unit).is_reported_locally()) return {};
  if (c.epsilon == 0) return 0;
  const auto found = std::ranges::find(c.readings, Unit::edge().text(), &Reading::unit);
  return found == c.readings.end() ? std::nullopt : std::optional(found->epsilon);
}

Event total_event(const Certificate& certificate) {
  std::vector<Event> parts;
  parts.reserve(certificate.releases.size());
  for (const Release& release : certificate.releases) parts.push_back(release.event);
  return composed(std::move(parts));
}

double printed_epsilon(double upper_bound) {
  if (!is_loss(upper_bound)) {
    throw InvalidArgument({.what = fmt::format("{}", upper_bound),
                           .where = "epsilon",
                           .expected = "a finite number, at least 0"});
  }
  if (upper_bound == 0) return 0;
  const int exponent = static_cast<int>(std::floor(std::log10(upper_bound)));
  // Division by a power of ten that is exact in binary keeps the result the double nearest to the decimal;
  // outside that range the number passes unrounded, which is as true and only longer.
  if (exponent < -14 || exponent > 8) return upper_bound;
  const double scale = std::pow(10.0, 8 - exponent);
  double units = std::ceil(upper_bound * scale);
  // The product was rounded: take the smallest number of units that is not below the bound.
  if ((units - 1) / scale >= upper_bound) units -= 1;
  if (units / scale < upper_bound) units += 1;
  return units / scale;
}

std::vector<std::string> form_faults(const Certificate& c) {
  Faults faults;
  const std::string unit = unit_fault(c.unit);
  faults.unless(unit.empty(), "unit {}", unit);
  faults.unless(!c.accountant.empty(), "accountant is empty");
  check_soundness(c, faults);
  check_numbers(c, faults);
  faults.unless(is_blinded_fingerprint(c.data_fingerprint),
                "data_fingerprint is not 'hmac-sha256:' and 64 hexadecimal digits");
  if (c.ledger) {
    faults.unless(c.ledger->sequence > 0 && is_sha256_hex(c.ledger->hash),
                  "ledger is not an entry's number and SHA-256");
  }
  for (std::size_t i = 0; i < c.unaccounted.size(); ++i) {
    faults.unless(!c.unaccounted[i].what.empty() && !c.unaccounted[i].reason.empty(),
                  "unaccounted[{}] lacks what or reason", i);
  }
  faults.unless(!c.privet_version.empty(), "privet_version is empty");
  faults.unless(is_utc_timestamp(c.created), "created is '{}', not like 2025-03-01T12:00:00Z", c.created);
  return faults.take();
}

namespace {

// What an undirected edge costs where lists are told bit by bit: its bits, which are two unless every release
// says that one end told, and the certificate on what that rests. Nothing for other units.
std::optional<Event> cost_of_edge(const Reading& reading, const Certificate& certificate) {
  if (!Unit::parse(certificate.unit).is_reported_locally() || !Unit::parse(reading.unit).changes_pairs())
    return {};
  const bool one_told =
      std::ranges::find(certificate.assumptions, kSameQuery) != certificate.assumptions.end() &&
      std::ranges::all_of(certificate.releases,
                          [](const Release& release) { return release.what.ends_with(kToldByOneEnd); });
  return repeated(total_event(certificate), one_told ? 1 : 2);
}

// Other readings are not re-derived from the releases, so that no more is believed than what follows from the
// bound that is: an entry costs at least half of what its edge does.
std::string unfounded(const Reading& reading, const Certificate& certificate) {
  const Unit own = Unit::parse(certificate.unit);
  const Unit read = Unit::parse(reading.unit);
  if (!own.changes_pairs() || !read.changes_entries() || read.is_reported_locally())
    return fmt::format("nothing says how it follows from '{}'", certificate.unit);
  const double least = 0.5 * *certificate.epsilon;
  if (reading.delta <= certificate.delta && reading.epsilon >= least * (1 - 1e-9)) return {};
  return fmt::format("epsilon = {:g} at delta = {:g} is less than '{}' allows", reading.epsilon,
                     reading.delta, certificate.unit);
}

}  // namespace

namespace {

// Nothing where no release is understated.
std::optional<Event> corrected_event(const Certificate& c) {
  std::vector<Event> parts;
  bool corrected = false;
  for (const Release& release : c.releases) {
    const std::optional<Event> right = understated_release(c, release);
    corrected = corrected || right;
    parts.push_back(right ? *right : release.event);
  }
  return corrected ? std::optional(composed(std::move(parts))) : std::nullopt;
}

}  // namespace

std::optional<Event> understated_release(const Certificate& c, const Release& release) {
  const bool known = release.what == kStarGradients || release.what == kSubgraphGradients;
  if (c.rigor != Rigor::kStrict || !known || release.unit != c.unit || !unit_fault(c.unit).empty()) return {};
  const Unit unit = Unit::parse(c.unit);
  if (!unit.bounds_degree() || !unit.blanks_person()) return {};
  const auto* repeated_step = std::get_if<RepeatedEvent>(&release.event.kind());
  const Event& step = repeated_step == nullptr ? release.event : *repeated_step->part;
  const auto* sum = std::get_if<SubsampledGaussianEvent>(&step.kind());
  if (sum == nullptr || sum->added != 1 || sum->replaced >= unit.max_degree()) return {};
  SubsampledGaussianEvent right = *sum;
  right.added = 0;
  right.replaced = sum->replaced + 1;
  return repeated(right, repeated_step == nullptr ? 1 : repeated_step->times);
}

CertificateVerdict check_certificate(const Certificate& c, const EpsilonOf& epsilon_of) {
  CertificateVerdict verdict{.faults = form_faults(c)};
  Faults words;
  check_words(c, words);
  check_releases_agree(c, words);
  for (std::string& fault : words.take()) verdict.faults.push_back(std::move(fault));
  for (std::size_t i = 0; i < c.releases.size(); ++i) {
    for (const std::string& fault : release_faults(c.releases[i])) {
      verdict.faults.push_back(fmt::format("releases[{}] ({}): {}", i, c.releases[i].what, fault));
    }
  }
  if (!c.sound || !c.epsilon) return verdict;
  if (!is_known_accountant(c.accountant)) {
    verdict.accountant_known = false;
    verdict.faults.push_back(fmt::format("can't be re-derived: unknown accountant '{}'", c.accountant));
    return verdict;
  }

  const auto compare = [&](const std::string& where, const Event& event, double delta, double printed) {
    std::optional<double> derived;
    try {
      derived = epsilon_of(event, Delta(delta), c.accountant);
      if (const std::string fault = disagreement(printed, *derived); !fault.empty()) {
        verdict.faults.push_back(where + fault);
      }
    } catch (const Error& error) {
      verdict.faults.push_back(fmt::format("{}epsilon can't be re-derived: {}", where, error.what()));
    }
    return derived;
  };
  verdict.derived_epsilon = compare("", total_event(c), c.delta, *c.epsilon);
  if (const std::optional<Event> right = corrected_event(c)) {
    try {
      const double upper = printed_epsilon(epsilon_of(*right, Delta(c.delta), c.accountant));
      verdict.corrected_epsilon = upper;
      verdict.faults.insert(
          verdict.faults.begin(),
          fmt::format(
              "Privet {} counted too few affected examples, so epsilon {} is too small; the corrected "
              "upper bound is epsilon = {} at delta = {} for the unit '{}'",
              c.privet_version, *c.epsilon, upper, c.delta, c.unit));
    } catch (const Error& error) {
      verdict.faults.push_back(fmt::format(
          "too few affected examples were counted, and the bound can't be corrected: {}", error.what()));
    }
  }
  for (std::size_t i = 0; i < c.readings.size(); ++i) {
    const Reading& reading = c.readings[i];
    const std::string where = fmt::format("readings[{}] ({}): ", i, reading.unit);
    compare(where, reading.event, reading.delta, reading.epsilon);
    if (const std::optional<Event> cost = cost_of_edge(reading, c)) {
      compare(where, *cost, reading.delta, reading.epsilon);
      if (reading.delta > c.delta)
        verdict.faults.push_back(where +
                                 fmt::format("delta = {:g} is above the certificate's", reading.delta));
    } else if (const std::string fault = unfounded(reading, c); !fault.empty()) {
      verdict.faults.push_back(where + fault);
    }
  }
  return verdict;
}

}  // namespace privet::privacy
