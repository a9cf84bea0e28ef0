#pragma once

#include <optional>
#include <string>
#include <vector>

namespace privet::report {

/// Lines over an axis, with intervals: a picture in SVG, a document by itself that loads nothing. Colours can
/// be told apart by people who see few of them; lines beyond the last colour are dashed. Where intervals of
/// several lines stand at one place, the lines are moved apart by a few pixels, so that none hides another. A
/// title and a description say the same to those who don't see it.

struct ChartPoint {
  double x = 0;
  double y = 0;
  double half_width = 0;  ///< of the interval around y; 0 draws none
};

struct ChartSeries {
  std::string name = {};
  std::vector<ChartPoint> points = {};
  /// A level that does not depend on x, drawn from side to side; `points` is empty then.
  std::optional<double> level = {};
  bool is_backdrop = false;  ///< grey, and without a colour of its own
  bool marks = true;         ///< dots at the points
};

struct Axis {
  std::string label = {};
  bool logarithmic = false;
  /// Ends; where missing, those of the data with some air.
  std::optional<double> least = {};
  std::optional<double> most = {};
  /// Numbers to write at the axis, all of them, in further rows where one has no room; empty: round ones.
  std::vector<double> ticks = {};
};

struct Chart {
  std::string title = {};
  Axis across = {};
  Axis up = {};
  std::vector<ChartSeries> series = {};
  std::string caption = {};      ///< below the axis
  std::string description = {};  ///< of what is drawn; empty: the lines with their points
};

/// Lines of one name are told apart by numbers behind it. InvalidArgument where there is nothing to draw, a
/// number is not finite, or a logarithmic axis has one that is not positive.
std::string chart_svg(const Chart& chart);

}  // namespace privet::report
