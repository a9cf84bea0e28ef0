#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "privet/audit/audit.hpp"
#include "privet/base/error.hpp"
#include "privet/base/json_field.hpp"
#include "privet/core/unit.hpp"

namespace privet::audit {
namespace {

constexpr const char* kForWhom =
    "an audit reads the data without noise: this result is for the eyes of the data's owner";

std::string subject(const AuditReport& report) {
  return fmt::format("{}{} on {}, unit of protection '{}', rigor {}", report.method,
                     report.published_defects ? " with its published defects" : "", report.data, report.unit,
                     report.rigor);
}

bool lists_failed_claims(const AuditReport& report) {
  return !report.violated() && report.test != name(TestKind::noise) && !report.claim_is_sound;
}

}  // namespace

std::string audit_note() { return kForWhom; }

bool is_powerless(const AuditReport& report) {
  return report.test != name(TestKind::noise) && !report.violated() &&
         report.largest_refutable <= report.claimed_epsilon;
}

std::string audit_outcome(const AuditReport& report) {
  if (report.violated()) return "the audit REFUTES it";
  if (report.test == name(TestKind::noise))
    return "no streams of noise were found to be correlated, which says nothing about epsilon";
  if (is_powerless(report)) return "too few trials to find anything";
  if (!report.finished) return "interrupted; until then nothing was found against it";
  return "nothing was found against it";
}

bool is_reassuring(const AuditReport& report) {
  return report.finished && !report.violated() && !is_powerless(report) &&
         report.test != name(TestKind::noise);
}

std::vector<std::string> audit_reading(const AuditReport& report) {
  if (report.violated()) {
    return {
        "Somebody who sees the released result learns more about what is protected than was promised. A",
        fmt::format("sound method would be accused like this by chance with probability at most {:.2g}. Do "
                    "not publish",
                    1 - report.confidence),
        "what this method releases."};
  }
  if (report.test == name(TestKind::noise))
    return {"No two streams of noise were found to be correlated. That says nothing about epsilon."};
  std::vector<std::string> lines;
  if (is_powerless(report)) {
    lines = {
        "This audit was too small to say anything: a claim that is false would have looked the same.",
        fmt::format("Had every trial gone against the claim, it would have shown epsilon at least {:.4g}, no "
                    "more than",
                    report.largest_refutable),
        "is claimed. More trials can (--trials, --canaries, --mechanism-draws, --minutes)."};
  }
  if (lists_failed_claims(report)) {
    lines.emplace_back(
        "This audit did not refute the claim, but it is not a guarantee: no proof backs it. What fails:");
    return lines;
  }
  lines.emplace_back(
      "An audit can refute a claim; it can't prove one. It tried the worlds and the tests named above and");
  lines.emplace_back("saw less than the claim allows. The proof is in the certificate and what it rests on.");
  return lines;
}

namespace {

std::vector<std::string> reading_with_claims(const AuditReport& report) {
  std::vector<std::string> lines = audit_reading(report);
  if (lists_failed_claims(report))
    for (const std::string& claim : report.failed_claims) lines.push_back(fmt::format("- {}", claim));
  return lines;
}

}  // namespace

Json audit_json(const AuditReport& report) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings) {
    findings.push_back({{"what", finding.what},
                        {"epsilon_lower_bound", finding.epsilon_lower_bound},
                        {"detail", finding.detail},
                        {"seconds", finding.seconds}});
  }
  Json faults = Json::array();
  for (const NoiseFault& fault : report.noise_faults) {
    faults.push_back({{"first", fault.first},
                      {"second", fault.second},
                      {"correlation", fault.correlation},
                      {"lag", fault.lag},
                      {"chance", fault.chance}});
  }
  Json whole_runs = nullptr;
  if (report.whole_runs) {
    whole_runs = {{"asked", report.whole_runs->asked},
                  {"pilot", report.whole_runs->pilot},
                  {"measured", report.whole_runs->measured},
                  {"ended", report.whole_runs->ended}};
  }
  return {
      {"method", report.method},
      {"data", report.data},
      {"unit", report.unit},
      {"rigor", report.rigor},
      {"published_defects", report.published_defects},
      {"test", report.test},
      {"claimed_epsilon", report.claimed_epsilon},
      {"claim_is_sound", report.claim_is_sound && !report.violated()},
      {"failed_claims", report.failed_claims},
      {"largest_refutable_epsilon",
       report.test == name(TestKind::noise) ? Json(nullptr) : Json(report.largest_refutable)},
      {"delta", report.delta},
      {"epsilon_lower_bound", report.epsilon_lower_bound},
      {"confidence", report.confidence},
      {"verdict", report.violated() ? "violated" : "consistent"},
      {"finished", report.finished},
      {"data_fingerprint", report.data_fingerprint.empty() ? Json(nullptr) : Json(report.data_fingerprint)},
      {"certificate_digest",
       report.certificate_digest.empty() ? Json(nullptr) : Json(report.certificate_digest)},
      {"neighbors", report.neighbors},
      {"findings", findings},
      {"whole_runs", whole_runs},
      {"noise_faults", faults},
      {"attacks", Json::array()},
      {"how_to_read", fmt::format("{}", fmt::join(reading_with_claims(report), " "))},
      {"note", kForWhom}};
}

namespace {

void require_consistent(const AuditReport& report, const JsonField& root) {
  const auto refuse = [&](const std::string& what) {
    throw DataError(
        {.what = what, .where = root.path(), .expected = "an audit that was not edited: run it again"});
  };
  (void)parse_test(report.test);
  (void)privacy::Unit::parse(report.unit);
  if (report.rigor != "strict" && report.rigor != "paper") refuse(fmt::format("rigor '{}'", report.rigor));
  if (!(report.delta >= 0 && report.delta < 1)) refuse(fmt::format("delta {:g}", report.delta));
  if (!(report.claimed_epsilon >= 0)) refuse(fmt::format("claimed epsilon {:g}", report.claimed_epsilon));
  if (report.claim_is_sound && (!report.failed_claims.empty() || report.published_defects))
    refuse("a sound claim with claims that fail");
  if (!(report.confidence >= 0.75 && report.confidence < 1))
    refuse(fmt::format("confidence {:g}", report.confidence));
  if (report.findings.empty() && report.finished) refuse("it has ended and tried nothing");
  double largest = 0;
  for (const Finding& finding : report.findings) {
    largest = std::fmax(largest, finding.epsilon_lower_bound);
    if (!(finding.epsilon_lower_bound >= 0 && finding.seconds >= 0)) refuse("a finding of less than nothing");
  }
  if (report.epsilon_lower_bound != largest) {
    refuse(fmt::format("measured at least {:g}, but its findings show {:g}", report.epsilon_lower_bound,
                       largest));
  }
  const std::string verdict = root.at("verdict").text();
  if (verdict != (report.violated() ? "violated" : "consistent"))
    refuse(fmt::format("the verdict is '{}', but its numbers say otherwise", verdict));
}

}  // namespace

AuditReport audit_from_json(const Json& document, const std::string& where) {
  const JsonField root(document, where);
  AuditReport report{.method = root.at("method").text(),
                     .data = root.at("data").text(),
                     .unit = root.at("unit").text(),
                     .rigor = root.at("rigor").text(),
                     .published_defects = root.at("published_defects").boolean(),
                     .test = root.at("test").text(),
                     .claimed_epsilon = root.at("claimed_epsilon").number(),
                     .claim_is_sound = root.at("claim_is_sound").boolean(),
                     .largest_refutable = root.at("largest_refutable_epsilon").number_or_null().value_or(0),
                     .delta = root.at("delta").number(),
                     .epsilon_lower_bound = root.at("epsilon_lower_bound").number(),
                     .confidence = root.at("confidence").number(),
                     .neighbors = root.at("neighbors").text(),
                     .finished = root.at("finished").boolean()};
  if (const JsonField digest = root.at("certificate_digest"); !digest.is_null())
    report.certificate_digest = digest.text();
  for (const JsonField& claim : root.at("failed_claims").elements())
    report.failed_claims.push_back(claim.text());
  for (const JsonField& finding : root.at("findings").elements()) {
    report.findings.push_back({.what = finding.at("what").text(),
                               .epsilon_lower_bound = finding.at("epsilon_lower_bound").number(),
                               .detail = finding.at("detail").text(),
                               .seconds = finding.at("seconds").number()});
  }
  for (const JsonField& fault : root.at("noise_faults").elements()) {
    report.noise_faults.push_back({.first = fault.at("first").text(),
                                   .second = fault.at("second").text(),
                                   .correlation = fault.at("correlation").number(),
                                   .lag = static_cast<std::int64_t>(fault.at("lag").number()),
                                   .chance = fault.at("chance").number()});
  }
  if (const JsonField fingerprint = root.at("data_fingerprint"); !fingerprint.is_null())
    report.data_fingerprint = fingerprint.text();
  require_consistent(report, root);
  return report;
}

std::string audit_text(const AuditReport& report) {
  std::string text = fmt::format("Audit of {}\n\n", subject(report));
  if (report.violated()) {
    text += "VIOLATED: what is claimed is not true.\n";
  } else {
    text += "CONSISTENT: nothing was found that speaks against what is claimed.\n";
  }
  text += fmt::format("  claimed      epsilon at most {:.4g} at delta = {:.3g}{}\n", report.claimed_epsilon,
                      report.delta,
                      report.claim_is_sound ? "" : " (a claim that Privet itself does not vouch for)");
  if (report.test != name(TestKind::noise)) {
    text += fmt::format("  measured     epsilon at least {:.4g}, with confidence {:.5g}\n",
                        report.epsilon_lower_bound, report.confidence);
    if (is_powerless(report)) {
      text += fmt::format(
          "  power        none: so few trials can show epsilon {:.4g} at most, whatever comes out of them\n",
          report.largest_refutable);
    }
  }
  text += fmt::format("  compared     {}\n\nWhat was done\n", report.neighbors);
  for (const Finding& finding : report.findings) {
    text += fmt::format("  * {}\n    {}\n", finding.what, finding.detail);
    if (report.test != name(TestKind::noise))
      text += fmt::format("    epsilon at least {:.4g}", finding.epsilon_lower_bound);
    else
      text += "   ";
    text += fmt::format(" ({:.1f} s)\n", finding.seconds);
  }
  text += "\nHow to read this\n";
  for (const std::string& line : reading_with_claims(report)) text += fmt::format("  {}\n", line);
  text += fmt::format("  Note: {}.\n", kForWhom);
  return text;
}

}  // namespace privet::audit
