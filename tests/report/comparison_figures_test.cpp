#include "privet/report/comparison_figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace privet::report {
namespace {

methods::CellResult result(const std::string& method, std::optional<double> epsilon, double accuracy,
                           std::vector<std::string> options = {}) {
  methods::CellResult made;
  made.cell.method = method;
  made.cell.data = "folder/cora";
  made.cell.unit = epsilon ? "edge" : "none";
  made.cell.epsilon = epsilon;
  made.cell.assignments = std::move(options);
  made.runs = {{{"test_accuracy", accuracy}}, {{"test_accuracy", accuracy}}};
  made.certificate = {{"sound", true}};
  return made;
}

std::vector<std::string> names(const std::vector<Figure>& figures) {
  std::vector<std::string> all;
  for (const Figure& figure : figures) all.push_back(figure.name);
  return all;
}

TEST(ComparisonFigures, DrawBudgetsWithLevelsOfWhatHasNone) {
  const std::vector<Figure> figures = comparison_figures(
      {result("ballot", 1, 0.7), result("ballot", 4, 0.8), result("mlp", {}, 0.6), result("gap", 1, 0.5)});
  ASSERT_EQ(names(figures), std::vector<std::string>{"cora-by-epsilon"});
  EXPECT_NE(figures[0].svg.find(">ballot, edge<"), std::string::npos);
  EXPECT_NE(figures[0].svg.find(">mlp<"), std::string::npos);
  EXPECT_EQ(figures[0].svg.find("gap"), std::string::npos);  // one budget is no line
}

// It runs once for all budgets, as it opens nothing: a level, not a lonely point.
TEST(ComparisonFigures, DrawWhatCostsNothingAsALevel) {
  std::vector<methods::CellResult> results = {result("gap", 1, 0.7), result("gap", 4, 0.8),
                                              result("mlp", 1, 0.6)};
  results[2].certificate = {{"sound", true}, {"epsilon", 0.0}};
  const std::string svg = comparison_figures(results).at(0).svg;
  EXPECT_NE(svg.find(">mlp, edge<"), std::string::npos);
  EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
}

TEST(ComparisonFigures, DrawOptionsThatWereVaried) {
  std::vector<methods::CellResult> results;
  for (const char* hops : {"hops=1", "hops=2", "hops=8"})
    results.push_back(result("caribou", 4, 0.6, {hops, "rows=labels"}));
  results.push_back(result("caribou", 4, 0.6, {"contraction=0.5", "rows=labels"}));
  const std::vector<Figure> figures = comparison_figures(results);
  ASSERT_EQ(names(figures), std::vector<std::string>{"cora-by-hops"});
  EXPECT_NE(figures[0].svg.find("caribou, edge, epsilon 4, rows=labels"), std::string::npos);
}

TEST(ComparisonFigures, WriteEveryBudgetThatWasRun) {
  std::vector<methods::CellResult> results;
  for (const double epsilon : {0.3, 1.0, 3.0, 7.0, 16.0}) results.push_back(result("ballot", epsilon, 0.7));
  const std::string svg = comparison_figures(results).at(0).svg;
  for (const char* tick : {">0.3<", ">1<", ">3<", ">7<", ">16<"})
    EXPECT_NE(svg.find(tick), std::string::npos) << tick;
  EXPECT_EQ(svg.find(">5<"), std::string::npos);  // never run
}

TEST(ComparisonFigures, KeepALineAndItsLimitWithoutNoise) {
  std::vector<methods::CellResult> results = {result("gap", 1, 0.7), result("gap", 4, 0.8),
                                              result("gap", {}, 0.9)};
  results[2].cell.unit = "edge";
  const std::string svg = comparison_figures(results).at(0).svg;
  EXPECT_NE(svg.find(">gap, edge<"), std::string::npos);
  EXPECT_NE(svg.find(">gap, edge, without noise<"), std::string::npos);
}

// Two runs of 20 % and 90 %: the interval reaches from below 0 to above 100.
TEST(ComparisonFigures, KeepToWhatAnAccuracyCanBe) {
  std::vector<methods::CellResult> results = {result("gap", 1, 0.7), result("gap", 4, 0.8)};
  results[0].runs = {{{"test_accuracy", 0.2}}, {{"test_accuracy", 0.9}}};
  const std::string svg = comparison_figures(results).at(0).svg;
  EXPECT_NE(svg.find(">0<"), std::string::npos);
  EXPECT_NE(svg.find(">100<"), std::string::npos);
  EXPECT_EQ(svg.find(">-"), std::string::npos);
  EXPECT_EQ(svg.find(">200<"), std::string::npos);
}

TEST(ComparisonFigures, NameDeltasOnlyWhereTheyDiffer) {
  std::vector<methods::CellResult> results = {result("mlp", 1, 0.6), result("mlp", 4, 0.6),
                                              result("gap", 1, 0.7), result("gap", 4, 0.8)};
  results[2].delta = results[3].delta = 1e-6;  // mlp releases nothing: 0
  const std::string same = comparison_figures(results).at(0).svg;
  EXPECT_NE(same.find(">gap, edge<"), std::string::npos);
  EXPECT_NE(same.find("delta is at most 1e-06."), std::string::npos);
  results[0].delta = results[1].delta = 1e-5;
  const std::string different = comparison_figures(results).at(0).svg;
  EXPECT_NE(different.find(">mlp, edge, delta 1e-05<"), std::string::npos);
  EXPECT_EQ(different.find("delta is at most"), std::string::npos);
}

TEST(ComparisonFigures, NameDataWithoutTheirFolders) {
  EXPECT_EQ(short_name("a/b/cora"), "cora");
  EXPECT_EQ(short_name("a/b/cora//"), "cora");
  EXPECT_EQ(short_name("cora"), "cora");
}

TEST(ComparisonFigures, CallAClaimAClaim) {
  std::vector<methods::CellResult> results = {result("dpdgc", 1, 0.7), result("dpdgc", 4, 0.8)};
  for (methods::CellResult& one : results) {
    one.cell.rigor = privacy::Rigor::kPaper;
    one.certificate["sound"] = false;
  }
  EXPECT_NE(comparison_figures(results)[0].svg.find("paper (claimed)"), std::string::npos);
}

TEST(ComparisonFigures, KeepSplitsApart) {
  std::vector<methods::CellResult> results = {result("ballot", 1, 0.7), result("ballot", 4, 0.8),
                                              result("ballot", 1, 0.4), result("ballot", 4, 0.5)};
  results[2].cell.split = results[3].cell.split = "10/10/80";
  const std::string svg = comparison_figures(results).at(0).svg;
  EXPECT_NE(svg.find("ballot, edge, 75/10/15"), std::string::npos);
  EXPECT_NE(svg.find("ballot, edge, 10/10/80"), std::string::npos);
}

}  // namespace
}  // namespace privet::report
