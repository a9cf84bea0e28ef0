#include "privet/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "privet/base/error.hpp"

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

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else
      safe += c;
  }
  return safe;
}

// From numbers to places between 0 and 1.
class Scale {
 public:
  Scale(const Axis& axis, double least, double most) : logarithmic_(axis.logarithmic) {
    low_ = place(axis.least.value_or(least));
    high_ = place(axis.most.value_or(most));
    if (high_ <= low_) {
      low_ -= 0.5;
      high_ += 0.5;
    } else if (!logarithmic_) {
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

std::string frame(const Chart& chart, const Scale& across, const Scale& up) {
  std::string text =
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
                  kLeft, kTop, kSide, kSide);
  for (const double tick : across.ticks()) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.4g}</text>\n",
                        right(across, tick), kTop + kSide + 18, tick);
  }
  for (const double tick : up.ticks()) {
    const double y = down(up, tick);
    text += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#eee\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.4g}</text>\n",
        kLeft, kLeft + kSide, y, kLeft - 6, y + 4, tick);
  }
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", kLeft + kSide / 2,
                      kTop + kSide + 38, escaped(chart.across.label));
  text += fmt::format(
      "<text x=\"16\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0})\">{1}</text>\n",
      kTop + kSide / 2, escaped(chart.up.label));
  if (!chart.caption.empty()) {
    text += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"10\" fill=\"#555\">{}</text>\n", kLeft,
                        kTop + kSide + 60, escaped(chart.caption));
  }
  return text;
}

std::string drawn(const ChartSeries& series, const Scale& across, const Scale& up, const std::string& stroke,
                  const char* color) {
  if (series.level) {
    return fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" {3}/>\n", kLeft,
                       kLeft + kSide, down(up, *series.level), stroke);
  }
  std::string text = fmt::format("<polyline fill=\"none\" {} points=\"", stroke);
  for (const ChartPoint& point : series.points)
    text += fmt::format("{:.1f},{:.1f} ", right(across, point.x), down(up, point.y));
  text += "\"/>\n";
  for (const ChartPoint& point : series.points) {
    const double x = right(across, point.x);
    if (point.half_width > 0) {
      text +=
          fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>", x,
                      down(up, point.y - point.half_width), down(up, point.y + point.half_width), color);
    }
    if (series.marks)
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n", x,
                          down(up, point.y), color);
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
  std::size_t longest = 0;
  for (const ChartSeries& series : chart.series) longest = std::max(longest, series.name.size());
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{}\" y=\"24\" font-size=\"15\">{}</text>\n",
      std::max(kLegend + 40 + 7 * static_cast<double>(std::max<std::size_t>(longest, 20)),
               kLeft + 6 * static_cast<double>(chart.caption.size())),
      std::max(kTop + kSide + 76, kTop + kLine * static_cast<double>(chart.series.size() + 2)), kLeft,
      escaped(chart.title));
  text += frame(chart, across, up);
  std::size_t colored = 0;
  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    const ChartSeries& series = chart.series[k];
    const char* color = series.is_backdrop ? kGrey : kColors[colored % kColors.size()];
    const bool dashed = !series.is_backdrop && (colored >= kColors.size() || series.level.has_value());
    if (!series.is_backdrop) ++colored;
    const std::string stroke =
        fmt::format("stroke=\"{}\" stroke-width=\"1.6\"{}", color, dashed ? " stroke-dasharray=\"5 3\"" : "");
    text += drawn(series, across, up, stroke, color);
    const double line = kTop + 14 + kLine * static_cast<double>(k);
    text += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" {3}/><text x=\"{4}\" y=\"{5}\">{6}</text>\n",
        kLegend, kLegend + 20, line - 4, stroke, kLegend + 26, line, escaped(series.name));
  }
  return text + "</svg>\n";
}

}  // namespace privet::report
