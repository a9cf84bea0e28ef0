#include "privet/audit/attacks/link_stealing.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/attacks/worlds.hpp"
#include "privet/methods/features/mlp.hpp"
#include "privet/methods/plain/gcn.hpp"

namespace privet::audit {
namespace {

// By hand: a = (1, 0, 3), b = (2, 2, 1).
TEST(LinkStealingTest, DistancesByTheirDefinitions) {
  const std::array<double, 3> a = {1, 0, 3};
  const std::array<double, 3> b = {2, 2, 1};
  const auto all = distances(a, b);
  EXPECT_NEAR(all[0], 1 - 5 / std::sqrt(10.0 * 9), 1e-12);
  EXPECT_NEAR(all[1], 3, 1e-12);
  // Less the means 4/3 and 5/3: (-1, -4, 5)/3 and (1, 1, -2)/3, product -15/9, squares 42/9 and 6/9.
  EXPECT_NEAR(all[2], 1 + 15 / std::sqrt(42.0 * 6), 1e-12);
  EXPECT_NEAR(all[3], 2, 1e-12);
  EXPECT_NEAR(all[4], 5.0 / 9, 1e-12);
  EXPECT_NEAR(all[5], 1.0 / 3 + 1 + 0.5, 1e-12);
  EXPECT_NEAR(all[6], 5, 1e-12);
  EXPECT_NEAR(all[7], 9, 1e-12);
}

TEST(LinkStealingTest, RowsThatAreNothingCountAsZero) {
  const std::array<double, 2> nothing = {0, 0};
  for (const double distance : distances(nothing, nothing)) EXPECT_EQ(distance, 0);
}

// Alike rows must score high: with the sign turned, or the wrong columns, the areas would be 0.
TEST(LinkStealingTest, AlikeMeansJoined) {
  const std::vector<double> rows = {0.9, 0.1, 0.0, 0.88, 0.1, 0.02, 0.0, 0.2, 0.8, 0.05, 0.15, 0.8};
  const std::vector<double> mean = {0.4575, 0.1375, 0.405};
  const std::vector<CandidatePair> pairs = {{0, 1, true}, {2, 3, true}, {0, 2, false}, {1, 3, false}};
  const std::vector<AttackResult> results = compare_rows("", rows, mean, pairs);
  ASSERT_EQ(results.size(), kDistances + 1);
  for (const AttackResult& result : results) EXPECT_EQ(result.roc->auc, 1) << result.variant;
}

TEST(LinkStealingTest, PosteriorsOfANetworkOnTheGraphShowMoreThanFeatures) {
  const graph::Dataset data = alike_neighbors(600, 0.6);
  SeededStream stream(4);
  const std::vector<CandidatePair> pairs = draw_pairs(data, PairChoice::balanced, 500, stream);
  methods::Gcn gcn;
  gcn.options().set("epochs", "60");
  const SeededStream root(6);
  const Target target = train_target(gcn, open_request(data), data, half_split(data), root);
  const std::vector<AttackResult> posterior = link_stealing(target, pairs);
  const std::vector<AttackResult> features = link_stealing_baseline(data, pairs);
  EXPECT_EQ(posterior.front().variant, "centred cosine");
  EXPECT_EQ(features.front().variant, "features: centred cosine");
  EXPECT_GT(posterior.front().roc->low, features.front().roc->high);
  EXPECT_GT(features.front().roc->low, 0.5);
}

}  // namespace
}  // namespace privet::audit
