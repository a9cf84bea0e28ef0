#include "privet/report/budget_rows.hpp"

#include "report/sample_results.hpp"

namespace privet::report {
namespace {

using privacy::testing::sample_certificate;
using privacy::testing::unsound_certificate;

CellReport cell(const std::string& method, std::optional<double> epsilon, double accuracy,
                const privacy::Certificate& certificate = sample_certificate()) {
  return cell_from_json(testing::sample_result(method, epsilon, accuracy, certificate).to_json(), "file",
                        testing::epsilon_by);
}

TEST(BudgetRows, NameTheMostAccurateWithAGuaranteeAtEachBudget) {
  const std::vector<CellReport> cells = {cell("ballot", 4, 0.8), cell("gap", 1, 0.5), cell("ballot", 1, 0.7),
                                         cell("mlp", 1, 0.9)};
  const std::vector<BudgetRow> rows = budget_rows(cells);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].best, &cells[2]);
  EXPECT_EQ(rows[1].best, &cells[0]);
  EXPECT_EQ(rows[0].features_alone, &cells[3]);
  EXPECT_NEAR(rows[0].gain(), -20, 1e-9);
  EXPECT_TRUE(rows[0].is_with(rows[1]));
}

TEST(BudgetRows, PassOverWhatHasNoGuarantee) {
  EXPECT_TRUE(budget_rows({cell("dpdgc", 1, 0.99, unsound_certificate()),
                           cell("gcn", {}, 0.99, testing::open_certificate())})
                  .empty());
}

TEST(BudgetRows, KeepDataAndSplitsApart) {
  std::vector<CellReport> cells = {cell("ballot", 1, 0.8), cell("ballot", 1, 0.7), cell("mlp", 1, 0.5)};
  cells[1].result.cell.split = "10/10/80";
  const std::vector<BudgetRow> rows = budget_rows(cells);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_FALSE(rows[0].is_with(rows[1]));
  EXPECT_EQ(rows[0].features_alone, &cells[2]);
  EXPECT_EQ(rows[1].features_alone, nullptr);
}

// The same number of a certificate is another promise where both ends of an edge tell.
TEST(BudgetRows, KeepPricesOfAnEdgeApart) {
  std::vector<CellReport> cells = {cell("hpgr", 1, 0.7), cell("blink", 1, 0.6), cell("hpgr", 1, 0.9),
                                   cell("mlp", 1, 0.5)};
  const double bit = *cells[0].certificate.epsilon;
  testing::make_local(cells[0], bit);
  testing::make_local(cells[1], bit);
  testing::make_local(cells[2], 2 * bit);
  cells[3].certificate.unit = "local-edge";
  const std::vector<BudgetRow> rows = budget_rows(cells);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].best, &cells[0]);
  EXPECT_EQ(rows[1].best, &cells[2]);
  EXPECT_FALSE(rows[0].is_with(rows[1]));
  EXPECT_EQ(rows[0].features_alone, &cells[3]);
  EXPECT_EQ(rows[1].features_alone, &cells[3]);
}

}  // namespace
}  // namespace privet::report
