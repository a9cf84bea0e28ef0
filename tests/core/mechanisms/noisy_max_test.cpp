#include "privet/core/mechanisms/noisy_max.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

using Scores = Secret<std::vector<double>>;

Sensitivity score_by(double each) {
  return Sensitivity::stated(Unit::edge(), {.each = each, .value = "score", .argument = "test"});
}

double epsilon_of(const NoisyMax& mechanism) { return std::get<PureEvent>(mechanism.event().kind()).epsilon; }

TEST(NoisyMax, SaysWhatItCosts) {
  for (const double each : {0.001, 1.0, 3.0, 1e6}) {
    const NoisyMax mechanism(score_by(each), Epsilon(1.5));
    EXPECT_LE(epsilon_of(mechanism), 1.5);
    EXPECT_GE(epsilon_of(mechanism), 1.5 * (1 - 1e-9));
  }
}

// Permute and flip on three candidates, by hand: with flip probabilities 1, a, b the best is taken unless one
// of the others comes first and is taken.
TEST(NoisyMax, HasTheLawOfPermuteAndFlip) {
  const NoisyMax mechanism(score_by(1), Epsilon(1));
  const Scores scores(std::vector<double>{3, 2, 0});
  const double a = std::exp(-0.5);
  const double b = std::exp(-1.5);
  // Orders in which 1 comes before 0: (1,0,2) (1,2,0) a each, (2,1,0) (1-b) a; the same for 2.
  const double take_1 = (2 * a + (1 - b) * a) / 6;
  const double take_2 = (2 * b + (1 - a) * b) / 6;
  constexpr int kRounds = 100000;
  int counts[3] = {};
  ReleaseLog log;
  SeededStream stream(1);
  for (int round = 0; round < kRounds; ++round) ++counts[mechanism.release(scores, 3, "best", log, stream)];
  // Five standard deviations: a false alarm in a million.
  EXPECT_NEAR(counts[1], kRounds * take_1, 5 * std::sqrt(kRounds * take_1));
  EXPECT_NEAR(counts[2], kRounds * take_2, 5 * std::sqrt(kRounds * take_2));
}

TEST(NoisyMax, IsTotal) {
  const NoisyMax mechanism(score_by(1), Epsilon(1));
  ReleaseLog log;
  const auto chosen = [&](std::vector<double> scores) {
    std::vector<std::size_t> all;
    SeededStream stream(2);
    const Scores secret(std::move(scores));
    for (int i = 0; i < 50; ++i) all.push_back(mechanism.release(secret, 3, "best", log, stream));
    return all;
  };
  const auto even = chosen({7, 7, 7});
  EXPECT_EQ(chosen({}), even);
  EXPECT_EQ(chosen({1, 2}), even);
  const double nan = std::nan("");
  EXPECT_EQ(chosen({nan, nan, nan}), even);
  EXPECT_EQ(chosen({HUGE_VAL, -HUGE_VAL, nan}), std::vector<std::size_t>(50, 0));
}

TEST(NoisyMax, TheStreamsPositionTellsNothing) {
  const NoisyMax mechanism(score_by(1), Epsilon(1));
  ReleaseLog log;
  SeededStream first(3);
  SeededStream second(3);
  (void)mechanism.release(Scores(std::vector<double>{0, 50, 0}), 3, "best", log, first);
  (void)mechanism.release(Scores(std::vector<double>{0, 0, 0}), 3, "best", log, second);
  EXPECT_EQ(first.bits(), second.bits());
}

TEST(NoisyMax, RefusesNonsense) {
  ReleaseLog log;
  SeededStream stream(4);
  EXPECT_THROW(NoisyMax(score_by(1), Epsilon(0)), InvalidArgument);
  EXPECT_THROW((void)NoisyMax(score_by(1), Epsilon(1)).release(Scores({}), 0, "best", log, stream),
               InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
