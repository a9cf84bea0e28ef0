#include "privet/core/noise/bernoulli_exp.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace privet::privacy {
namespace {

struct Exponent {
  std::uint64_t numerator;
  std::uint64_t denominator;
};

TEST(BernoulliExp, HasTheRightProbability) {
  SeededStream stream(1);
  constexpr int kDraws = 200000;
  for (const Exponent x : {Exponent{1, 1000000}, {1, 3}, {1, 1}, {5, 2}, {7, 1}, {3, 1u << 31}}) {
    int hits = 0;
    for (int i = 0; i < kDraws; ++i) hits += bernoulli_exp(stream, x.numerator, x.denominator);
    const double p = std::exp(-static_cast<double>(x.numerator) / static_cast<double>(x.denominator));
    // Five standard deviations and one hit: a false alarm in a million at most.
    EXPECT_NEAR(hits, kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p)) + 1)
        << x.numerator << "/" << x.denominator;
  }
}

TEST(BernoulliExp, IsCertainAtZero) {
  SeededStream stream(1);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(bernoulli_exp(stream, 0, 5));
}

TEST(BernoulliExp, TakesWideNumbers) {
  SeededStream stream(2);
  constexpr int kDraws = 100000;
  const Wide unit = static_cast<Wide>(1) << 100;
  int hits = 0;
  for (int i = 0; i < kDraws; ++i) hits += bernoulli_exp(stream, 3 * unit, 2 * unit + 1);
  const double p = std::exp(-1.5);
  EXPECT_NEAR(hits, kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p)));
}

TEST(BelowWide, IsUniformAndInRange) {
  SeededStream stream(3);
  const Wide bound = (static_cast<Wide>(3) << 64) + 5;
  std::uint64_t counts[4] = {};
  constexpr int kDraws = 30000;
  for (int i = 0; i < kDraws; ++i) {
    const Wide value = below_wide(stream, bound);
    ASSERT_LT(value, bound);
    ++counts[static_cast<std::size_t>(value >> 64)];
  }
  // Thirds; 5 standard deviations are 410. The fourth part has 5 values of 2^65.
  for (int part = 0; part < 3; ++part) EXPECT_NEAR(static_cast<double>(counts[part]), kDraws / 3.0, 410);
  EXPECT_EQ(counts[3], 0u);
}

}  // namespace
}  // namespace privet::privacy
