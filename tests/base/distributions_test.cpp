#include "privet/base/distributions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "privet/base/error.hpp"

namespace privet {
namespace {

// Every statistical check below fails a right sampler with probability below 1e-6 (five standard deviations).
constexpr int kDraws = 200'000;

TEST(Distributions, NormalHasTheRightMomentsAndTails) {
  SeededStream stream(31);
  double sum = 0;
  double squares = 0;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = standard_normal(stream);
    sum += x;
    squares += x * x;
    beyond_two += std::abs(x) > 2;
  }
  EXPECT_NEAR(sum / kDraws, 0, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
  const double p = std::erfc(std::sqrt(2.0));
  EXPECT_NEAR(beyond_two / static_cast<double>(kDraws), p, 5 * std::sqrt(p * (1 - p) / kDraws));
}

TEST(Distributions, ExponentialHasMeanAndVarianceOne) {
  SeededStream stream(32);
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += exponential(stream);
  EXPECT_NEAR(sum / kDraws, 1, 5 / std::sqrt(kDraws));
}

TEST(GeometricSkip, SuccessesComeAtTheirRate) {
  SeededStream stream(33);
  for (const double p : {0.5, 0.03, 1e-6}) {
    const GeometricSkip skip(p);
    const double expected = (1 - p) / p;
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) sum += static_cast<double>(skip(stream, 1'000'000'000));
    EXPECT_NEAR(sum / kDraws, expected, 5 * std::sqrt(1 - p) / p / std::sqrt(kDraws)) << p;
  }
}

// The same words through std::log: a skip differs only where rounding decides, a chance of about 1e-9 each.
TEST(GeometricSkip, ManyAtOnceAreThoseOneByOne) {
  for (const double p : {1.0, 0.9, 0.5, 0.03, 8e-5, 1e-6}) {
    SeededStream stream(36);
    SeededStream same(36);
    const GeometricSkip skip(p);
    std::vector<std::uint64_t> skips(kDraws);
    skip.fill(stream, skips);
    for (const std::uint64_t drawn : skips) ASSERT_EQ(drawn, skip(same, std::uint64_t{1} << 62)) << p;
  }
}

TEST(GeometricSkip, CertainSuccessNeverSkipsAndTheCapHolds) {
  SeededStream stream(34);
  EXPECT_EQ(GeometricSkip(1)(stream, 100), 0u);
  for (int i = 0; i < 100; ++i) EXPECT_LE(GeometricSkip(1e-12)(stream, 50), 50u);
  EXPECT_THROW(GeometricSkip(0), InvalidArgument);
}

TEST(AliasTable, DrawsInProportionToTheWeights) {
  SeededStream stream(35);
  const std::array<double, 4> weights = {1, 0, 5, 2};
  const AliasTable table(weights);
  std::array<double, 4> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts[table(stream)];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / 8;
    EXPECT_NEAR(counts[i] / kDraws, p, 5 * std::sqrt(p * (1 - p) / kDraws) + 1e-12) << i;
  }
  EXPECT_THROW(AliasTable(std::array<double, 2>{0, 0}), InvalidArgument);
}

}  // namespace
}  // namespace privet
