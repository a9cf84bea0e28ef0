#include "privet/report/comparison_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "privet/base/rounding.hpp"
#include "privet/core/unit.hpp"
#include "privet/report/budget_rows.hpp"
#include "privet/report/certificate_section.hpp"
#include "privet/report/comparison_figures.hpp"

namespace privet::report {
namespace {

constexpr const char* kNothing = "\u2013";
constexpr const char* kEdgeEpsilon = "epsilon of an undirected edge, upper bound";

template <typename Of>
std::vector<std::string> different(const std::vector<CellReport>& cells, const Of& of) {
  std::vector<std::string> all;
  for (const CellReport& cell : cells) {
    if (const std::string value = of(cell); std::ranges::find(all, value) == all.end()) all.push_back(value);
  }
  return all;
}

std::vector<std::string> units_of(const ComparisonFile& comparison) {
  std::vector<std::string> units =
      different(comparison.cells, [](const CellReport& c) { return c.certificate.unit; });
  std::erase(units, "none");
  return units;
}

std::string split_words(const CellReport& report) {
  const methods::Cell& cell = report.result.cell;
  return cell.prepare.empty() ? cell.split : fmt::format("{}, {}", cell.split, cell.prepare);
}

bool has_several_splits(const std::vector<CellReport>& cells) {
  return different(cells, [](const CellReport& c) { return split_words(c); }).size() > 1;
}

// The data set, and how it was split and prepared where that tells it from others here.
std::string data_words(const CellReport& cell, const std::vector<CellReport>& among) {
  return has_several_splits(among) ? fmt::format("{} ({})", cell.data(), split_words(cell)) : cell.data();
}

Markup what_is_protected(const ComparisonFile& comparison) {
  Markup text;
  for (const std::string& name : units_of(comparison)) {
    const privacy::Unit unit = privacy::Unit::parse(name);
    text += element(
        "p",
        fmt::format(
            "The unit of protection \u2018{}\u2019 protects {}. Not protected, and treated as public: {}.",
            name, unit.protects(), unit.leaves_public()));
  }
  if (text.html.empty()) text = element("p", "Nothing is protected in what was run here.");
  return text;
}

bool any_edge_epsilon(const std::vector<CellReport>& cells) {
  return std::ranges::any_of(cells, [](const CellReport& cell) { return cell.edge_epsilon().has_value(); });
}

TableCell edge_epsilon_cell(const CellReport& cell) {
  const std::optional<double> edge = cell.edge_epsilon();
  return {edge ? rounded_up(*edge) : kNothing, true};
}

Markup budgets_table(const std::vector<BudgetRow>& rows, const std::vector<CellReport>& among) {
  const bool beside =
      std::ranges::any_of(rows, [](const BudgetRow& row) { return row.features_alone != nullptr; });
  std::string caption =
      "What the budgets buy: the most accurate of the methods that were compared and have a guarantee, "
      "chosen by the accuracies in the table below.";
  const bool apart = std::ranges::any_of(rows, [&](const BudgetRow& one) {
    return std::ranges::any_of(rows, [&](const BudgetRow& other) { return one.is_apart_by_price(other); });
  });
  if (apart)
    caption +=
        " Methods under which an undirected edge costs twice what a bit does have rows of their own: that "
        "is another promise, not a better one.";
  HtmlTable table{.caption = std::move(caption),
                  .header = {{"data"},
                             {"unit"},
                             {"epsilon, upper bound", true},
                             {"delta", true},
                             {"method"},
                             {"rigor"},
                             {"test accuracy", true}}};
  const bool edges = any_edge_epsilon(among);
  if (edges) table.header.insert(table.header.begin() + 3, {kEdgeEpsilon, true});
  if (beside) {
    table.header.push_back({"features alone", true});
    table.header.push_back({"difference", true});
  }
  for (const BudgetRow& row : rows) {
    const CellReport& best = *row.best;
    std::vector<TableCell> cells = {{data_words(best, among)},
                                    {best.certificate.unit},
                                    {rounded_up(*best.certificate.epsilon), true},
                                    {fmt::format("{}", best.certificate.delta), true},
                                    {best.label()},
                                    {std::string(privacy::name(best.certificate.rigor))},
                                    {percent(*best.accuracy, best.half_width), true}};
    if (edges) cells.insert(cells.begin() + 3, edge_epsilon_cell(best));
    if (beside) {
      const CellReport* alone = row.features_alone;
      cells.push_back({alone ? percent(*alone->accuracy, alone->half_width) : kNothing, true});
      cells.push_back({alone ? fmt::format("{:+.1f} points", row.gain()) : kNothing, true});
    }
    table.rows.push_back(std::move(cells));
  }
  return table_of(table);
}

std::string published_text(const methods::Cell& cell) {
  if (!cell.published) return kNothing;
  return cell.published_ci95 ? fmt::format("{:.1f} \u00b1 {:.1f} %", *cell.published, *cell.published_ci95)
                             : fmt::format("{:.1f} %", *cell.published);
}

Markup results_table(const ComparisonFile& comparison) {
  const std::vector<CellReport>& cells = comparison.cells;
  const bool published =
      std::ranges::any_of(cells, [](const CellReport& c) { return c.result.cell.published.has_value(); });
  const bool several_data = different(cells, [](const CellReport& c) { return c.data(); }).size() > 1;
  const bool several_splits = has_several_splits(cells);
  const bool gates =
      std::ranges::any_of(cells, [](const CellReport& c) { return !c.result.graph_answers_in().empty(); });
  HtmlTable table{
      .caption =
          "All results. Epsilon is for publishing one run, under the unit and at the delta beside it. "
          "\u00b1 is half the width of the 95 % interval of the mean over runs. Accuracy, time and memory "
          "are measured "
          "without noise. Seconds are those of training once, without what an earlier row has learnt "
          "already; memory is the most that the whole program had "
          "used by then."};
  if (gates) {
    table.caption +=
        " Where the graph does not answer in a run in which that was asked, it was found no better than the "
        "features alone, which answer then.";
  }
  table.header = {{"method"}};
  if (several_data) table.header.push_back({"data"});
  if (several_splits) table.header.push_back({"split, preparation"});
  for (const char* word : {"unit", "rigor", "guarantee"}) table.header.push_back({word});
  const bool edges = any_edge_epsilon(cells);
  table.header.push_back({"epsilon, upper bound", true});
  if (edges) table.header.push_back({kEdgeEpsilon, true});
  for (const char* number : {"delta", "test accuracy", "runs"}) table.header.push_back({number, true});
  if (gates) table.header.push_back({"graph answers in", true});
  if (published) table.header.push_back({"published", true});
  for (const char* number : {"seconds", "MiB"}) table.header.push_back({number, true});
  std::set<std::vector<std::string>> seen;
  for (const CellReport& cell : cells) {
    const privacy::Certificate& c = cell.certificate;
    std::vector<TableCell> row = {{cell.label()}};
    if (several_data) row.push_back({cell.data()});
    if (several_splits) row.push_back({split_words(cell)});
    row.push_back({c.unit});
    row.push_back({std::string(privacy::name(c.rigor))});
    row.push_back({.text = guarantee_words(c), .is_warning = !c.sound && c.unit != "none"});
    row.push_back({c.sound ? rounded_up(*c.epsilon) : kNothing, true});
    if (edges) row.push_back(edge_epsilon_cell(cell));
    row.push_back({c.unit == "none" ? kNothing : fmt::format("{}", c.delta), true});
    row.push_back({cell.accuracy ? percent(*cell.accuracy, cell.half_width) : "not measured", true});
    row.push_back({fmt::format("{}", cell.result.runs.size()), true});
    if (gates)
      row.push_back(
          {cell.result.graph_answers_in().empty() ? kNothing : cell.result.graph_answers_in(), true});
    if (published) row.push_back({published_text(cell.result.cell), true});
    // What opens nothing costs and reaches the same at every budget: one row says so.
    std::vector<std::string> words;
    words.reserve(row.size());
    for (const TableCell& one : row) words.push_back(one.text);
    const bool is_free = c.sound && *c.epsilon == 0;
    if (is_free && !seen.insert(words).second) continue;
    row.push_back({cell.seconds ? fmt::format("{:.2f}", *cell.seconds) : kNothing, true});
    row.push_back({cell.memory_mib ? fmt::format("{:.0f}", *cell.memory_mib) : kNothing, true});
    table.rows.push_back(std::move(row));
  }
  return table_of(table);
}

Markup figures(const ComparisonFile& comparison) {
  std::vector<methods::CellResult> results;
  for (const CellReport& cell : comparison.cells) results.push_back(cell.result);
  Markup all;
  for (const Figure& figure : comparison_figures(results)) {
    all +=
        figure_of(figure.svg,
                  "Dashed is what spends no budget. The unit of protection is behind the method\u2019s name; "
                  "a line called "
                  "\u2018claimed\u2019 has no guarantee.");
  }
  return all;
}

std::string against_features(const BudgetRow& row) {
  if (!row.features_alone) return {};
  const CellReport& alone = *row.features_alone;
  const double own = row.best->half_width.value_or(0);
  const bool blurred = 100 * (own + alone.half_width.value_or(0)) >= std::abs(row.gain());
  const std::string name = alone.certificate.sound && alone.certificate.unit == row.best->certificate.unit
                               ? "features alone"
                               : "features alone without any privacy";
  return fmt::format(", {:.1f} points {} {} ({}: {}){}", std::abs(row.gain()),
                     row.gain() >= 0 ? "above" : "below", name, alone.label(), percent(*alone.accuracy),
                     blurred ? ", which is within the intervals" : "");
}

std::string sentence(const BudgetRow& row, const std::vector<CellReport>& among) {
  const CellReport& best = *row.best;
  const privacy::Certificate& c = best.certificate;
  const std::optional<double> edge = best.edge_epsilon();
  return fmt::format(
      "On {}, with the upper bound epsilon = {} at delta = {} for the unit of protection \u2018{}\u2019{}, "
      "{}{} "
      "classifies {} of "
      "the test nodes correctly{}.",
      data_words(best, among), rounded_up(*c.epsilon), c.delta, c.unit,
      edge ? fmt::format(" ({} for an undirected edge)", rounded_up(*edge)) : "", best.label(),
      c.rigor == privacy::Rigor::kPaper ? " in paper rigor" : "", percent(*best.accuracy, best.half_width),
      against_features(row));
}

}  // namespace

std::vector<std::string> headlines(const ComparisonFile& comparison) {
  const std::vector<BudgetRow> rows = budget_rows(comparison.cells);
  std::vector<std::string> sentences;
  const auto fails = [](const CellReport& cell) {
    return cell.certificate.unit != "none" && !cell.certificate.sound;
  };
  if (rows.empty() && std::ranges::any_of(comparison.cells, fails)) {
    const std::vector<std::string> data =
        different(comparison.cells, [](const CellReport& cell) { return cell.data(); });
    sentences.push_back(
        fmt::format("On {}, none of the methods that were compared has a guarantee, features alone aside: "
                    "what is claimed "
                    "of them does not hold.",
                    fmt::join(data, ", ")));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool first = i == 0 || !rows[i].is_with(rows[i - 1]);
    const bool last = i + 1 == rows.size() || !rows[i].is_with(rows[i + 1]);
    if (first || last) sentences.push_back(sentence(rows[i], comparison.cells));
  }
  return sentences;
}

Section comparison_section(const ComparisonFile& comparison, std::size_t number) {
  const std::vector<std::string> data =
      different(comparison.cells, [](const CellReport& c) { return c.data(); });
  const std::vector<std::string> units = units_of(comparison);
  Section section{
      .id = fmt::format("comparison-{}", number),
      .title = fmt::format("{} on {}{}", comparison.cells.size() == 1 ? "Training" : "Comparison",
                           fmt::join(data, ", "),
                           units.empty() ? "" : fmt::format(", unit {}", fmt::join(units, ", ")))};
  section.body += what_is_protected(comparison);
  if (const std::vector<BudgetRow> rows = budget_rows(comparison.cells); rows.size() > 1)
    section.body += budgets_table(rows, comparison.cells);
  section.body += figures(comparison);
  section.body += results_table(comparison);
  section.body += element("p", {{"class", "small"}}, text_of(fmt::format("From {}.", comparison.file)));
  return section;
}

}  // namespace privet::report
