#include "privet/privacy/noise/gaussian.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/simulation.hpp"
#include "privet/base/parallel.hpp"

namespace privet::privacy {
namespace {

constexpr double kFalseAlarm = 1e-6;  // of each comparison of counts

double below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

TEST(Gaussian, HasTheRightLaw) {
  SeededStream stream(1);
  std::vector<double> values(1000000);
  fill_gaussian(stream, values);
  std::vector<std::uint64_t> counts(100);
  std::vector<double> mass;
  for (int cell = 0; cell < 100; ++cell)
    mass.push_back(below(-5 + 0.1 * (cell + 1)) - below(-5 + 0.1 * cell));
  for (const double value : values) {
    ASSERT_TRUE(std::isfinite(value));
    const double cell = std::floor((value + 5) * 10);
    if (cell >= 0 && cell < 100) ++counts[static_cast<std::size_t>(cell)];
  }
  EXPECT_GT(testing::chance_of(counts, mass, values.size()), kFalseAlarm);
}

TEST(Gaussian, TheTwoOfAPairAreIndependent) {
  SeededStream stream(2);
  std::vector<double> values(1000000);
  fill_gaussian(stream, values);
  double product = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    product += values[i] * values[i + 1];
    squares += (values[i] * values[i] - 1) * (values[i + 1] * values[i + 1] - 1);
  }
  const double pairs = static_cast<double>(values.size()) / 2;
  EXPECT_NEAR(product / pairs, 0, 5 / std::sqrt(pairs));  // five standard deviations
  EXPECT_NEAR(squares / pairs, 0, 10 / std::sqrt(pairs));
}

TEST(Gaussian, OddCountsAreFilled) {
  SeededStream stream(3);
  std::vector<double> three(3, 99.0);
  fill_gaussian(stream, three);
  for (const double value : three) EXPECT_LT(std::abs(value), 14);
}

TEST(RoundedGaussian, HasTheRightLaw) {
  SeededStream stream(4);
  for (const std::size_t size : {std::size_t{64}, std::size_t{65536}}) {  // word by word, and in pieces
    std::vector<std::uint64_t> counts(41);
    std::uint64_t draws = 0;
    std::vector<std::int32_t> values(size);
    while (draws < 400000) {
      fill_rounded_gaussian(stream, 3.3, values);
      draws += values.size();
      for (const std::int32_t value : values) {
        if (std::abs(value) <= 20) ++counts[static_cast<std::size_t>(value + 20)];
      }
    }
    std::vector<double> mass;
    for (int k = -20; k <= 20; ++k) mass.push_back(below((k + 0.5) / 3.3) - below((k - 0.5) / 3.3));
    EXPECT_GT(testing::chance_of(counts, mass, draws), kFalseAlarm);
  }
}

TEST(RoundedGaussian, DoesNotDependOnThreads) {
  std::vector<std::int32_t> one(100001);
  std::vector<std::int32_t> many(one.size());
  const std::size_t before = thread_count();
  set_thread_count(1);
  SeededStream first(5);
  fill_rounded_gaussian(first, 1e5, one);
  set_thread_count(3);
  SeededStream second(5);
  fill_rounded_gaussian(second, 1e5, many);
  set_thread_count(before);
  EXPECT_EQ(one, many);
}

// With forks by a fixed name a replayable stream would give the same noise twice, and the difference of two
// releases would show the data.
TEST(RoundedGaussian, NeverRepeatsItsNoise) {
  SeededStream stream(6);
  std::vector<std::int32_t> first(50000);
  std::vector<std::int32_t> second(first.size());
  fill_rounded_gaussian(stream, 1e6, first);
  fill_rounded_gaussian(stream, 1e6, second);
  std::size_t same = 0;
  for (std::size_t i = 0; i < first.size(); ++i) same += first[i] == second[i];
  EXPECT_LT(same, 20u);  // by chance one in 3.5 million values
}

}  // namespace
}  // namespace privet::privacy
