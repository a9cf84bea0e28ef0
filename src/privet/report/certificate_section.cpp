#include "privet/report/certificate_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "privet/audit/certificate_match.hpp"
#include "privet/base/rounding.hpp"
#include "privet/proof/certificate_json.hpp"
#include "privet/proof/certificate_outline.hpp"

namespace privet::report {
namespace {

using privacy::Certificate;

// A certificate and whom it is for.
struct Entry {
  std::string label = {};
  Certificate certificate = {};
  std::vector<std::string> files = {};
  std::size_t runs = 1;
  std::optional<double> all_runs_epsilon = {};
  std::string digest = {};
  std::string sameness = {};
  std::set<std::string> digests = {};  // of those with the same numbers
};

// Everything that a reader would be told differently. What was bought several times is said to be.
std::string sameness(const Entry& entry, const std::string& split) {
  Json document = privacy::certificate_to_json(entry.certificate);
  for (const char* key : {"created", "digest", "ledger"}) document.erase(key);
  return fmt::format("{}\n{}\n{} {}\n{}", entry.label, split, entry.runs, entry.all_runs_epsilon.value_or(-1),
                     document.dump());
}

void add(Entry entry, const std::string& split, std::vector<Entry>& entries) {
  entry.sameness = sameness(entry, split);
  entry.digests = {entry.digest};
  const auto same = std::ranges::find(entries, entry.sameness, &Entry::sameness);
  if (same == entries.end()) {
    entries.push_back(std::move(entry));
  } else {
    same->files.push_back(entry.files.front());
    same->digests.insert(entry.digest);
  }
}

std::vector<Entry> entries_of(const ResultFolder& folder) {
  std::vector<Entry> entries;
  for (const ComparisonFile& comparison : folder.comparisons) {
    for (const CellReport& cell : comparison.cells) {
      const bool paper = cell.certificate.rigor == privacy::Rigor::kPaper;
      add({.label = fmt::format("{}{} on {}", cell.label(), paper ? ", paper" : "", cell.data()),
           .certificate = cell.certificate,
           .files = {cell.where},
           .runs = cell.result.runs.size(),
           .all_runs_epsilon = cell.all_runs_epsilon,
           .digest = cell.digest},
          cell.result.cell.split, entries);
    }
  }
  for (const CertificateFile& one : folder.certificates)
    add({.label = one.file, .certificate = one.certificate, .files = {one.file}, .digest = one.digest}, {},
        entries);
  return entries;
}

std::string number_or_dash(double value) { return value > 0 ? fmt::format("{:.6g}", value) : "\u2013"; }

Markup releases_table(const Certificate& c) {
  HtmlTable table{.caption =
                      "Each row is something computed from private data that left it, with the noise it was "
                      "given. The noise is the "
                      "standard deviation of one coordinate.",
                  .header = {{"what"},
                             {"mechanism"},
                             {"sensitivity", true},
                             {"noise", true},
                             {"times", true},
                             {"sampling"},
                             {"rests on"}}};
  for (const privacy::Release& release : c.releases) {
    std::string sensitivity = number_or_dash(release.sensitivity);
    if (release.sensitivity > 0 && !release.norm.empty())
      sensitivity = fmt::format("{} {}", release.norm, sensitivity);
    if (const std::uint64_t examples = privacy::examples_of_one_change(release.event); examples > 1)
      sensitivity += fmt::format(", of up to {} examples", examples);
    table.rows.push_back({{release.what},
                          {release.mechanism},
                          {sensitivity, true},
                          {number_or_dash(release.noise_stddev), true},
                          {fmt::format("{}", release.times), true},
                          {release.sampling},
                          {release.reference}});
  }
  return table_of(table);
}

Markup lines(const privacy::OutlinePart& part) {
  Markup body;
  std::vector<std::string> items;
  for (const privacy::OutlineLine& line : part.lines) {
    if (line.is_item) {
      items.push_back(line.text);
      continue;
    }
    body += list_of(items);
    items.clear();
    body += element("p", line.text);
  }
  return body + list_of(items);
}

// The guarantee, or that there is none, before everything else.
Markup opening(const Entry& entry, const privacy::OutlinePart& first) {
  const Certificate& c = entry.certificate;
  Markup body;
  if (c.sound) {
    body += element("p", badge("GUARANTEE: UPPER BOUND", Tone::good) +
                             (c.noise == privacy::NoiseSource::kSeeded && !c.releases.empty()
                                  ? badge("SEEDED NOISE: FOR EXPERIMENTS", Tone::bad)
                                  : Markup{}));
  } else {
    body += element("p", badge("NOT SOUND", Tone::bad) + text_of(first.heading));
  }
  body += lines(first);
  if (entry.runs > 1) {
    body += element("p", entry.all_runs_epsilon
                             ? privacy::all_runs_sentence(entry.runs, *entry.all_runs_epsilon, c)
                             : fmt::format("This is the certificate of the last of {} runs.", entry.runs));
  }
  if (entry.digests.size() > 1) {
    body += element("p", fmt::format("{} certificates have these numbers, each of a training of its own. The "
                                     "bound is for each alone; publishing several adds up.",
                                     entry.digests.size()));
  }
  return card_of(c.sound ? Tone::good : Tone::bad, body);
}

// Audits of this very certificate; one that names it but is of something else is said to be that.
Markup audited(const Entry& entry, const ResultFolder& folder) {
  Markup body;
  for (std::size_t i = 0; i < folder.audits.size(); ++i) {
    const audit::AuditReport& report = folder.audits[i].report;
    if (!entry.digests.contains(report.certificate_digest)) continue;
    std::optional<audit::Mismatch> fault;
    if (!report.violated()) fault = audit::mismatch(report, entry.certificate, {});
    const std::string words =
        fault ? fmt::format("an audit that names it {}, and says nothing about it", fault->what)
              : audit::audit_outcome(report);
    body += element("p", text_of(fault ? "Not audited: " : "How this model was made was audited: ") +
                             element("a", {{"href", fmt::format("#audit-{}", i + 1)}}, text_of(words)) +
                             text_of("."));
  }
  return body;
}

Section section_of(const Entry& entry, const ResultFolder& folder, std::size_t number) {
  const Certificate& c = entry.certificate;
  Section section{.id = fmt::format("certificate-{}", number), .is_warning = !c.sound};
  const std::optional<double> edge = privacy::edge_epsilon(c);
  section.title =
      c.sound
          ? fmt::format(
                "{}: upper bound epsilon = {}{} at delta = {}, unit {}", entry.label, rounded_up(*c.epsilon),
                edge ? fmt::format(" ({} for an undirected edge)", rounded_up(*edge)) : "", c.delta, c.unit)
          : fmt::format("{}: NOT SOUND, unit {}", entry.label, c.unit);
  const std::vector<privacy::OutlinePart> parts = privacy::certificate_outline(c);
  section.body += opening(entry, parts.front());
  section.body += audited(entry, folder);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    section.body += element("h4", parts[i].heading);
    section.body += parts[i].lists_releases ? releases_table(c) : lines(parts[i]);
  }
  section.body +=
      element("p", {{"class", "small"}}, text_of(fmt::format("From {}.", fmt::join(entry.files, "; "))));
  return section;
}

Section without_privacy(const std::vector<Entry>& entries, std::size_t number) {
  Section section{.id = fmt::format("certificate-{}", number), .title = "Without privacy"};
  std::vector<std::string> labels;
  for (const Entry& entry : entries) {
    if (std::ranges::find(labels, entry.label) == labels.end()) labels.push_back(entry.label);
  }
  section.body = card_of(
      Tone::neutral,
      element("p",
              badge("NO PRIVACY", Tone::neutral) +
                  text_of("These runs protect nothing and stand here to be compared with. What they made "
                          "is made from the raw data, and tells of it.")) +
          list_of(labels));
  return section;
}

bool protects_nothing(const Entry& entry) { return entry.certificate.unit == "none"; }

}  // namespace

std::string guarantee_words(const Certificate& c) {
  if (c.sound) return "upper bound";
  if (c.unit == "none") return "none: no privacy";
  if (!c.claimed_epsilon) return "NOT SOUND";
  return fmt::format("NOT SOUND: {:.4g} is claimed only", *c.claimed_epsilon);
}

std::vector<Section> certificate_sections(const ResultFolder& folder) {
  std::vector<Entry> without;
  std::vector<Section> sections;
  for (const Entry& entry : entries_of(folder)) {
    if (protects_nothing(entry))
      without.push_back(entry);
    else
      sections.push_back(section_of(entry, folder, sections.size() + 1));
  }
  if (!without.empty()) sections.push_back(without_privacy(without, sections.size() + 1));
  return sections;
}

Markup certificate_table(const ResultFolder& folder) {
  HtmlTable table{.caption = "The certificates, each for publishing one run.",
                  .header = {{"certificate"}, {"guarantee"}, {"unit"}, {"epsilon, upper bound", true}}};
  const std::vector<Entry> entries = entries_of(folder);
  const bool edges = std::ranges::any_of(
      entries, [](const Entry& entry) { return privacy::edge_epsilon(entry.certificate).has_value(); });
  if (edges) table.header.push_back({"epsilon of an undirected edge, upper bound", true});
  table.header.push_back({"delta", true});
  table.header.push_back({"noise"});
  for (const Entry& entry : entries) {
    if (protects_nothing(entry)) continue;
    const Certificate& c = entry.certificate;
    const char* noise = c.noise == privacy::NoiseSource::kSecure ? "secure" : "seeded: for experiments";
    std::vector<TableCell> row = {
        {.text = entry.label, .link = fmt::format("certificate-{}", table.rows.size() + 1)},
        {.text = guarantee_words(c), .is_warning = !c.sound},
        {c.unit},
        {c.sound ? rounded_up(*c.epsilon) : "\u2013", true}};
    const std::optional<double> edge = privacy::edge_epsilon(c);
    if (edges) row.push_back({edge ? rounded_up(*edge) : "\u2013", true});
    row.push_back({fmt::format("{}", c.delta), true});
    row.push_back({c.releases.empty() ? "none needed" : noise});
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? Markup{} : table_of(table);
}

CertificateCount count_certificates(const ResultFolder& folder) {
  CertificateCount count;
  for (const Entry& entry : entries_of(folder)) {
    if (protects_nothing(entry)) continue;
    const Certificate& c = entry.certificate;
    (c.sound ? count.sound : count.unsound) += entry.digests.size();
    if (c.noise == privacy::NoiseSource::kSeeded && !c.releases.empty()) count.seeded = true;
  }
  return count;
}

}  // namespace privet::report
