#include "privet/report/comparison_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "privet/report/chart.hpp"

namespace privet::report {
namespace {

using methods::Cell;
using methods::CellResult;

const std::string kEpsilon = "epsilon";

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::string option_name(const std::string& assignment) { return assignment.substr(0, assignment.find('=')); }

/// Whether it opens nothing that is protected, and so costs nothing at any budget.
bool is_free(const CellResult& result) {
  const Json& certificate = result.certificate;
  return certificate.is_object() && certificate.value("sound", false) && certificate.contains("epsilon") &&
         certificate["epsilon"] == 0;
}

/// Where a cell stands on an axis, if it does.
std::optional<double> place(const CellResult& result, const std::string& axis) {
  const Cell& cell = result.cell;
  if (axis == kEpsilon) return is_free(result) ? std::nullopt : cell.epsilon;
  for (const std::string& assignment : cell.assignments) {
    if (option_name(assignment) == axis) return number(assignment.substr(axis.size() + 1));
  }
  return {};
}

using Cells = std::vector<const CellResult*>;

template <typename T>
bool differs(const Cells& cells, T Cell::*part) {
  return std::ranges::any_of(
      cells, [&](const CellResult* one) { return one->cell.*part != cells.front()->cell.*part; });
}

/// The deltas of the cells with a budget, ascending. What releases nothing has 0, which is within any other.
std::set<double> deltas_of(const Cells& cells) {
  std::set<double> deltas;
  for (const CellResult* one : cells) {
    if (one->cell.epsilon && one->delta > 0) deltas.insert(one->delta);
  }
  return deltas;
}

std::string runs_text(const Cells& cells) {
  std::set<std::size_t> runs;
  for (const CellResult* one : cells) runs.insert(one->runs.size());
  return runs.size() == 1 ? fmt::format("{}", *runs.begin())
                          : fmt::format("{} to {}", *runs.begin(), *runs.rbegin());
}

/// Everything about a cell but its place on the axis: cells of one line have the same.
std::string line_name(const CellResult& result, const std::string& axis, const Cells& among) {
  const Cell& cell = result.cell;
  std::string name = cell.preset.empty() ? cell.method : fmt::format("{}:{}", cell.method, cell.preset);
  if (cell.unit != "none") name += fmt::format(", {}", cell.unit);
  const bool is_sound = result.certificate.is_object() && result.certificate.value("sound", false);
  if (cell.rigor == privacy::Rigor::kPaper) name += ", paper";
  if (!is_sound && cell.unit != "none" && cell.epsilon) name += " (claimed)";
  if (cell.published_defects) name += ", defects";
  const std::optional<double> edge = result.edge_epsilon();
  if (edge && cell.epsilon && *edge > 1.5 * *cell.epsilon) name += ", an edge costs twice";
  if (cell.epsilon && deltas_of(among).size() > 1) name += fmt::format(", delta {:g}", result.delta);
  if (differs(among, &Cell::split)) name += fmt::format(", {}", cell.split);
  if (differs(among, &Cell::prepare))
    name += fmt::format(", {}", cell.prepare.empty() ? "raw" : cell.prepare);
  if (axis != kEpsilon && cell.epsilon) name += fmt::format(", epsilon {:g}", *cell.epsilon);
  if (cell.unit != "none" && !cell.epsilon) name += ", without noise";
  std::vector<std::string> options;
  for (const std::string& assignment : cell.assignments) {
    if (option_name(assignment) != axis) options.push_back(assignment);
  }
  if (!options.empty()) name += fmt::format(", {}", fmt::join(options, " "));
  return name;
}

ChartPoint point_of(const CellResult& result, double x) {
  return {x, 100 * result.mean_accuracy(), 100 * result.accuracy_ci95()};
}

// Intervals of few runs reach beyond what an accuracy can be; the axis does not follow them.
void keep_to_percent(Chart& chart) {
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      if (point.y - point.half_width < 0) chart.up.least = 0;
      if (point.y + point.half_width > 100) chart.up.most = 100;
    }
  }
}

std::optional<Chart> chart_over(const std::string& axis, const Cells& cells) {
  // Lines in the order of their first cells.
  std::vector<std::string> order;
  std::map<std::string, std::vector<ChartPoint>> lines;
  std::map<std::string, double> levels;
  for (const CellResult* result : cells) {
    const std::string name = line_name(*result, axis, cells);
    if (!lines.contains(name) && !levels.contains(name)) order.push_back(name);
    if (const std::optional<double> x = place(*result, axis)) {
      lines[name].push_back(point_of(*result, *x));
    } else if (axis == kEpsilon) {
      levels[name] = 100 * result->mean_accuracy();
    }
  }
  Chart chart{.across = {.label = axis},
              .up = {.label = "test accuracy, %"},
              .caption = fmt::format(
                  "Bars: 95 % interval of the mean of {} runs; accuracy is measured without noise.",
                  runs_text(cells))};
  if (axis == kEpsilon) {
    chart.across.label = "epsilon asked for, an upper bound for one run unless claimed only";
    if (const std::set<double> deltas = deltas_of(cells); deltas.size() == 1)
      chart.caption += fmt::format(" delta is at most {:g}.", *deltas.begin());
  }
  const std::size_t least = axis == kEpsilon ? 2 : 3;
  double smallest = 0;
  double largest = 0;
  bool found = false;
  std::set<double> places;
  for (const std::string& name : order) {
    if (levels.contains(name)) {
      chart.series.push_back({.name = name, .level = levels[name]});
      continue;
    }
    std::vector<ChartPoint>& points = lines[name];
    std::ranges::sort(points, {}, &ChartPoint::x);
    const auto same = [](const ChartPoint& a, const ChartPoint& b) { return a.x == b.x; };
    points.erase(std::unique(points.begin(), points.end(), same), points.end());
    if (points.size() < least) continue;
    smallest = found ? std::min(smallest, points.front().x) : points.front().x;
    largest = found ? std::max(largest, points.back().x) : points.back().x;
    found = true;
    for (const ChartPoint& point : points) places.insert(point.x);
    chart.series.push_back({.name = name, .points = points});
  }
  if (!found) return {};
  chart.across.ticks.assign(places.begin(), places.end());
  keep_to_percent(chart);
  chart.across.logarithmic = smallest > 0 && largest >= 8 * smallest;
  return chart;
}

}  // namespace

std::string short_name(std::string data) {
  while (data.size() > 1 && data.back() == '/') data.pop_back();
  return data.substr(data.find_last_of('/') + 1);
}

std::vector<Figure> comparison_figures(const std::vector<CellResult>& results) {
  std::vector<std::string> order;
  std::map<std::string, Cells> by_data;
  for (const CellResult& result : results) {
    if (!result.cell.evaluate || result.runs.empty()) continue;
    const std::string data = short_name(result.cell.data);
    if (!by_data.contains(data)) order.push_back(data);
    by_data[data].push_back(&result);
  }
  std::vector<Figure> figures;
  for (const std::string& data : order) {
    std::set<std::string> axes;
    for (const CellResult* result : by_data[data]) {
      for (const std::string& assignment : result->cell.assignments) axes.insert(option_name(assignment));
    }
    axes.erase(kEpsilon);
    std::vector<std::string> all(axes.begin(), axes.end());
    all.insert(all.begin(), kEpsilon);
    for (const std::string& axis : all) {
      std::optional<Chart> chart = chart_over(axis, by_data[data]);
      if (!chart) continue;
      chart->title = fmt::format("{}, by {}", data, axis);
      figures.push_back({fmt::format("{}-by-{}", data, axis), chart_svg(*chart)});
    }
  }
  return figures;
}

}  // namespace privet::report
