#include "privet/accounting/gaussian_dp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <vector>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

TEST(GaussianDelta, MatchesTheFormulaInTwoHundredDigits) {
  // mu, epsilon, log delta: Balle and Wang's formula evaluated with mpmath at 200 digits.
  const std::vector<std::tuple<double, double, double>> golden = {
      {1e-6, 0, -14.734449091168989},
      {1e-6, 1e-6, -16.300631083676995},
      {1e-6, 3e-5, -471.54014931856247},
      {1e-3, 0.01, -62.45587743776409},
      {1e-2, 1, -5014.2347614837394},
      {0.25, 1, -12.742464961290055},
      {1, 0, -0.95991633369562232},
      {1, 1e-9, -0.95991633450136131},
      {1, 5, -14.361320786606816},
      {1, 40, -788.42341277399171},
      {3, 4.4, -0.93983356248692819},
      {3, 1, -0.23876399092712643},
      {10, 50, -0.77545695998610492},
      {10, 200, -117.051894050881},
      {100, 5000, -0.70115722343220868},
      {100, 3000, 0.0},
      {1e4, 1e4, 0.0},
      {1e4, 50300000, -454.32424279126542},
      {0.5, 1000, -1999516.8451413672},
      {0.01, 1e4, -499999995033.15512},
  };
  for (const auto& [mu, epsilon, log_delta] : golden)
    EXPECT_NEAR(gaussian_log_delta(mu, epsilon), log_delta, 1e-13 * std::max(1.0, std::abs(log_delta)))
        << mu << ' ' << epsilon;
}

TEST(GaussianDelta, IsNeverNotANumber) {
  const double numbers[] = {
      0.0, 1e-308, 1e-200, 1e-6, 1.0, 1e6, 1e200, 1e308, std::numeric_limits<double>::infinity()};
  for (const double mu : numbers)
    for (const double epsilon : numbers) {
      const double delta = gaussian_delta(mu, epsilon);
      EXPECT_TRUE(delta >= 0 && delta <= 1) << mu << ' ' << epsilon << ' ' << delta;
    }
  for (const double mu : numbers) EXPECT_GE(gaussian_epsilon(mu, 1e-6), 0) << mu;
}

TEST(GaussianEpsilon, IsASoundAndTightInverse) {
  for (double mu = 1e-6; mu < 2e4; mu *= 10)
    for (const double delta : {1e-300, 1e-100, 1e-30, 1e-12, 1e-6, 1e-2, 0.3, 0.9}) {
      const double epsilon = gaussian_epsilon(mu, delta);
      ASSERT_TRUE(std::isfinite(epsilon)) << mu << ' ' << delta;
      EXPECT_LE(gaussian_delta(mu, epsilon), delta) << mu << ' ' << delta;
      if (epsilon > 0) {
        EXPECT_GT(gaussian_delta(mu, epsilon * (1 - 1e-9)), delta) << mu << ' ' << delta;
      }
    }
  EXPECT_EQ(gaussian_epsilon(0, 1e-6), 0);
  EXPECT_EQ(gaussian_epsilon(0.1, 0.9), 0);
}

TEST(GaussianMu, IsASoundAndTightInverse) {
  for (const double epsilon : {0.0, 1e-6, 1e-3, 1.0, 30.0, 1e4})
    for (const double delta : {1e-300, 1e-100, 1e-12, 1e-6, 1e-2, 0.9}) {
      const double mu = gaussian_mu(epsilon, delta);
      ASSERT_TRUE(std::isfinite(mu) && mu > 0) << epsilon << ' ' << delta;
      EXPECT_LE(gaussian_delta(mu, epsilon), delta) << epsilon << ' ' << delta;
      EXPECT_GT(gaussian_delta(mu * (1 + 1e-9), epsilon), delta) << epsilon << ' ' << delta;
    }
}

TEST(GaussianMu, GivesThePublishedNoiseOfEdgeLevelGap) {
  // sisaman/GAP, noise scales logged by a third party to four digits: epsilon 1, delta 1e-6, and 1e-2.
  EXPECT_NEAR(1 / gaussian_mu(1, 1e-6), 4.2247, 5e-5);
  EXPECT_NEAR(2 / gaussian_mu(1, 1e-6), 8.4494, 5e-5);
  EXPECT_NEAR(std::sqrt(20) / gaussian_mu(1, 1e-6), 18.8933, 1e-4);
  EXPECT_NEAR(1 / gaussian_mu(16, 1e-6), 0.3686, 5e-5);
  EXPECT_NEAR(std::sqrt(2) / gaussian_mu(32, 1e-6), 0.3057, 5e-5);
  EXPECT_NEAR(1 / gaussian_mu(1, 1e-2), 1.8779, 5e-5);
  EXPECT_NEAR(std::sqrt(10) / gaussian_mu(1, 1e-2), 5.9384, 5e-5);
  // GAP's settings for Facebook, delta 1e-7, one hop, from an independent implementation.
  const std::vector<std::pair<double, double>> facebook = {
      {0.1, 41.330}, {0.2, 21.429}, {0.5, 8.996}, {1, 4.679}, {2, 2.449}, {4, 1.298}, {8, 0.702}};
  for (const auto& [epsilon, sigma] : facebook) EXPECT_NEAR(1 / gaussian_mu(epsilon, 1e-7), sigma, 6e-4);
}

TEST(GaussianMu, BeatsTheConversionsThroughRenyiDivergence) {
  // Exact column of the comparison of conversions at delta 1e-5, independent implementation.
  const std::vector<std::pair<double, double>> exact = {
      {0.1, 30.75}, {1, 3.731}, {4, 1.081}, {8, 0.600}, {16, 0.344}};
  for (const auto& [epsilon, sigma] : exact)
    EXPECT_NEAR(1 / gaussian_mu(epsilon, 1e-5), sigma, epsilon < 1 ? 5e-3 : 5e-4);
  EXPECT_NEAR(gaussian_epsilon(0.2, 1e-5), 0.726, 5e-4);
  EXPECT_NEAR(gaussian_epsilon(1, 1e-5), 4.38, 5e-3);
}

TEST(ContractionFactor, KnowsItsLimits) {
  EXPECT_DOUBLE_EQ(contraction_factor(0.7, 1), 1);
  EXPECT_DOUBLE_EQ(contraction_factor(0, 50), 1);
  EXPECT_DOUBLE_EQ(contraction_factor(1, 50), 50);
  EXPECT_NEAR(contraction_factor(1 - 1e-12, 50), 50, 1e-6);
  EXPECT_NEAR(contraction_factor(0.9, 20), 14.881, 5e-4);  // CARIBOU's logs
  // The limit (1+g)/(1-g), and rational arithmetic at ten hops.
  EXPECT_NEAR(contraction_factor(0.9, 1e6), 19, 1e-9);
  EXPECT_NEAR(contraction_factor(0.5, 10), 3 * 1023.0 / 1025, 1e-14);
  EXPECT_NEAR(contraction_factor(0.8, 10), 9 * (9765625.0 - 1048576) / (9765625 + 1048576), 1e-14);
  EXPECT_NEAR(contraction_factor(0.95, 10), 9.79, 5e-3);  // independent implementation
}

TEST(ContractionFactor, NeverExceedsTheNumberOfHops) {
  for (double lipschitz = 0; lipschitz <= 1; lipschitz += 1.0 / 64)
    for (const double hops : {1.0, 2.0, 7.0, 100.0}) {
      EXPECT_LE(contraction_factor(lipschitz, hops), hops * (1 + 1e-15));
      EXPECT_GE(contraction_factor(lipschitz, hops), 1 - 1e-15);
    }
}

TEST(GaussianDpMu, GivesThePublishedNoiseOfCaribou) {
  // Noise multipliers of 20 hops at epsilon 1, delta 1e-5 and 1e-6, as CARIBOU's logs print them.
  const std::vector<std::tuple<double, double, double>> logged = {
      {0.9, 14.391, 16.297}, {0.8, 11.064, 12.529}, {0.7, 8.874, 10.049}, {0.6, 7.461, 8.449}};
  for (const auto& [lipschitz, at_five, at_six] : logged) {
    const double unit = gaussian_dp_mu(ContractiveGaussianEvent{lipschitz, 20, 1});
    EXPECT_NEAR(unit / gaussian_mu(1, 1e-5), at_five, 6e-4);
    EXPECT_NEAR(unit / gaussian_mu(1, 1e-6), at_six, 6e-4);
  }
}

TEST(GaussianDpMu, AddsSquares) {
  EXPECT_EQ(gaussian_dp_mu(Event()), 0);
  const Event three = GaussianEvent{1.0 / 3};
  const Event four = GaussianEvent{0.25};
  EXPECT_NEAR(gaussian_dp_mu(composed({three, four})), 5, 1e-14);
  EXPECT_EQ(gaussian_dp_mu(composed({three, four})), gaussian_dp_mu(composed({four, three})));
  EXPECT_NEAR(gaussian_dp_mu(repeated(composed({three, four}), 100)), 50, 1e-13);
  EXPECT_NEAR(gaussian_dp_mu(repeated(repeated(three, 4), 4)), 12, 1e-13);
  EXPECT_NEAR(gaussian_dp_mu(repeated(GaussianEvent{1e-200}, 4)), 2e200, 1e187);
}

TEST(GaussianDpMu, RefusesOtherEventsByName) {
  const Event mixed = composed({GaussianEvent{1}, repeated(LaplaceEvent{2}, 3)});
  EXPECT_FALSE(gaussian_dp_supports(mixed));
  EXPECT_TRUE(gaussian_dp_supports(Event()));
  EXPECT_TRUE(gaussian_dp_supports(repeated(ContractiveGaussianEvent{0.5, 3, 1}, 2)));
  try {
    gaussian_dp_mu(mixed);
    FAIL() << "must refuse";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("laplace"), std::string::npos) << error.what();
  }
}

TEST(GaussianDp, RefusesNumbersOutOfRange) {
  EXPECT_THROW(gaussian_epsilon(1, 0), InvalidArgument);
  EXPECT_THROW(gaussian_epsilon(1, 1), InvalidArgument);
  EXPECT_THROW(gaussian_epsilon(std::nan(""), 1e-5), InvalidArgument);
  EXPECT_THROW(gaussian_log_delta(1, -1), InvalidArgument);
  EXPECT_THROW(gaussian_mu(-1, 1e-5), InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
