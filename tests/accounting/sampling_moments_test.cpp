#include "privet/accounting/sampling_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <tuple>
#include <vector>

namespace privet::privacy {
namespace {

double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

/// (alpha - 1) D_alpha(p || q) on the line by a fine trapezoidal rule: slow, plain, independent of the
/// source.
double log_moment_of_pair(const std::function<double(double)>& p, const std::function<double(double)>& q,
                          double alpha, double reach) {
  const double step = 0.02;
  double sum = 0;
  for (double x = -reach; x <= reach; x += step) sum += std::pow(p(x) / q(x), alpha) * q(x);
  return std::log(sum * step);
}

TEST(PoissonAdded, MatchesTheIntegralInFortyDigits) {
  // rate, noise multiplier, order, divergence: the defining integral with mpmath.
  const std::vector<std::tuple<double, double, double, double>> golden = {
      {0.01, 1, 1.5, 0.00012725374332745},    {0.01, 1, 2, 0.000171813422074548},
      {0.01, 1, 8.25, 0.000969983195095154},  {0.1, 2, 3.7, 0.00550405302453008},
      {0.004, 0.8, 5, 0.000171364293392251},  {0.5, 0.3, 1.2, 3.73454783953222},
      {0.001, 10, 30.5, 1.53309066400618e-7}, {1e-6, 5, 2.5, 5.10134687955934e-14},
      {0.2, 1, 1.0001, 0.0263025088634842},   {0.01, 1, 40, 15.2767485271917},
  };
  for (const auto& [rate, sigma, alpha, divergence] : golden) {
    const double actual = poisson_added_log_moment(rate, sigma, alpha) / (alpha - 1);
    EXPECT_NEAR(actual, divergence, 1e-11 * divergence) << rate << ' ' << sigma << ' ' << alpha;
    EXPECT_GE(actual, divergence * (1 - 1e-14)) << rate << ' ' << sigma << ' ' << alpha;
  }
}

TEST(PoissonAdded, MatchesTheBinomialSumAtIntegerOrders) {
  // Mironov, Talwar and Zhang 2019, section 3.3: sum of C(a,k) (1-q)^(a-k) q^k exp((k^2-k)/(2 sigma^2)).
  for (const double rate : {1e-4, 0.02, 0.3, 0.9, 1.0})
    for (const double sigma : {0.25, 0.7, 3.0, 50.0})
      for (const int order : {2, 3, 7, 32}) {
        long double excess = 0;
        for (int k = 2; k <= order; ++k)
          excess +=
              std::exp(std::lgamma(order + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(order - k + 1.0L)) *
              std::pow(1 - static_cast<long double>(rate), order - k) *
              std::pow(static_cast<long double>(rate), k) * std::expm1((k * k - k) / (2.0L * sigma * sigma));
        const auto expected = static_cast<double>(std::log1p(excess));
        EXPECT_NEAR(poisson_added_log_moment(rate, sigma, order), expected, 2e-12 * expected)
            << rate << ' ' << sigma << ' ' << order;
      }
}

TEST(PoissonAdded, IsNoLargerThanWithoutSamplingAndGrowsWithTheRate) {
  for (const double sigma : {1e-3, 0.05, 1.0, 100.0, 1e6})
    for (const double alpha : {1.0000001, 1.3, 2.0, 17.5, 1e4, 1e9}) {
      double before = 0;
      for (const double rate : {1e-9, 1e-4, 0.1, 0.5, 1.0}) {
        const double moment = poisson_added_log_moment(rate, sigma, alpha);
        ASSERT_FALSE(std::isnan(moment)) << sigma << ' ' << alpha << ' ' << rate;
        EXPECT_GE(moment, before * (1 - 1e-9)) << sigma << ' ' << alpha << ' ' << rate;
        before = moment;
      }
      EXPECT_NEAR(before, alpha * (alpha - 1) / (2 * sigma * sigma), 1e-9 * before);
    }
}

TEST(SubsampledGaussian, GroupsCoverTheAttainablePair) {
  // Poisson batches, `replaced` gradients all +c in one world and all -c in the other, added ones +c or
  // absent.
  const double rate = 0.3;
  const double sigma = 2;
  const auto binomial = [&](int n, int k) {
    return std::tgamma(n + 1.0) / std::tgamma(k + 1.0) / std::tgamma(n - k + 1.0) * std::pow(rate, k) *
           std::pow(1 - rate, n - k);
  };
  for (const auto& [added, replaced] :
       std::vector<std::pair<int, int>>{{1, 0}, {3, 0}, {0, 1}, {0, 2}, {1, 2}, {2, 3}}) {
    const auto world = [&, a = added, r = replaced](double sign, bool present) {
      return [&, a, r, sign, present](double x) {
        double sum = 0;
        for (int i = 0; i <= r; ++i)
          for (int j = 0; j <= a; ++j)
            sum += binomial(r, i) * binomial(a, j) * density(x - (sign * i + (present ? j : 0)) / sigma);
        return sum;
      };
    };
    const auto p = world(1, true);
    const auto q = world(-1, false);
    const SubsampledGaussianEvent event{PoissonSampling{rate}, sigma, static_cast<std::uint64_t>(added),
                                        static_cast<std::uint64_t>(replaced)};
    for (const double alpha : {1.5, 2.0, 3.4, 6.0}) {
      const double bound = subsampled_gaussian_log_moment(event, alpha) + 1e-9;
      EXPECT_GE(bound, log_moment_of_pair(p, q, alpha, 25)) << added << ' ' << replaced << ' ' << alpha;
      EXPECT_GE(bound, log_moment_of_pair(q, p, alpha, 25)) << added << ' ' << replaced << ' ' << alpha;
    }
  }
}

TEST(SubsampledGaussian, OneReplacedExampleCoversTernaryPairs) {
  // Batches of fixed size: the place holds an example at 0 with probability 1 - g, else the example itself,
  // which is at x in one world and at y in the other, all within 2 clip norms of each other.
  for (const double sigma : {0.8, 2.0, 8.0})
    for (const double rate : {0.05, 0.4}) {
      const FixedSizeSampling sampling{100, static_cast<std::uint64_t>(100 * rate)};
      const double s = 2 / sigma;
      for (const auto& [x, y] :
           std::vector<std::pair<double, double>>{{s, 0}, {0, s}, {s / 2, -s / 2}, {s, s / 2}}) {
        const auto p = [&, at = x](double u) { return (1 - rate) * density(u) + rate * density(u - at); };
        const auto q = [&, at = y](double u) { return (1 - rate) * density(u) + rate * density(u - at); };
        for (const double alpha : {1.5, 2.0, 3.4, 6.0}) {
          const double bound = subsampled_gaussian_log_moment({sampling, sigma, 0, 1}, alpha) + 1e-9;
          EXPECT_GE(bound, log_moment_of_pair(p, q, alpha, 30)) << sigma << ' ' << rate << ' ' << alpha;
        }
      }
    }
}

TEST(SubsampledGaussian, TheExpansionBeatsTheRevealingPairWhereSamplingHelps) {
  const FixedSizeSampling sampling{10'000, 64};
  const double alpha = 4;
  const double sigma = 4;
  const double revealing = std::log1p(0.0064 * std::expm1(2 * alpha * (alpha - 1) / sigma / sigma));
  EXPECT_LT(subsampled_gaussian_log_moment({sampling, sigma, 0, 1}, alpha), 0.1 * revealing);
}

TEST(SubsampledGaussian, WholeBatchesAreGaussian) {
  for (const double alpha : {1.1, 2.0, 30.0}) {
    const double gaussian = alpha * (alpha - 1) / 2 / 9;
    EXPECT_NEAR(subsampled_gaussian_log_moment({PoissonSampling{1}, 3, 1, 0}, alpha), gaussian,
                1e-12 * gaussian);
    EXPECT_NEAR(subsampled_gaussian_log_moment({PoissonSampling{1}, 3, 1, 2}, alpha), 25 * gaussian,
                1e-10 * gaussian);
    EXPECT_NEAR(subsampled_gaussian_log_moment({FixedSizeSampling{50, 50}, 3, 0, 4}, alpha), 64 * gaussian,
                1e-10 * gaussian);
  }
}

TEST(SubsampledGaussian, IsMonotoneInEveryArgument) {
  for (const double alpha : {1.2, 3.0, 9.5}) {
    const auto poisson = [&](double rate, double sigma, std::uint64_t added, std::uint64_t replaced) {
      return subsampled_gaussian_log_moment({PoissonSampling{rate}, sigma, added, replaced}, alpha);
    };
    EXPECT_LT(poisson(0.1, 2, 2, 1), poisson(0.2, 2, 2, 1));
    EXPECT_LT(poisson(0.1, 2, 2, 1), poisson(0.1, 1.9, 2, 1));
    EXPECT_LT(poisson(0.1, 2, 2, 1), poisson(0.1, 2, 3, 1));
    EXPECT_LT(poisson(0.1, 2, 2, 1), poisson(0.1, 2, 2, 2));
    EXPECT_LT(poisson(0.1, 2, 2, 1), poisson(0.1, 2, 1, 2));
    // Past the size at which added and replaced are told apart.
    EXPECT_LE(poisson(0.1, 2e3, 255, 255), poisson(0.1, 2e3, 256, 256));
    EXPECT_LE(poisson(0.1, 1e6, 70'000, 0), poisson(0.1, 1e6, 70'000, 1));
    const auto fixed = [&](std::uint64_t population, std::uint64_t batch, std::uint64_t replaced) {
      return subsampled_gaussian_log_moment({FixedSizeSampling{population, batch}, 2, 0, replaced}, alpha);
    };
    EXPECT_LT(fixed(100, 10, 3), fixed(100, 11, 3));
    EXPECT_LT(fixed(100, 10, 3), fixed(99, 10, 3));
    EXPECT_LT(fixed(100, 10, 3), fixed(100, 10, 4));
    EXPECT_EQ(fixed(100, 10, 100), fixed(100, 10, 1000));
  }
}

TEST(DpGnn, MatchesTheHypergeometricSum) {
  // Theorem 1 by hand: 2 of 5 nodes drawn, 2 affected: P(1) = 6/10, P(2) = 1/10.
  const double alpha = 3;
  const double lambda = 1.5;
  const double t = alpha * (alpha - 1) / (2 * lambda * lambda * 4);
  EXPECT_NEAR(dpgnn_log_moment({5, 2, 1, lambda}, alpha),
              std::log(0.3 + 0.6 * std::exp(t) + 0.1 * std::exp(4 * t)), 1e-14);
}

TEST(DpGnn, SurvivesBatchesThatHoldEverything) {
  const double alpha = 2;
  EXPECT_NEAR(dpgnn_log_moment({10, 10, 3, 1}, alpha), alpha * (alpha - 1) / 2, 1e-14);
  EXPECT_TRUE(std::isfinite(dpgnn_log_moment({2'000'000'000, 1'000'000, 1'000'000, 1e-3}, 1e6)));
}

}  // namespace
}  // namespace privet::privacy
