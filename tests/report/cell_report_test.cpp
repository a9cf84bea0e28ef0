#include "privet/report/cell_report.hpp"

#include "report/sample_results.hpp"

#include "privet/base/error.hpp"

namespace privet::report {
namespace {

using privacy::testing::sample_certificate;
using testing::epsilon_by;
using testing::line_of;
using testing::sample_result;

std::string message_of(const Json& document) {
  try {
    static_cast<void>(cell_from_json(document, "file", epsilon_by));
  } catch (const DataError& error) {
    return error.what();
  }
  return "nothing is wrong";
}

TEST(CellReport, ReadsWhatCompareWrites) {
  methods::CellResult result = sample_result("ballot", 1, 0.8, sample_certificate());
  result.cell.preset = "small";
  result.cell.assignments = {"hops=2"};
  result.cell.published = 81;
  const CellReport cell = cell_from_json(result.to_json(), "file", epsilon_by);
  EXPECT_EQ(cell.label(), "ballot:small (hops=2)");
  EXPECT_EQ(cell.data(), "friends");
  EXPECT_DOUBLE_EQ(*cell.accuracy, 0.8);
  EXPECT_DOUBLE_EQ(*cell.half_width, result.accuracy_ci95());
  EXPECT_EQ(cell.seconds, 0.5);
  EXPECT_EQ(cell.certificate.epsilon, sample_certificate().epsilon);
  EXPECT_EQ(cell.result.cell.published, 81);
  EXPECT_EQ(line_of(cell.result).substr(0, 40), line_of(result).substr(0, 40));
}

// Two runs compose: the bound is that of the releases twice over, or what the file says if that is more.
TEST(CellReport, BoundsAllRunsTogether) {
  const privacy::Certificate c = sample_certificate();
  const double twice = privacy::printed_epsilon(
      epsilon_by(privacy::repeated(privacy::total_event(c), 2), privacy::Delta(c.delta), c.accountant));
  Json document = sample_result("ballot", 1, 0.8, c).to_json();
  document["all_runs_epsilon"] = twice / 2;
  EXPECT_EQ(cell_from_json(document, "file", epsilon_by).all_runs_epsilon, twice);
  document["all_runs_epsilon"] = 2 * twice;
  EXPECT_EQ(cell_from_json(document, "file", epsilon_by).all_runs_epsilon, 2 * twice);
}

TEST(CellReport, RefusesACertificateThatSaysLessThanItsReleasesCost) {
  privacy::Certificate c = sample_certificate();
  c.epsilon = *c.epsilon / 2;
  c.epsilon_lower.reset();
  EXPECT_NE(message_of(sample_result("ballot", 1, 0.8, c).to_json()).find("more than it says"),
            std::string::npos);
}

TEST(CellReport, RefusesWhatIsMissingOrContradictsTheCertificate) {
  const Json good = sample_result("ballot", 1, 0.8, sample_certificate()).to_json();
  EXPECT_EQ(message_of(good), "nothing is wrong");
  for (const char* key :
       {"method", "data", "unit", "rigor", "epsilon", "delta", "runs", "test_accuracy", "certificate"}) {
    Json bad = good;
    bad.erase(key);
    EXPECT_NE(message_of(bad).find(key), std::string::npos) << key << ": " << message_of(bad);
  }
  Json other = good;
  other["unit"] = "record";
  EXPECT_NE(message_of(other).find("on the certificate 'edge'"), std::string::npos);
}

TEST(CellReport, NamesFileAndLineOfWhatIsCutOff) {
  const testing::TestFolder folder;
  const std::string line = line_of(sample_result("ballot", 1, 0.8, sample_certificate()));
  folder.write("results.jsonl", line + line.substr(0, 100));
  try {
    static_cast<void>(folder.read());
    FAIL() << "read";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("results.jsonl, line 2: not valid JSON"), std::string::npos)
        << error.what();
  }
}

TEST(CellReport, ALineSaysWhatItsCertificateSays) {
  const Json line = testing::sample_result("gap", 1, 0.8, privacy::testing::sample_certificate()).to_json();
  EXPECT_NO_THROW((void)cell_from_json(line, "line", testing::epsilon_by));
  for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{
           {"unit", "record"}, {"rigor", "paper"}, {"epsilon", 0.05}, {"delta", 1e-12}}) {
    Json edited = line;
    edited[key] = value;
    EXPECT_THROW((void)cell_from_json(edited, "line", testing::epsilon_by), DataError) << key;
  }
}

TEST(CellReport, WithoutABudgetNoUnitIsProtected) {
  Json line = testing::sample_result("mlp", {}, 0.8, testing::open_certificate()).to_json();
  line["unit"] = "edge";
  EXPECT_EQ(cell_from_json(line, "line", testing::epsilon_by).result.cell.unit, "none");
}

}  // namespace
}  // namespace privet::report
