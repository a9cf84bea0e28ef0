#include "privet/audit/attacks/lira.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/attacks/worlds.hpp"
#include "privet/methods/features/mlp.hpp"

namespace privet::audit {
namespace {

std::vector<AttackResult> attack(const std::string& epochs, const std::string& rate) {
  const graph::Dataset data = alike_neighbors(300, 0.2);
  methods::Mlp mlp;
  OptionTable table = mlp.options();
  table.set("epochs", epochs);
  table.set("learning_rate", rate);
  table.set("dropout", "0");
  table.set("batch_norm", "no");
  const SeededStream root(9);
  return lira(mlp, open_request(data), data, half_split(data), 12, root);
}

TEST(LiraTest, AnOverfittedModelTellsItsMembers) {
  for (const AttackResult& result : attack("150", "0.01")) {
    EXPECT_GT(result.roc->auc, 0.6) << result.variant;
    EXPECT_EQ(result.present, 150U);
  }
}

// Steps of 1e-9 leave the weights as they began: no label was ever seen. Coins with 150 and 150 are within
// 0.5 +- 0.14 but once in 30000.
TEST(LiraTest, AModelThatNeverSawLabelsTellsNothing) {
  for (const AttackResult& result : attack("1", "1e-9")) EXPECT_NEAR(result.roc->auc, 0.5, 0.14);
}

// Statistics by hand: variances of "in" and "out" must not be mixed up. In: deviations +-1 from each mean, so
// 2 / (2 - 1) per node; out: +-3, so 18 / (2 - 1) per node.
TEST(LiraTest, ScoresByHand) {
  const ShadowStatistics shadows{{{9, 3}, {11, -3}, {3, 9}, {-3, 11}},
                                 {{true, false}, {true, false}, {false, true}, {false, true}}};
  const std::vector<double> target = {6, -6};
  const std::vector<double> online = lira_scores(shadows, target, LiraKind::online);
  const auto expected = [](double x) {
    return -(x - 10) * (x - 10) / (2 * 2) - std::log(2.0) / 2 + x * x / (2 * 18) + std::log(18.0) / 2;
  };
  EXPECT_NEAR(online[0], expected(6), 1e-12);
  EXPECT_NEAR(online[1], expected(-6), 1e-12);
  const std::vector<double> offline = lira_scores(shadows, target, LiraKind::offline);
  EXPECT_NEAR(offline[0], 6 / std::sqrt(18.0), 1e-12);
  EXPECT_NEAR(offline[1], -6 / std::sqrt(18.0), 1e-12);
}

TEST(LiraTest, TheStatisticReadsTheColumnOfTheLabel) {
  const std::vector<float> scores = {1, 4, 2};
  const double sum = std::exp(1.0) + std::exp(4.0) + std::exp(2.0);
  for (std::int32_t label = 0; label < 3; ++label) {
    const double p = std::exp(static_cast<double>(scores[static_cast<std::size_t>(label)])) / sum;
    EXPECT_NEAR(label_logit(scores, label), std::log(p / (1 - p)), 1e-6);
  }
  EXPECT_NEAR(label_logit(std::vector<float>{900, 0}, 0), 900, 1e-3);
}

}  // namespace
}  // namespace privet::audit
