#include "privet/report/audit_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "privet/base/rounding.hpp"
#include "privet/report/attack_figure.hpp"
#include "privet/report/bounds_figure.hpp"
#include "privet/report/comparison_figures.hpp"

namespace privet::report {
namespace {

constexpr const char* kNothing = "\u2013";

// The last line of a section: for whom it is, and where it comes from.
Markup origin(std::string note, const std::string& file) {
  if (!note.empty() && note.front() >= 'a' && note.front() <= 'z')
    note.front() = static_cast<char>(note.front() - 'a' + 'A');
  return element("p", {{"class", "small"}}, text_of(fmt::format("{}. From {}.", note, file)));
}

bool bounds_epsilon(const audit::AuditReport& report) { return report.test != name(audit::TestKind::noise); }

std::string verdict_sentence(const audit::AuditReport& report) {
  if (report.violated()) return "What is claimed is not true.";
  if (audit::is_powerless(report)) return "But with so few trials nothing could have been found.";
  return report.finished ? "Nothing was found that speaks against what is claimed."
                         : "So far nothing was found that speaks against what is claimed.";
}

Tone tone_of(const audit::AuditReport& report) {
  if (report.violated()) return Tone::bad;
  return report.claim_is_sound && audit::is_reassuring(report) ? Tone::good : Tone::neutral;
}

std::string power(const audit::AuditReport& report) {
  if (audit::is_powerless(report)) {
    return fmt::format(
        "None: whatever had come out, a lower bound of {:.4g} was the most that could have been shown, and "
        "that is no more than was stated. More trials are needed.",
        report.largest_refutable);
  }
  return fmt::format("The clearest outcome would have shown a lower bound of {:.4g}.",
                     report.largest_refutable);
}

Markup bounds(const audit::AuditReport& report) {
  const std::string conditions =
      fmt::format("at delta = {}, for the unit of protection \u2018{}\u2019", report.delta, report.unit);
  const std::string claimed = rounded_up(report.claimed_epsilon);
  std::vector<std::pair<std::string, Markup>> rows;
  if (report.claim_is_sound)
    rows.emplace_back("Stated", text_of(fmt::format("upper bound epsilon = {} {}", claimed, conditions)));
  else
    rows.emplace_back("Claimed", text_of(fmt::format("epsilon = {} {}; that is a claim and no upper bound",
                                                     claimed, conditions)));
  if (bounds_epsilon(report)) {
    rows.emplace_back("Measured", text_of(fmt::format("lower bound epsilon = {} {}, with confidence {:.5g}",
                                                      rounded_down(report.epsilon_lower_bound), conditions,
                                                      report.confidence)));
    rows.emplace_back("Power of the test", text_of(power(report)));
  }
  rows.emplace_back("Test",
                    text_of(report.finished ? report.test : report.test + ", interrupted before its end"));
  rows.emplace_back("Compared", text_of(report.neighbors));
  return definitions_of(rows);
}

Markup findings(const audit::AuditReport& report) {
  const bool bounded = bounds_epsilon(report);
  HtmlTable table{.caption = bounded ? "What was done, and the lower bound on epsilon that each part shows "
                                       "under the unit and at the delta above."
                                     : "What was done.",
                  .header = {{"what"}, {"result"}}};
  if (bounded) table.header.push_back({"epsilon at least", true});
  table.header.push_back({"seconds", true});
  for (const audit::Finding& finding : report.findings) {
    std::vector<TableCell> row = {{finding.what}, {finding.detail}};
    if (bounded) row.push_back({rounded_down(finding.epsilon_lower_bound), true});
    row.push_back({fmt::format("{:.1f}", finding.seconds), true});
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? Markup{} : table_of(table);
}

std::vector<TableCell> attack_row(const audit::AttackResult& attack) {
  const std::optional<audit::Roc>& roc = attack.roc;
  return {{attack.name},
          {attack.variant},
          {attack.target},
          {fmt::format("{}: {} there, {} not", attack.about, attack.present, attack.absent)},
          {roc ? fmt::format("{:.3f}", roc->auc) : kNothing, true},
          {roc ? fmt::format("{:.3f} to {:.3f}", roc->low, roc->high) : kNothing, true},
          {roc ? fmt::format("{:.3f}", roc->tpr_at_one_percent) : kNothing, true},
          {attack.note}};
}

}  // namespace

Section audit_section(const AuditFile& file, std::size_t number) {
  const audit::AuditReport& report = file.report;
  const bool violated = report.violated();
  const Tone tone = tone_of(report);
  Section section{.id = fmt::format("audit-{}", number),
                  .title = fmt::format("{}{} on {}, unit {}, rigor {}: {}", report.method,
                                       report.published_defects ? " with its published defects" : "",
                                       short_name(report.data), report.unit, report.rigor,
                                       violated ? "VIOLATED" : "consistent"),
                  .is_warning = violated};
  section.body += card_of(tone, element("p", badge(violated ? "VIOLATED" : "CONSISTENT", tone) +
                                                 text_of(verdict_sentence(report))) +
                                    bounds(report));
  if (bounds_epsilon(report)) {
    section.body += figure_of(bounds_figure(report),
                              "What was stated and what was measured. A true upper bound is never left of "
                              "the end of the bar, but for the doubt that the confidence leaves.");
  }
  section.body += findings(report);
  section.body += element("p", fmt::format("{}", fmt::join(audit::audit_reading(report), " ")));
  if (!violated && !report.claim_is_sound) section.body += list_of(report.failed_claims);
  section.body += origin(audit::audit_note(), file.file);
  return section;
}

Section attack_section(const AttackFile& file, std::size_t number) {
  const audit::AttackReport& report = file.report;
  Section section{.id = fmt::format("attacks-{}", number),
                  .title = fmt::format("Attacks on {} on {}, unit {}", report.method, short_name(report.data),
                                       report.unit)};
  HtmlTable table{.caption =
                      "Attacks and how often each is right: the area under its curve (AUC) with its 95 % "
                      "interval, and the share of what is there that it finds while it is wrong about 1 % "
                      "of what is not.",
                  .header = {{"attack"},
                             {"score"},
                             {"on"},
                             {"asked about"},
                             {"AUC", true},
                             {"interval", true},
                             {"found at 1 %", true},
                             {"note"}}};
  bool has_curves = false;
  for (const audit::AttackResult& attack : report.attacks) {
    table.rows.push_back(attack_row(attack));
    has_curves = has_curves || !attack.curve.empty();
  }
  section.body += table_of(table);
  if (has_curves) {
    section.body += figure_of(attack_figure(report),
                              "True against false positives of the first score of each attack. Grey is what "
                              "coins reach.");
  }
  section.body += element("p", audit::attack_reading());
  section.body += origin(audit::attack_note(), file.file);
  return section;
}

}  // namespace privet::report
