#include "privet/report/chart.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"

namespace privet::report {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Chart, DrawsEveryPointAndNamesEveryLine) {
  const std::string svg = chart_svg({.title = "a < b & c",
                                     .across = {.label = "epsilon"},
                                     .up = {.label = "accuracy"},
                                     .series = {{.name = "one", .points = {{1, 50, 2}, {2, 60}, {3, 70, 1}}},
                                                {.name = "limit", .level = 80}}});
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(occurrences(svg, "<circle"), 3U);
  EXPECT_EQ(occurrences(svg, "<polyline"), 1U);
  EXPECT_NE(svg.find(">one<"), std::string::npos);
  EXPECT_NE(svg.find(">limit<"), std::string::npos);
}

// The frame spans 64 to 464; ends that are given are where the data stand: the middle of 1 to 100 in
// logarithms is 10.
TEST(Chart, PlacesNumbersOnItsAxes) {
  const std::string svg = chart_svg({.across = {.logarithmic = true, .least = 1, .most = 100},
                                     .up = {.least = 0, .most = 10},
                                     .series = {{.name = "line", .points = {{1, 0}, {10, 5}, {100, 10}}}}});
  EXPECT_NE(svg.find("points=\"64.0,440.0 264.0,240.0 464.0,40.0 \""), std::string::npos) << svg;
}

TEST(Chart, HasRoundTicks) {
  const std::string svg = chart_svg(
      {.up = {.least = 0, .most = 100}, .series = {{.name = "line", .points = {{1, 0}, {4, 100}}}}});
  for (const char* tick : {">0<", ">20<", ">40<", ">60<", ">80<", ">100<"})
    EXPECT_NE(svg.find(tick), std::string::npos) << tick;
}

TEST(Chart, RefusesWhatCantBeDrawn) {
  EXPECT_THROW(static_cast<void>(chart_svg({})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(chart_svg({.series = {{.name = "level", .level = 1}}})), InvalidArgument);
  EXPECT_THROW(
      static_cast<void>(chart_svg({.across = {.logarithmic = true}, .series = {{.points = {{0, 1}}}}})),
      InvalidArgument);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(chart_svg({.series = {{.points = {{1, nan}}}}})), InvalidArgument);
}

}  // namespace
}  // namespace privet::report
