#include "privet/report/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "privet/base/version.hpp"
#include "privet/report/audit_section.hpp"
#include "privet/report/certificate_section.hpp"
#include "privet/report/comparison_figures.hpp"
#include "privet/report/comparison_section.hpp"
#include "privet/report/style.hpp"

namespace privet::report {
namespace {

constexpr std::size_t kHeadlines = 6;

// A chapter of the page.
struct Chapter {
  std::string id = {};
  std::string title = {};
  Markup opening = {};
  std::vector<Section> sections = {};
  bool lists_sections = true;  // in the contents
};

std::vector<Chapter> chapters_of(const ResultFolder& folder) {
  Chapter results{"results", "What was learnt", {}, {}};
  for (const ComparisonFile& one : folder.comparisons)
    results.sections.push_back(comparison_section(one, results.sections.size() + 1));
  Chapter certificates{
      "certificates", "What is guaranteed",
      element("p",
              "A certificate states an upper bound on what somebody can learn about the "
              "unit of protection from what was "
              "released. The upper bound of each was re-derived from the releases listed with it "
              "when this page was made. "
              "Publishing more than one of these results adds their costs up."),
      certificate_sections(folder)};
  certificates.opening += certificate_table(folder);
  certificates.lists_sections = false;
  Chapter audits{
      "audits",
      "What was tried against it",
      element("p",
              "An audit tries to refute a guarantee: from what a method releases it computes a lower bound "
              "on epsilon. "
              "A lower bound above the stated upper bound shows, with the confidence that is stated, that "
              "the statement is false; one below "
              "it is no proof that it is true. Attacks are descriptive numbers and decide about no claim."),
      {}};
  for (std::size_t i = 0; i < folder.audits.size(); ++i)
    audits.sections.push_back(audit_section(folder.audits[i], i + 1));
  for (std::size_t i = 0; i < folder.attacks.size(); ++i)
    audits.sections.push_back(attack_section(folder.attacks[i], i + 1));
  std::vector<Chapter> chapters;
  for (Chapter* chapter : {&results, &certificates, &audits}) {
    if (!chapter->sections.empty()) chapters.push_back(std::move(*chapter));
  }
  return chapters;
}

std::string default_title(const ResultFolder& folder) {
  std::vector<std::string> data;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(data, name) == data.end()) data.push_back(name);
  };
  for (const ComparisonFile& comparison : folder.comparisons) {
    for (const CellReport& cell : comparison.cells) add(cell.data());
  }
  for (const AuditFile& one : folder.audits) add(short_name(one.report.data));
  for (const AttackFile& one : folder.attacks) add(short_name(one.report.data));
  if (data.empty()) return "Privacy report";
  return fmt::format("Privacy report: {}", fmt::join(data, ", "));
}

Markup certificates_summary(const ResultFolder& folder) {
  const CertificateCount count = count_certificates(folder);
  Markup lines;
  if (count.sound > 0) {
    lines += element("li", fmt::format("{} with a guarantee; {} re-derived from the releases listed.",
                                       counted(count.sound, "certificate"),
                                       count.sound == 1 ? "its number was" : "their numbers were"));
  }
  if (count.unsound > 0) {
    lines += element("li", badge("NOT SOUND", Tone::bad) +
                               text_of(fmt::format("{} {} nothing: the published guarantee does not hold.",
                                                   counted(count.unsound, "certificate"),
                                                   count.unsound == 1 ? "guarantees" : "guarantee")));
  }
  if (count.seeded) {
    lines += element("li",
                     "Noise was seeded in some of the runs: whoever knows the seed can take it away again. "
                     "Those runs are fit for "
                     "experiments, not for publication.");
  }
  return lines;
}

Markup audits_summary(const ResultFolder& folder) {
  Markup lines;
  for (std::size_t i = 0; i < folder.audits.size(); ++i) {
    const audit::AuditReport& report = folder.audits[i].report;
    const std::string subject =
        fmt::format("{} on {} in {} rigor", report.method, short_name(report.data), report.rigor);
    const Markup link = element("a", {{"href", fmt::format("#audit-{}", i + 1)}}, text_of("audit"));
    if (report.violated()) {
      lines += element("li", badge("VIOLATED", Tone::bad) + text_of("An ") + link +
                                 text_of(fmt::format(" refutes what is claimed of {}.", subject)));
    } else {
      lines += element("li", text_of("An ") + link +
                                 text_of(fmt::format(" of {}: {}.", subject, audit::audit_outcome(report))));
    }
  }
  return lines;
}

bool was_measured(const ResultFolder& folder) {
  return std::ranges::any_of(folder.comparisons, [](const ComparisonFile& comparison) {
    return std::ranges::any_of(comparison.cells,
                               [](const CellReport& cell) { return cell.accuracy || cell.seconds; });
  });
}

// What may not leave the house although every certificate holds.
Markup readers_summary(const ResultFolder& folder) {
  std::vector<std::string> causes;
  if (was_measured(folder)) causes.emplace_back("accuracies, times and memory");
  if (!folder.audits.empty()) causes.emplace_back("audits");
  if (!folder.attacks.empty()) causes.emplace_back("attacks");
  if (causes.empty()) return {};
  return element(
      "li",
      fmt::format(
          "For the eyes of the data\u2019s owner: {} on this page were computed from the data without noise, "
          "and no certificate covers publishing them.",
          fmt::join(causes, "; ")));
}

Markup summary(const ResultFolder& folder) {
  Markup lines;
  std::size_t sentences = 0;
  for (const ComparisonFile& comparison : folder.comparisons) {
    for (const std::string& sentence : headlines(comparison)) {
      if (++sentences <= kHeadlines) lines += element("li", sentence);
    }
  }
  if (sentences > kHeadlines) {
    lines += element("li",
                     text_of(fmt::format("More such sentences could be written, {} in all; ", sentences)) +
                         element("a", {{"href", "#results"}}, text_of("the tables say them")) + text_of("."));
  }
  lines += certificates_summary(folder);
  lines += audits_summary(folder);
  lines += readers_summary(folder);
  return element("section", {{"class", "summary"}, {"aria-label", "Summary"}}, element("ul", lines));
}

// The certificates have a table of their own, which is shorter than their titles.
Markup contents(const std::vector<Chapter>& chapters) {
  Markup items;
  for (const Chapter& chapter : chapters) {
    Markup item = element("a", {{"href", "#" + chapter.id}}, text_of(chapter.title));
    Markup inner;
    for (const Section& section : chapter.sections) {
      inner += element(
          "li",
          element("a", {{"href", "#" + section.id}, {"class", section.is_warning ? "warning" : "entry"}},
                  text_of(section.title)));
    }
    if (chapter.lists_sections) item += element("ul", inner);
    items += element("li", item);
  }
  return element("nav", {{"aria-label", "Contents"}}, element("ul", {{"class", "contents"}}, items));
}

Markup sources(const ResultFolder& folder) {
  HtmlTable table{.caption = "Files that this page was made from, as seen from their folder.",
                  .header = {{"file"}, {"SHA-256"}}};
  for (const Source& source : folder.sources) table.rows.push_back({{source.file}, {source.sha256}});
  return element("section", {{"id", "sources"}}, element("h2", "Made from") + table_of(table)) +
         element("footer", element("p", {{"class", "small"}},
                                   text_of(fmt::format("Made by Privet {} without looking at the data again.",
                                                       version()))));
}

Markup body_of(const Chapter& chapter) {
  Markup body = element("h2", chapter.title) + chapter.opening;
  for (const Section& section : chapter.sections)
    body += element("section", {{"id", section.id}}, element("h3", section.title) + section.body);
  return element("section", {{"id", chapter.id}}, body);
}

}  // namespace

Page report_page(const ResultFolder& folder, const std::optional<std::string>& title) {
  const std::vector<Chapter> chapters = chapters_of(folder);
  const std::string heading = title.value_or(default_title(folder));
  Markup body =
      element("header", element("p", {{"class", "kicker"}}, text_of("Privet")) + element("h1", heading));
  Markup main = summary(folder) + contents(chapters);
  Page page;
  for (const Chapter& chapter : chapters) {
    main += body_of(chapter);
    for (const Section& section : chapter.sections) page.sections.push_back({section.id, section.title});
  }
  body += element("main", main + sources(folder));
  page.html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"Privet {}\">\n<title>{}</title>\n<style>{}</style>\n</head>\n"
      "<body>\n{}</body>\n</html>\n",
      escaped(version()), escaped(heading), kStyle, body.html);
  return page;
}

}  // namespace privet::report
