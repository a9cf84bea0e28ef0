#include "privet/core/noise/discrete_gaussian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/simulation.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

TEST(DiscreteGaussian, HasTheRightLaw) {
  SeededStream stream(1);
  constexpr std::uint64_t kDraws = 200000;
  constexpr std::int64_t kSpan = 120;
  for (const Ratio variance : {Ratio{1, 4}, {1, 1}, {10, 3}, {400, 1}}) {
    std::vector<std::uint64_t> counts(2 * kSpan + 1);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const std::int64_t k = discrete_gaussian(stream, variance);
      if (std::abs(k) <= kSpan) ++counts[static_cast<std::size_t>(k + kSpan)];
    }
    std::vector<double> mass;
    for (std::int64_t k = -kSpan; k <= kSpan; ++k) {
      mass.push_back(std::exp(-static_cast<double>(k * k) / (2 * variance.value())));
    }
    const double total = std::accumulate(mass.begin(), mass.end(), 0.0);
    for (double& m : mass) m /= total;
    EXPECT_GT(testing::chance_of(counts, mass, kDraws), 1e-6) << variance.value();  // the false-alarm rate
  }
}

TEST(DiscreteGaussian, WorksAtTheLargestVariance) {
  SeededStream stream(2);
  const Ratio variance = variance_at_least(0x1p20);
  double squares = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const double value = static_cast<double>(discrete_gaussian(stream, variance)) / 0x1p20;
    squares += value * value;
  }
  EXPECT_NEAR(squares / kDraws, 1, 0.05);  // five standard deviations
}

TEST(DiscreteGaussian, VariancesAreRoundedUp) {
  for (const double stddev : {0.01, 0.3, 1.0, 3.7, 1000.1}) {
    const double variance = variance_at_least(stddev).value();
    EXPECT_GE(variance, stddev * stddev);
    EXPECT_LE(variance, stddev * stddev + 0x1p-10 + 1e-9);
  }
}

TEST(DiscreteGaussian, RefusesWhatDoesNotFit) {
  SeededStream stream(3);
  EXPECT_THROW((void)variance_at_least(0), InvalidArgument);
  EXPECT_THROW((void)variance_at_least(0x1p21), InvalidArgument);
  EXPECT_THROW((void)variance_at_least(std::nan("")), InvalidArgument);
  EXPECT_THROW((void)discrete_gaussian(stream, {1, 2048}), InvalidArgument);
  EXPECT_THROW((void)discrete_gaussian(stream, {0, 1}), InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
