#include <fmt/format.h>
#include <fmt/ranges.h>

#include "privet/audit/audit.hpp"

namespace privet::audit {
namespace {

constexpr const char* kForWhom =
    "an audit reads the data without noise: this result is for the eyes of the data's owner";

std::string subject(const AuditReport& report) {
  return fmt::format("{}{} on {}, unit of protection '{}', rigor {}", report.method,
                     report.published_defects ? " with its published defects" : "", report.data, report.unit,
                     report.rigor);
}

// Whether no outcome of its trials could have refuted the claim.
bool is_powerless(const AuditReport& report) {
  return report.test != name(TestKind::noise) && !report.violated() &&
         report.largest_refutable <= report.claimed_epsilon;
}

// Line by line, for the page and the document alike.
std::vector<std::string> how_to_read(const AuditReport& report) {
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
  if (!report.claim_is_sound) {
    lines.emplace_back(
        "This audit did not refute the claim, but it is not a guarantee: no proof backs it. What fails:");
    for (const std::string& claim : report.failed_claims) lines.push_back(fmt::format("- {}", claim));
    return lines;
  }
  lines.emplace_back(
      "An audit can refute a claim; it can't prove one. It tried the worlds and the tests named above and");
  lines.emplace_back("saw less than the claim allows. The proof is in the certificate and what it rests on.");
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
      {"how_to_read", fmt::format("{}", fmt::join(how_to_read(report), " "))},
      {"note", kForWhom}};
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
  for (const std::string& line : how_to_read(report)) text += fmt::format("  {}\n", line);
  text += fmt::format("  Note: {}.\n", kForWhom);
  return text;
}

}  // namespace privet::audit
