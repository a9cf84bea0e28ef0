#include "privet/report/comparison_section.hpp"

#include "report/sample_results.hpp"

namespace privet::report {
namespace {

using privacy::testing::sample_certificate;
using testing::sample_result;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ComparisonFile comparison(const std::vector<methods::CellResult>& results) {
  ComparisonFile file{.file = "results.jsonl"};
  for (const methods::CellResult& result : results)
    file.cells.push_back(cell_from_json(result.to_json(), "file", testing::epsilon_by));
  return file;
}

TEST(ComparisonSection, TellsSmallDifferencesFromLargeOnes) {
  const std::vector<std::string> sentences =
      headlines(comparison({sample_result("mlp", 1, 0.8, sample_certificate()),
                            sample_result("gap", 1, 0.79, sample_certificate()),
                            sample_result("gap", 2, 0.9, sample_certificate()),
                            sample_result("gap", 4, 0.95, sample_certificate())}));
  ASSERT_EQ(sentences.size(), 2U);  // the smallest and the largest budget
  EXPECT_TRUE(
      has(sentences[0], "1.0 points below features alone (mlp: 80.0 %), which is within the intervals"))
      << sentences[0];
  EXPECT_TRUE(has(sentences[1], "15.0 points above features alone (mlp: 80.0 %).")) << sentences[1];
}

TEST(ComparisonSection, SaysWhereNothingIsGuaranteed) {
  const std::vector<std::string> sentences =
      headlines(comparison({sample_result("mlp", 1, 0.8, sample_certificate()),
                            sample_result("dpdgc", 1, 0.9, privacy::testing::unsound_certificate())}));
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_TRUE(has(sentences[0], "On friends, none of the methods that were compared has a guarantee"))
      << sentences[0];
}

TEST(ComparisonSection, SaysWhatAnEdgeCostsWhereTheUnitIsABit) {
  ComparisonFile file = comparison({sample_result("hpgr", 1, 0.7, sample_certificate()),
                                    sample_result("hpgr", 1, 0.9, sample_certificate())});
  EXPECT_FALSE(has(comparison_section(file, 1).body.html, "epsilon of an undirected edge"));
  testing::make_local(file.cells[0], 1);
  testing::make_local(file.cells[1], 1.75);
  file.cells[1].certificate.rigor = privacy::Rigor::kPaper;
  const std::vector<std::string> sentences = headlines(file);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_TRUE(has(sentences[0], "(1 for an undirected edge), hpgr classifies")) << sentences[0];
  EXPECT_TRUE(has(sentences[1], "(1.75 for an undirected edge), hpgr in paper rigor classifies"))
      << sentences[1];
  const std::string html = comparison_section(file, 1).body.html;
  EXPECT_TRUE(has(html, "epsilon of an undirected edge")) << html;
  EXPECT_TRUE(has(html, ">1.75<")) << html;
}

// Under a unit that protects features, mlp is no method with a guarantee.
TEST(ComparisonSection, SaysWhereFeaturesAloneAreNotProtected) {
  const std::vector<std::string> sentences =
      headlines(comparison({sample_result("mlp", {}, 0.8, testing::open_certificate()),
                            sample_result("gap", 1, 0.7, sample_certificate())}));
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_TRUE(has(sentences[0], "features alone without any privacy")) << sentences[0];
}

TEST(ComparisonSection, SaysInHowManyRunsTheGraphAnswers) {
  methods::CellResult gated = sample_result("gap", 2, 0.8, sample_certificate());
  const methods::CellResult plain = sample_result("gcn", {}, 0.95, testing::open_certificate());
  EXPECT_FALSE(has(comparison_section(comparison({gated, plain}), 1).body.html, "graph answers in"));
  gated.runs[0]["findings"] = {{"classifier reads", "features and graph"}};
  gated.runs[1]["findings"] = {{"classifier reads", "features alone; the graph was no better"}};
  const std::string html = comparison_section(comparison({gated, plain}), 1).body.html;
  EXPECT_TRUE(has(html, "graph answers in"));
  EXPECT_TRUE(has(html, ">1 of 2<"));
  EXPECT_TRUE(has(html, "found no better than the features alone"));
  // What is no finding is none, whatever its shape.
  for (const Json& odd : {Json("x"), Json::array({1}), Json{{"classifier reads", 3}}}) {
    for (Json& run : gated.runs) run["findings"] = odd;
    EXPECT_EQ(gated.graph_answers_in(), "") << odd;
  }
}

TEST(ComparisonSection, ShowsEveryResultOnceWithRunsTimeAndMemory) {
  privacy::Certificate free = sample_certificate();
  free.releases.clear();
  free.epsilon = 0;
  free.epsilon_lower = 0;
  methods::CellResult unmeasured = sample_result("gap", 2, 0.5, sample_certificate());
  for (Json& run : unmeasured.runs) run["test_accuracy"] = nullptr;
  unmeasured.cell.evaluate = false;
  const Section section =
      comparison_section(comparison({sample_result("mlp", 1, 0.8, free), sample_result("mlp", 4, 0.8, free),
                                     unmeasured, sample_result("gap", 2, 0.8, sample_certificate()),
                                     sample_result("gap", 2, 0.8, sample_certificate()),
                                     sample_result("dpdgc", 1, 0.9, privacy::testing::unsound_certificate()),
                                     sample_result("gcn", {}, 0.95, testing::open_certificate())}),
                         2);
  const std::string& html = section.body.html;
  EXPECT_EQ(section.id, "comparison-2");
  EXPECT_EQ(html.find(">mlp</th>"), html.rfind(">mlp</th>"));  // it costs nothing at any budget
  std::size_t gaps = 0;
  for (std::size_t at = html.find(">gap</th>"); at != std::string::npos; at = html.find(">gap</th>", at + 1))
    ++gaps;
  EXPECT_EQ(gaps, 3U);  // what was bought twice stands there twice
  for (const char* part : {"not measured", "NOT SOUND: 1 is claimed only", "none: no privacy",
                           "<td class=\"number\">80.0 \u00b1 1.3 %</td>", "<td class=\"number\">0.50</td>",
                           "protects whether any one pair of nodes is joined"})
    EXPECT_TRUE(has(html, part)) << part;
}

}  // namespace
}  // namespace privet::report
