#include "privet/methods/lists/laplace_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace privet::methods {
namespace {

double laplace_below(double x, double epsilon) {
  return x < 0 ? std::exp(epsilon * x) / 2 : 1 - std::exp(-epsilon * x) / 2;
}

// A bit, told by randomised response and turned into a number, is the bit with Laplace noise: distance of
// Kolmogorov and Smirnov below 1.95 / sqrt(draws), false alarms 1 in 1000 each, fixed seeds.
TEST(LaplaceValues, AreTheBitWithLaplaceNoise) {
  constexpr std::size_t kDraws = 100'000;
  for (const double epsilon : {0.5, 1.0, 4.0, 8.0, 20.0}) {
    const double flip = 1 / (1 + std::exp(epsilon));
    const LaplaceValues values(flip);
    for (const bool bit : {false, true}) {
      SeededStream stream(11);
      std::vector<double> drawn(kDraws);
      for (double& one : drawn) {
        const bool told = (stream.uniform() < flip) != bit;
        one = told ? values.of_one(stream) : values.of_zero(stream);
      }
      std::ranges::sort(drawn);
      double distance = 0;
      for (std::size_t i = 0; i < kDraws; ++i) {
        const double below = laplace_below(drawn[i] - (bit ? 1 : 0), epsilon);
        distance = std::max({distance, std::abs(below - static_cast<double>(i) / kDraws),
                             std::abs(below - static_cast<double>(i + 1) / kDraws)});
      }
      EXPECT_LT(distance, 1.95 / std::sqrt(static_cast<double>(kDraws))) << epsilon << ' ' << bit;
    }
  }
}

// Means within 4 standard errors (1 in 15,000); the variance of numbers with exponential tails, whose fourth
// moment is at most 24 scales^4, likewise.
TEST(LaplaceValues, KnowMeanAndVariance) {
  constexpr std::size_t kDraws = 200'000;
  for (const double epsilon : {0.7, 3.0, 9.0}) {
    const LaplaceValues values(1 / (1 + std::exp(epsilon)));
    SeededStream stream(5);
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < kDraws; ++i) {
      const double off = values.of_zero(stream) - values.mean_of_zero();
      sum += off;
      squares += off * off;
    }
    EXPECT_LT(std::abs(sum / kDraws), 4 * std::sqrt(values.variance() / kDraws)) << epsilon;
    EXPECT_NEAR(squares / kDraws, values.variance(), 4 * std::sqrt(24.0 / kDraws) * values.variance())
        << epsilon;
  }
}

// Binomial counts within 4.5 standard deviations (1 in 100,000 each), and what is above the threshold has
// the distribution that the probabilities above higher thresholds say.
TEST(LaplaceValues, KnowWhatTwoZerosAddUpTo) {
  constexpr std::size_t kDraws = 200'000;
  for (const double epsilon : {1.0, 4.0, 8.0}) {
    const LaplaceValues values(1 / (1 + std::exp(epsilon)));
    SeededStream stream(6);
    std::vector<double> sums(kDraws);
    for (double& one : sums) one = values.of_zero(stream) + values.of_zero(stream);
    const auto expect_share = [&](const std::vector<double>& from, double threshold, double share) {
      const auto count = static_cast<double>(from.size());
      const auto above =
          static_cast<double>(std::ranges::count_if(from, [&](double one) { return one > threshold; }));
      EXPECT_NEAR(above, share * count, 4.5 * std::sqrt(share * (1 - share) * count) + 1e-3)
          << epsilon << ' ' << threshold;
    };
    for (const double threshold : {-3.5, -1.0, 0.0, 0.77, 1.5})
      expect_share(sums, threshold, values.zeros_above(threshold));
    std::vector<double> above(kDraws);
    for (double& one : above) one = values.zeros_above(0.3, stream);
    EXPECT_GE(std::ranges::min(above), 0.3 - 1e-9);
    EXPECT_LT(std::ranges::max(above), 2);
    for (const double threshold : {0.5, 1.0, 1.4})
      expect_share(above, threshold, values.zeros_above(threshold) / values.zeros_above(0.3));
    EXPECT_EQ(values.zeros_above(2), 0);
  }
}

}  // namespace
}  // namespace privet::methods
