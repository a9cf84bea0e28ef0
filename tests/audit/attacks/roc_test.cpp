#include "privet/audit/attacks/roc.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"

namespace privet::audit {
namespace {

double area_by_pairs(const Scored& scored) {
  double sum = 0;
  for (const double a : scored.present) {
    for (const double b : scored.absent) sum += a > b ? 1 : a == b ? 0.5 : 0;
  }
  return sum / static_cast<double>(scored.present.size() * scored.absent.size());
}

double area_below(const std::vector<RocPoint>& curve) {
  double sum = 0;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    sum += (curve[i].false_positive_rate - curve[i - 1].false_positive_rate) *
           (curve[i].true_positive_rate + curve[i - 1].true_positive_rate) / 2;
  }
  return sum;
}

// Two normals whose means are `apart`: the true area is Phi(apart / sqrt(2)).
Scored normals(std::size_t present, std::size_t absent, double apart, RandomStream& stream) {
  Scored scored;
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(stream.uniform_positive())) * std::cos(2 * M_PI * stream.uniform());
  };
  for (std::size_t i = 0; i < present; ++i) scored.present.push_back(normal() + apart);
  for (std::size_t i = 0; i < absent; ++i) scored.absent.push_back(normal());
  return scored;
}

TEST(RocTest, AreaCountsPairsWithTiesHalf) {
  SeededStream stream(1);
  for (int run = 0; run < 30; ++run) {
    Scored scored;
    for (int i = 0; i < 40; ++i) scored.present.push_back(static_cast<double>(stream.below(6)) + run % 3);
    for (int i = 0; i < 25; ++i) scored.absent.push_back(static_cast<double>(stream.below(6)));
    const Roc roc = measure_roc(scored);
    EXPECT_NEAR(roc.auc, area_by_pairs(scored), 1e-12);
    EXPECT_NEAR(roc.auc, area_below(roc_curve(scored)), 1e-12);
  }
}

TEST(RocTest, AnAreaBelowOneHalfIsNotTurnedRound) {
  const Roc roc = measure_roc({{1, 2}, {3, 4, 2}});
  EXPECT_NEAR(roc.auc, 0.5 / 6, 1e-12);
  EXPECT_NEAR(roc.auc_two_sided(), 1 - 0.5 / 6, 1e-12);
}

TEST(RocTest, EqualScoresSayNothing) {
  const Roc roc = measure_roc({std::vector<double>(10, 0), std::vector<double>(7, 0)});
  EXPECT_EQ(roc.auc, 0.5);
  EXPECT_EQ(roc.tpr_at_one_percent, 0);
  EXPECT_NEAR(roc.high - roc.low, 1 - std::pow(0.025, 1.0 / 7), 1e-12);
}

TEST(RocTest, RatesAtFewFalseAlarms) {
  Scored scored;
  for (int i = 0; i < 1000; ++i) scored.absent.push_back(i);
  scored.present = {2000, 999.5, 998.5, 989.5, 5};  // 0, 0, 1, 10 and 994 of those who are not score more
  const Roc roc = measure_roc(scored);
  EXPECT_NEAR(roc.tpr_at_one_permille, 0.6, 1e-12);
  EXPECT_NEAR(roc.tpr_at_one_percent, 0.8, 1e-12);
}

// A perfect record of k comparisons that share nobody has probability a^k: the interval must leave room.
TEST(RocTest, APerfectRecordIsNotCertain) {
  const Roc roc = measure_roc({std::vector<double>(10, 1), std::vector<double>(400, 0)});
  EXPECT_EQ(roc.auc, 1);
  EXPECT_EQ(roc.high, 1);
  EXPECT_NEAR(roc.low, std::pow(0.025, 0.1), 1e-12);
}

// 2000 intervals cover with probability 0.95; fewer than 1870 or more than 1940 have probability 3e-4 each
// where coverage is 0.95 exactly, and DeLong's is within one percent of it at these sizes.
TEST(RocTest, IntervalsCoverTheTrueArea) {
  for (const double apart : {0.0, 1.0, 2.0}) {
    const double truth = 0.5 * std::erfc(-apart / 2);
    SeededStream stream(7);
    int covered = 0;
    for (int run = 0; run < 2000; ++run) {
      const Roc roc = measure_roc(normals(60, 90, apart, stream));
      covered += roc.low <= truth && truth <= roc.high ? 1 : 0;
    }
    EXPECT_GT(covered, 1870) << apart;
    EXPECT_LT(covered, 1940) << apart;
  }
}

TEST(RocTest, OneKindAloneIsRefused) {
  EXPECT_THROW((void)measure_roc({{1, 2}, {}}), InvalidArgument);
  EXPECT_THROW((void)measure_roc({{1, NAN}, {1}}), InvalidArgument);
}

TEST(RocTest, ThinnedCurvesKeepEndsAndArea) {
  SeededStream stream(3);
  const std::vector<RocPoint> curve = roc_curve(normals(5000, 5000, 1, stream));
  const std::vector<RocPoint> few = thinned(curve, 200);
  EXPECT_LE(few.size(), 202U);
  EXPECT_EQ(few.front().false_positive_rate, 0);
  EXPECT_EQ(few.back().true_positive_rate, 1);
  EXPECT_NEAR(area_below(few), area_below(curve), 1e-3);
}

}  // namespace
}  // namespace privet::audit
