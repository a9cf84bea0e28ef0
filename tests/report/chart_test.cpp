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

TEST(Chart, WritesEveryNumberThatWasGivenInRowsWhereTheyAreClose) {
  const std::string svg = chart_svg({.across = {.logarithmic = true, .ticks = {0.5, 1, 1.01, 1.02, 8}},
                                     .series = {{.name = "line", .points = {{0.5, 0}, {8, 1}}}}});
  for (const char* row :
       {"y=\"458.0\" text-anchor=\"middle\">0.5<", "y=\"458.0\" text-anchor=\"middle\">1<",
        "y=\"472.0\" text-anchor=\"middle\">1.01<", "y=\"486.0\" text-anchor=\"middle\">1.02<",
        "y=\"458.0\" text-anchor=\"middle\">8<"})
    EXPECT_NE(svg.find(row), std::string::npos) << row << svg;
}

// Two intervals at one place stand five pixels apart, the line with the dots with them; lines without
// intervals stay where they are.
TEST(Chart, MovesIntervalsApart) {
  const Axis across{.least = 0, .most = 2};
  const Axis up{.least = 0, .most = 10};
  const std::string apart = chart_svg({.across = across,
                                       .up = up,
                                       .series = {{.name = "a", .points = {{1, 5, 1}}},
                                                  {.name = "b", .points = {{1, 5, 2}}},
                                                  {.name = "c", .points = {{1, 5}}}}});
  for (const char* place : {"<circle cx=\"261.5\"", "<circle cx=\"266.5\"", "<circle cx=\"264.0\"",
                            "<line x1=\"261.5\" x2=\"261.5\"", "<line x1=\"266.5\" x2=\"266.5\""})
    EXPECT_NE(apart.find(place), std::string::npos) << place << apart;
  const std::string alone =
      chart_svg({.across = across,
                 .up = up,
                 .series = {{.name = "a", .points = {{1, 5, 1}}}, {.name = "b", .points = {{2, 5, 2}}}}});
  EXPECT_NE(alone.find("<circle cx=\"264.0\""), std::string::npos);
}

TEST(Chart, TellsLinesOfOneNameApart) {
  const std::string svg =
      chart_svg({.series = {{.name = "line", .points = {{1, 0}}}, {.name = "line", .points = {{2, 0}}}}});
  EXPECT_EQ(occurrences(svg, ">line<"), 1U);
  EXPECT_EQ(occurrences(svg, ">line (2)<"), 1U);
}

TEST(Chart, SaysInWordsWhatItShows) {
  const std::string svg = chart_svg(
      {.title = "a < b",
       .across = {.label = "epsilon"},
       .up = {.label = "accuracy"},
       .series = {{.name = "one", .points = {{1, 50, 2}, {2, 60}}}, {.name = "limit", .level = 80}}});
  EXPECT_NE(svg.find("<title>a &lt; b</title>\n<desc>accuracy over epsilon. one: 50 at 1 (give or take 2), "
                     "60 at 2. limit: 80 "
                     "throughout.</desc>"),
            std::string::npos)
      << svg;
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
