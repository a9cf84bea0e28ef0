#include "privet/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "privet/base/error.hpp"
#include "privet/report/html.hpp"

namespace privet::report {
namespace {

constexpr double kSide = 400;  // of the square that holds the lines
constexpr double kLeft = 64;
constexpr double kTop = 40;
constexpr double kLegend = kLeft + kSide + 20;
constexpr double kLine = 20;  // of the legend
// Okabe and Ito 2008.
constexpr std::array<const char*, 7> kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#000000"};
constexpr const char* kGrey = "#bbb";
constexpr double kGlyph = 7;      // about the width of one
constexpr double kTickRow = 14;   // from one row of numbers to the next
constexpr double kApart = 5;      // between intervals at one place
constexpr double kMostApart = 8;  // of the outermost from their place: within the air at the sides

// From numbers to places between 0 and 1.
class Scale {
 public:
  Scale(const Axis& axis, double least, double most) : logarithmic_(axis.logarithmic) {
    low_ = place(axis.least.value_or(least));
    high_ = place(axis.most.value_or(most));
    if (high_ <= low_) {
      low_ -= 0.5;
      high_ += 0.5;
    } else {
      const double air = 0.05 * (high_ - low_);
      if (!axis.least) low_ -= air;
      if (!axis.most) high_ += air;
    }
  }

  [[nodiscard]] double operator()(double value) const {
    return std::clamp((place(value) - low_) / (high_ - low_), 0.0, 1.0);
  }

  /// Round numbers within the axis, few enough to be read.
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> result;
    if (logarithmic_) {
      const int decades = static_cast<int>(std::floor((high_ - low_) / std::log(10.0)));
      const std::vector<double> parts = decades >= 3 ? std::vector<double>{1} : std::vector<double>{1, 2, 5};
      for (double decade = std::floor(low_ / std::log(10.0)) - 1; decade <= high_ / std::log(10.0) + 1;
           ++decade) {
        for (const double part : parts) add(part * std::pow(10.0, decade), result);
      }
      return result;
    }
    const double raw = (high_ - low_) / 6;
    const double decade = std::pow(10.0, std::floor(std::log10(raw)));
    double step = 10 * decade;
    for (const double part : {5.0, 2.0, 1.0}) {
      if (part * decade >= raw) step = part * decade;
    }
    for (double k = std::ceil(low_ / step - 1e-9); k * step <= high_ + 1e-9 * step; ++k)
      result.push_back(k * step + 0.0);  // not -0
    return result;
  }

 private:
  [[nodiscard]] double place(double value) const { return logarithmic_ ? std::log(value) : value; }
  void add(double value, std::vector<double>& result) const {
    const double at = place(value);
    if (at >= low_ - 1e-9 && at <= high_ + 1e-9) result.push_back(value);
  }

  bool logarithmic_;
  double low_ = 0;
  double high_ = 1;
};

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  void see(double value, const Axis& axis) {
    if (!std::isfinite(value) || (axis.logarithmic && value <= 0)) {
      throw InvalidArgument({.what = fmt::format("{} on the axis '{}'", value, axis.label),
                             .where = "chart",
                             .expected = axis.logarithmic ? "positive numbers" : "finite numbers"});
    }
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

double right(const Scale& scale, double x) { return kLeft + kSide * scale(x); }
double down(const Scale& scale, double y) { return kTop + kSide * (1 - scale(y)); }

// The numbers below the frame, and how many rows they take.
struct AcrossTicks {
  std::string svg;
  double rows = 1;
};

AcrossTicks across_ticks(const Axis& axis, const Scale& scale) {
  AcrossTicks ticks;
  std::vector<double> values = axis.ticks.empty() ? scale.ticks() : axis.ticks;
  std::ranges::sort(values);
  std::vector<double> taken;  // the right end of each row
  for (const double value : values) {
    const std::string text = fmt::format("{:.4g}", value);
    const double x = right(scale, value);
    const double half = kGlyph * static_cast<double>(text.size()) / 2;
    std::size_t row = 0;
    while (row < taken.size() && taken[row] > x - half) ++row;
    if (row == taken.size()) taken.push_back(0);
    taken[row] = x + half;
    ticks.svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#888\"/>"
        "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
        x, kTop + kSide, kTop + kSide + 4, kTop + kSide + 18 + kTickRow * static_cast<double>(row), text);
  }
  ticks.rows = static_cast<double>(std::max<std::size_t>(taken.size(), 1));
  return ticks;
}

std::string frame(const Chart& chart, const AcrossTicks& ticks, const Scale& up) {
  std::string text =
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
                  kLeft, kTop, kSide, kSide);
  text += ticks.svg;
  for (const double tick : chart.up.ticks.empty() ? up.ticks() : chart.up.ticks) {
    const double y = down(up, tick);
    text += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#eee\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.4g}</text>\n",
        kLeft, kLeft + kSide, y, kLeft - 6, y + 4, tick);
  }
  const double below = kTop + kSide + 24 + kTickRow * ticks.rows;
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", kLeft + kSide / 2, below,
                      escaped(chart.across.label));
  text += fmt::format(
      "<text x=\"16\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0})\">{1}</text>\n",
      kTop + kSide / 2, escaped(chart.up.label));
  if (!chart.caption.empty()) {
    text += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"10\" fill=\"#555\">{}</text>\n", kLeft,
                        below + 22, escaped(chart.caption));
  }
  return text;
}

// How a line is drawn.
struct Pen {
  std::string stroke;
  const char* color = kGrey;
  double aside = 0;  // pixels to the right
};

std::string drawn(const ChartSeries& series, const Scale& across, const Scale& up, const Pen& pen) {
  if (series.level) {
    return fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" {3}/>\n", kLeft,
                       kLeft + kSide, down(up, *series.level), pen.stroke);
  }
  std::string text = fmt::format("<polyline fill=\"none\" {} points=\"", pen.stroke);
  for (const ChartPoint& point : series.points)
    text += fmt::format("{:.1f},{:.1f} ", right(across, point.x) + pen.aside, down(up, point.y));
  text += "\"/>\n";
  for (const ChartPoint& point : series.points) {
    const double x = right(across, point.x) + pen.aside;
    if (point.half_width > 0) {
      text +=
          fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>", x,
                      down(up, point.y - point.half_width), down(up, point.y + point.half_width), pen.color);
    }
    if (series.marks)
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n", x,
                          down(up, point.y), pen.color);
  }
  return text;
}

// Where each line stands beside its place: nowhere else, unless intervals of two would cover each other.
std::vector<double> moved_apart(const std::vector<ChartSeries>& all) {
  std::vector<std::size_t> with_intervals;
  std::set<double> places;
  bool shared = false;
  for (std::size_t k = 0; k < all.size(); ++k) {
    bool any = false;
    for (const ChartPoint& point : all[k].points) {
      if (point.half_width <= 0) continue;
      any = true;
      shared = !places.insert(point.x).second || shared;
    }
    if (any) with_intervals.push_back(k);
  }
  std::vector<double> aside(all.size(), 0.0);
  if (!shared) return aside;
  const double middle = static_cast<double>(with_intervals.size() - 1) / 2;
  const double step = std::min(kApart, kMostApart / std::max(middle, 0.5));
  for (std::size_t i = 0; i < with_intervals.size(); ++i)
    aside[with_intervals[i]] = (static_cast<double>(i) - middle) * step;
  return aside;
}

std::vector<std::string> legend_names(const std::vector<ChartSeries>& all) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  for (const ChartSeries& series : all) {
    const int count = ++seen[series.name];
    names.push_back(count == 1 ? series.name : fmt::format("{} ({})", series.name, count));
  }
  return names;
}

std::string description(const Chart& chart, const std::vector<std::string>& names) {
  if (!chart.description.empty()) return chart.description;
  std::string text = fmt::format("{} over {}.", chart.up.label, chart.across.label);
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += fmt::format(" {}:", names[k]);
    if (chart.series[k].level) text += fmt::format(" {:.4g} throughout", *chart.series[k].level);
    const char* comma = "";
    for (const ChartPoint& point : chart.series[k].points) {
      text += fmt::format("{} {:.4g} at {:.4g}", comma, point.y, point.x);
      if (point.half_width > 0) text += fmt::format(" (give or take {:.2g})", point.half_width);
      comma = ",";
    }
    text += ".";
  }
  return text;
}

}  // namespace

std::string chart_svg(const Chart& chart) {
  Range x;
  Range y;
  for (const ChartSeries& series : chart.series) {
    if (series.level) y.see(*series.level, chart.up);
    for (const ChartPoint& point : series.points) {
      x.see(point.x, chart.across);
      y.see(point.y, chart.up);
      y.see(point.y - point.half_width, chart.up);
      y.see(point.y + point.half_width, chart.up);
    }
  }
  if (!std::isfinite(x.least)) throw InvalidArgument({.what = "nothing to draw", .where = "chart"});
  const Scale across(chart.across, x.least, x.most);
  const Scale up(chart.up, y.least, y.most);
  const std::vector<std::string> names = legend_names(chart.series);
  const std::vector<double> aside = moved_apart(chart.series);
  const AcrossTicks ticks = across_ticks(chart.across, across);
  std::size_t longest = 20;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  const double width = std::max(kLegend + 40 + kGlyph * static_cast<double>(longest),
                                kLeft + 6 * static_cast<double>(chart.caption.size()));
  const double height = std::max(kTop + kSide + 62 + kTickRow * ticks.rows,
                                 kTop + kLine * static_cast<double>(chart.series.size() + 2));
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>{2}</title>\n<desc>{3}</desc>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{4}\" y=\"24\" font-size=\"15\">{2}</text>\n",
      width, height, escaped(chart.title), escaped(description(chart, names)), kLeft);
  text += frame(chart, ticks, up);
  std::size_t colored = 0;
  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    const ChartSeries& series = chart.series[k];
    const char* color = series.is_backdrop ? kGrey : kColors[colored % kColors.size()];
    const bool dashed = !series.is_backdrop && (colored >= kColors.size() || series.level.has_value());
    if (!series.is_backdrop) ++colored;
    const Pen pen{.stroke = fmt::format("stroke=\"{}\" stroke-width=\"1.6\"{}", color,
                                        dashed ? " stroke-dasharray=\"5 3\"" : ""),
                  .color = color,
                  .aside = aside[k]};
    text += drawn(series, across, up, pen);
    const double line = kTop + 14 + kLine * static_cast<double>(k);
    text += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" {3}/><text x=\"{4}\" y=\"{5}\">{6}</text>\n",
        kLegend, kLegend + 20, line - 4, pen.stroke, kLegend + 26, line, escaped(names[k]));
  }
  return text + "</svg>\n";
}

}  // namespace privet::report
