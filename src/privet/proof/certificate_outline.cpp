#include "privet/proof/certificate_outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/accounting/accountant.hpp"
#include "privet/base/error.hpp"
#include "privet/core/unit.hpp"

namespace privet::privacy {
namespace {

class Outline {
 public:
  void heading(std::string text) { parts_.push_back({.heading = std::move(text)}); }
  void paragraph(std::string text) { parts_.back().lines.push_back({std::move(text), false}); }
  void item(std::string text) { parts_.back().lines.push_back({std::move(text), true}); }
  void these_are_releases() { parts_.back().lists_releases = true; }
  std::vector<OutlinePart> take() { return std::move(parts_); }

 private:
  std::vector<OutlinePart> parts_;
};

std::string meaning(double epsilon, double delta, const std::string& differ) {
  // Beyond this the factor has more digits than meaning.
  if (epsilon > 10) {
    return fmt::format(
        "At so large an epsilon the bound hardly limits what the results can tell about {}: it is fit for "
        "comparisons, not for protecting people.",
        differ);
  }
  // Rounded up, so that the sentence stays true.
  const double factor = std::ceil(std::exp(epsilon) * 100) / 100;
  return fmt::format(
      "In words: whatever somebody knows already, no result is more than {:.2f} times as probable (plus {}) "
      "with the true data as with data that differ in {}.",
      factor, delta, differ);
}

std::string several_changes(const Certificate& c) {
  const Unit unit = Unit::parse(c.unit);
  const std::string delta = c.delta > 0 ? ", at a delta that grows with k too" : "";
  if (unit.is_reported_locally()) {
    const std::optional<double> edge = edge_epsilon(c);
    return fmt::format(
        "Several bits at once, such as all of one person's list, are protected less: of k of them together "
        "results may tell up to k times this epsilon, and of k undirected edges up to k times {}{}.",
        edge ? fmt::format("{}, what one of them costs", *edge)
             : "twice this epsilon, as an edge is a bit in two lists",
        delta);
  }
  if (unit.changes_entries()) {
    return fmt::format(
        "Several directed edges at once, such as all of one person, or the two of a pair that go both ways, "
        "are protected less: of k of them together results may tell up to k times this epsilon{}.",
        delta);
  }
  return fmt::format(
      "Several edges at once, such as all of one person, are protected less: of k of them together "
      "results may tell up to k times this epsilon{}.",
      delta);
}

void write_sound(const Certificate& c, Outline& page) {
  page.heading("PRIVACY CERTIFICATE");
  page.paragraph(bound_sentence(c.unit, *c.epsilon, c.delta));
  page.paragraph(
      meaning(*c.epsilon, c.delta, c.protects.empty() ? fmt::format("one unit '{}'", c.unit) : c.protects));
  if (c.epsilon_lower) {
    const std::string numbers = fmt::format("for the unit '{}' at delta = {} the lower bound epsilon = {}",
                                            c.unit, c.delta, *c.epsilon_lower);
    page.paragraph(
        profiles_are_attained(total_event(c))
            ? fmt::format("The upper bound is tight: the accountant also gives {}, and no accounting of "
                          "releases with these sensitivities and this noise can state less.",
                          numbers)
            : fmt::format("Beside the upper bound the accountant also gives {}: it bounds the accountant's "
                          "own figures, not the releases, and they may cost less.",
                          numbers));
  }
  if (!c.readings.empty()) {
    page.heading(
        "Under other units of protection, as the method states it; not derived from the releases above");
    for (const Reading& reading : c.readings) {
      page.item(bound_sentence(reading.unit, reading.epsilon, reading.delta));
    }
    if (const std::optional<double> edge = edge_epsilon(c); edge && *edge > *c.epsilon)
      page.paragraph(meaning(*edge, c.delta, "one undirected edge"));
  }
}

void write_unsound(const Certificate& c, Outline& page) {
  if (c.unit == "none") {
    page.heading("NO PRIVACY: this run protects nothing, and this certificate is no guarantee.");
  } else {
    page.heading("NOT SOUND: this certificate is no privacy guarantee.");
  }
  if (!c.failed_claims.empty()) {
    page.paragraph("What fails:");
    for (const std::string& claim : c.failed_claims) page.item(claim);
  }
  if (c.claimed_epsilon) {
    page.paragraph(
        fmt::format("The method as published claims epsilon = {} at delta = {} for the unit of protection "
                    "'{}'. That number is a claim; it is not an upper bound, and it must not be relied on.",
                    *c.claimed_epsilon, c.delta, c.unit));
  }
}

std::string release_sentence(const Release& r) {
  std::string text =
      fmt::format("{}: mechanism {}, run {} time{}", r.what, r.mechanism, r.times, r.times == 1 ? "" : "s");
  if (r.sensitivity > 0) {
    text += fmt::format(", {}{}sensitivity {:.6g}", r.norm, r.norm.empty() ? "" : " ", r.sensitivity);
  }
  if (r.noise_stddev > 0) text += fmt::format(", noise standard deviation {:.6g}", r.noise_stddev);
  if (const std::uint64_t affected = examples_of_one_change(r.event); affected > 1)
    text +=
        fmt::format(" (one change of the unit reaches up to {} examples, all in one direction)", affected);
  text += r.sampling == "none" ? ", no sampling." : fmt::format(", sampling: {}.", r.sampling);
  if (!r.reference.empty()) text += fmt::format(" It rests on: {}.", r.reference);
  return text;
}

void write_scope(const Certificate& c, Outline& page) {
  page.heading("What the unit of protection means");
  page.paragraph(fmt::format("Unit: {}.", c.unit));
  if (!c.protects.empty()) page.paragraph(fmt::format("Protected: {}.", c.protects));
  if (!c.leaves_public.empty()) {
    page.paragraph(fmt::format("Not protected, and treated as public: {}.", c.leaves_public));
  }
  if (!c.sound || c.releases.empty()) return;
  if (Unit::parse(c.unit).protects_features()) {
    page.paragraph("Several people at once are protected less, the more of them the less.");
    return;
  }
  page.paragraph(several_changes(c));
}

void write_releases(const Certificate& c, Outline& page) {
  page.heading("What left the private data");
  if (c.releases.empty()) {
    page.paragraph(
        c.sound ? "Nothing: what the unit protects was not opened for it."
                : "Nothing went through a mechanism: what was made from the data is made from the raw data, "
                  "and tells of it.");
  }
  for (const Release& release : c.releases) page.item(release_sentence(release));
  if (!c.releases.empty()) page.these_are_releases();
}

void write_conditions(const Certificate& c, Outline& page) {
  if (!c.unaccounted.empty()) {
    page.heading("Uses of private data that nothing on this certificate covers");
    page.paragraph(
        "These looked at private data without noise. Whoever sees their results learns more than "
        "this certificate bounds:");
    for (const UnaccountedUse& use : c.unaccounted) {
      page.item(fmt::format("{}. Reason given: {}.", use.what, use.reason));
    }
  }
  if (c.assumptions.empty() && c.releases.empty() && c.unit == "none") return;
  page.heading("On what this depends");
  for (const std::string& assumption : c.assumptions) page.item("It is assumed: " + assumption);
  if (!c.releases.empty())
    page.item(
        c.noise == NoiseSource::kSecure
            ? "The noise came from the operating system's secure generator and can't be drawn again."
            : "The noise was SEEDED: whoever knows or guesses the seed can draw it again and remove it. "
              "Against them this run protects nothing; it is fit for experiments.");
  if (c.unit != "none")
    page.item(c.rigor == Rigor::kStrict
                  ? "Rigor strict: corrected mathematics and public bounds only."
                  : "Rigor paper: the procedure follows the text of a paper, for comparison.");
}

void write_identification(const Certificate& c, Outline& page) {
  page.heading("Identification");
  page.paragraph(fmt::format("Accountant: {}.", c.accountant));
  page.paragraph(fmt::format("Data: {} (a keyed fingerprint: it tells nothing without the owner's key).",
                             c.data_fingerprint));
  if (c.ledger) {
    page.paragraph(fmt::format("Ledger entry: {}, {}.", c.ledger->sequence, c.ledger->hash));
  }
  page.paragraph(fmt::format("Issued: {} by Privet {}.", c.created, c.privet_version));
  page.paragraph(fmt::format("Digest: {} (finds damage; it is not a signature).", certificate_digest(c)));
}

}  // namespace

std::string bound_sentence(const std::string& unit, double epsilon, double delta) {
  return fmt::format(
      "The privacy loss has the upper bound epsilon = {} at delta = {}, for the unit of protection '{}'.",
      epsilon, delta, unit);
}

std::string all_runs_sentence(std::uint64_t runs, double epsilon, const Certificate& c) {
  return fmt::format(
      "This certificate is for one run. Publishing all {} has the upper bound epsilon = {} at delta = {}, "
      "for the "
      "unit of protection '{}'{}.",
      runs, epsilon, c.delta, c.unit,
      !edge_epsilon(c) ? ""
                       : "; of an undirected edge each of them costs what the page says for the unit 'edge'");
}

std::uint64_t examples_of_one_change(const Event& event) {
  return std::visit(
      []<typename Kind>(const Kind& kind) -> std::uint64_t {
        if constexpr (std::is_same_v<Kind, RepeatedEvent>) {
          return examples_of_one_change(*kind.part);
        } else if constexpr (std::is_same_v<Kind, ComposedEvent>) {
          return 0;
        } else {
          return kind.examples_reached();
        }
      },
      event.kind());
}

std::vector<OutlinePart> certificate_outline(const Certificate& c) {
  if (const std::vector<std::string> faults = form_faults(c); !faults.empty()) {
    throw InvalidArgument({.what = faults.front(), .where = "certificate"});
  }
  Outline page;
  if (c.sound) {
    write_sound(c, page);
  } else {
    write_unsound(c, page);
  }
  if (c.unit != "none") write_scope(c, page);
  write_releases(c, page);
  write_conditions(c, page);
  write_identification(c, page);
  return page.take();
}

}  // namespace privet::privacy
