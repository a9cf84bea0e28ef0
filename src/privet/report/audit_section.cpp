#include "privet/report/audit_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/report/attack_figure.hpp"
#include "privet/report/bounds_figure.hpp"
#include "privet/report/comparison_figures.hpp"

namespace privet::report {
namespace {

std::string sentence_case(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + ".";
}

bool bounds_epsilon(const audit::AuditReport& report) { return report.test != name(audit::TestKind::noise); }

std::string power(const audit::AuditReport& report) {
  if (report.largest_refutable <= report.claimed_epsilon && !report.violated())
    return fmt::format(
        "None: whatever had come out, it could have shown at most epsilon = {:.4g}, which is no more than "
        "was stated. It says nothing; run it with more trials.",
        report.largest_refutable);
  return fmt::format("The clearest outcome could have shown an epsilon of {:.4g}.", report.largest_refutable);
}

Markup bounds(const audit::AuditReport& report) {
  const std::string conditions =
      fmt::format("at delta = {}, for the unit of protection \u2018{}\u2019", report.delta, report.unit);
  std::vector<std::pair<std::string, Markup>> rows;
  // The file can't tell a sound claim from a plan's after it was refuted, and neither would be a bound.
  rows.emplace_back(
      report.claim_is_sound ? "Stated" : "Claimed",
      text_of(report.claim_is_sound
                  ? fmt::format("upper bound epsilon = {:.6g} {}", report.claimed_epsilon, conditions)
                  : fmt::format("epsilon = {:.6g} {}; it is a claim and no upper bound",
                                report.claimed_epsilon, conditions)));
  if (bounds_epsilon(report)) {
    rows.emplace_back("Measured",
                      text_of(fmt::format("lower bound epsilon = {:.4g} {}, with confidence {:.5g}",
                                          report.epsilon_lower_bound, conditions, report.confidence)));
    rows.emplace_back("Power of the test", text_of(power(report)));
  }
  rows.emplace_back("Test",
                    text_of(report.finished ? report.test : report.test + ", interrupted before its end"));
  rows.emplace_back("Compared", text_of(report.neighbors));
  return definitions_of(rows);
}

Markup findings(const audit::AuditReport& report) {
  HtmlTable table{.caption =
                      "What was done, and the lower bound on epsilon that each part shows under the unit and "
                      "delta above.",
                  .header = {{"what"}, {"result"}}};
  if (bounds_epsilon(report)) table.header.push_back({"epsilon at least", true});
  table.header.push_back({"seconds", true});
  for (const audit::Finding& finding : report.findings) {
    std::vector<TableCell> row = {{finding.what}, {finding.detail}};
    if (bounds_epsilon(report)) row.push_back({fmt::format("{:.4g}", finding.epsilon_lower_bound), true});
    row.push_back({fmt::format("{:.1f}", finding.seconds), true});
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? Markup{} : table_of(table);
}

}  // namespace

Section audit_section(const AuditFile& file, std::size_t number) {
  const audit::AuditReport& report = file.report;
  const bool violated = report.violated();
  Section section{.id = fmt::format("audit-{}", number),
                  .title = fmt::format("{}{} on {}, unit {}, rigor {}: {}", report.method,
                                       report.published_defects ? " with its published defects" : "",
                                       short_name(report.data), report.unit, report.rigor,
                                       violated ? "VIOLATED" : "consistent"),
                  .is_warning = violated};
  section.body +=
      element("div", {{"class", violated ? "card bad" : (report.claim_is_sound ? "card good" : "card")}},
              element("p", {{"class", "verdict"}},
                      badge(violated ? "VIOLATED" : "CONSISTENT",
                            violated ? Tone::bad : (report.claim_is_sound ? Tone::good : Tone::neutral)) +
                          text_of(violated ? "What is claimed is not true."
                                           : "Nothing was found that speaks against what is claimed.")) +
                  bounds(report));
  if (bounds_epsilon(report))
    section.body += figure_of(bounds_figure(report),
                              "The bound that was stated and the one that was measured. A true statement is "
                              "never left of what is measured.");
  section.body += findings(report);
  section.body += element("p", audit::audit_reading(report));
  if (!violated && !report.claim_is_sound) section.body += list_of(report.failed_claims);
  section.body += element("p", {{"class", "small"}},
                          text_of(fmt::format("{} From {}.", sentence_case(audit::audit_note()), file.file)));
  return section;
}

Section attack_section(const AttackFile& file, std::size_t number) {
  const audit::AttackReport& report = file.report;
  Section section{.id = fmt::format("attacks-{}", number),
                  .title = fmt::format("{} on {}, unit {}: attacks", report.method, short_name(report.data),
                                       report.unit)};
  HtmlTable table{.caption =
                      "Attacks and how often each is right: the area under its curve (AUC) with its 95 % "
                      "interval, and the share of what "
                      "is there that it finds while it is wrong about 1 % of what is not.",
                  .header = {{"attack"},
                             {"score"},
                             {"on"},
                             {"asked about"},
                             {"AUC", true},
                             {"interval", true},
                             {"found at 1 %", true},
                             {"note"}}};
  bool drawn = false;
  for (const audit::AttackResult& attack : report.attacks) {
    const auto number_of = [](double value) { return fmt::format("{:.3f}", value); };
    table.rows.push_back(
        {{attack.name},
         {attack.variant},
         {attack.target},
         {fmt::format("{}: {} there, {} not", attack.about, attack.present, attack.absent)},
         {attack.roc ? number_of(attack.roc->auc) : "\u2013", true},
         {attack.roc ? fmt::format("{:.3f} to {:.3f}", attack.roc->low, attack.roc->high) : "\u2013", true},
         {attack.roc ? number_of(attack.roc->tpr_at_one_percent) : "\u2013", true},
         {attack.note}});
    drawn = drawn || !attack.curve.empty();
  }
  section.body += table_of(table);
  if (drawn)
    section.body += figure_of(
        attack_figure(report),
        "True against false positives of each attack\u2019s first score. Grey is what coins reach.");
  section.body += element("p", audit::attack_reading());
  section.body +=
      element("p", {{"class", "small"}},
              text_of(fmt::format("{} From {}.", sentence_case(audit::attack_note()), file.file)));
  return section;
}

}  // namespace privet::report
