#include "privet/accounting/renyi.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "privet/accounting/gaussian_dp.hpp"
#include "privet/accounting/sampling_moments.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

Event private_sgd(double rate, double sigma, std::uint64_t steps) {
  return repeated(SubsampledGaussianEvent{PoissonSampling{rate}, sigma, 1, 0}, steps);
}

/// The sigma at which cost(sigma) is epsilon, by bisection.
template <typename Cost>
double sigma_for(double epsilon, const Cost& cost) {
  double low = 0.1;
  double high = 1000;
  while (high / low > 1 + 1e-7) {
    const double middle = std::sqrt(low * high);
    (cost(middle) > epsilon ? low : high) = middle;
  }
  return high;
}

TEST(RenyiDivergence, OfSimpleMechanisms) {
  EXPECT_DOUBLE_EQ(renyi_divergence(GaussianEvent{3}, 4), 4.0 / 18);
  EXPECT_DOUBLE_EQ(renyi_divergence(ContractiveGaussianEvent{1, 5, 3}, 4), 20.0 / 18);
  // Mironov's Table II with mpmath.
  const std::vector<std::tuple<double, double, double>> laplace = {{1, 2, 0.619123629998593},
                                                                   {1, 1.01, 0.371159228689057},
                                                                   {1e5, 3.5, 1.74999416642604e-10},
                                                                   {20, 1.5, 0.00184357399850941},
                                                                   {0.01, 64, 99.989122158681}};
  for (const auto& [multiplier, alpha, expected] : laplace)
    EXPECT_NEAR(renyi_divergence(LaplaceEvent{multiplier}, alpha), expected, 1e-12 * expected);
  const std::vector<std::tuple<double, double, double>> response = {{1, 2, 0.735325664055519},
                                                                    {1e-6, 3.5, 1.7499999999973e-12},
                                                                    {10, 1.001, 9.9991010615666},
                                                                    {1e4, 50, 1e4}};
  for (const auto& [epsilon, alpha, expected] : response)
    EXPECT_NEAR(renyi_divergence(RandomizedResponseEvent{epsilon}, alpha), expected, 1e-12 * expected);
}

TEST(RenyiDivergence, OfAPureMechanismCoversAllOthersOfItsEpsilon) {
  for (const double epsilon : {1e-3, 0.5, 3.0})
    for (const double alpha : {1.01, 2.0, 50.0}) {
      const double pure = renyi_divergence(PureEvent{epsilon}, alpha);
      EXPECT_GE(pure, renyi_divergence(LaplaceEvent{1 / epsilon}, alpha));
      EXPECT_EQ(pure, renyi_divergence(RandomizedResponseEvent{epsilon}, alpha));
      EXPECT_EQ(pure, renyi_divergence(ApproximateEvent{epsilon, 0}, alpha));
      EXPECT_LE(pure, epsilon * (1 + 1e-14));
      EXPECT_LE(pure, alpha * epsilon * epsilon / 2 * (1 + 1e-12));  // Bun and Steinke 2016
    }
}

TEST(RenyiDivergence, AddsUpWhateverTheOrder) {
  const Event a = private_sgd(0.1, 2, 3);
  const Event b = LaplaceEvent{4};
  const Event c = GaussianEvent{5};
  const double forwards = renyi_divergence(composed({a, composed({b, c})}), 7.5);
  const double backwards = renyi_divergence(composed({c, b, a}), 7.5);
  EXPECT_NEAR(forwards, backwards, 1e-15);
  EXPECT_NEAR(renyi_divergence(repeated(composed({b, c}), 12), 7.5),
              12 * (renyi_divergence(b, 7.5) + renyi_divergence(c, 7.5)), 1e-13);
  EXPECT_EQ(renyi_divergence(Event(), 2), 0);
  EXPECT_THROW(renyi_divergence(b, 1), InvalidArgument);
}

TEST(RenyiEpsilon, OfPrivateSgd) {
  // Poisson batches, delta 1e-5: the least over all real orders with mpmath, and what an independent
  // accountant finds over a fixed grid of orders, which cannot be less.
  const std::vector<std::tuple<double, double, std::uint64_t, double, double>> golden = {
      {0.01, 1, 1000, 2.10132213142, 2.1014},
      {0.1, 2, 1000, 8.94379638108, 8.9470},
      {0.004, 0.8, 10000, 3.94026895689, 3.9405}};
  for (const auto& [rate, sigma, steps, least, on_grid] : golden) {
    const double epsilon = renyi_epsilon(private_sgd(rate, sigma, steps), 1e-5);
    EXPECT_NEAR(epsilon, least, 1e-7);
    EXPECT_LE(epsilon, on_grid);
  }
}

TEST(RenyiEpsilon, OfDpGnn) {
  // Logged by a third party's run of the authors' accountant (arxiv, steps + 1), which tries orders 1.1
  // ... 9.9.
  std::vector<double> orders;
  for (int i = 11; i < 100; ++i) orders.push_back(i / 10.0);
  const double delta = 1.0 / 909'410;
  const auto published = [&](std::uint64_t degree, double lambda, std::uint64_t steps) {
    const Event event = repeated(DpGnnEvent{90'941, 10'000, degree, lambda}, steps);
    const double on_grid = renyi_epsilon([&](double a) { return renyi_divergence(event, a); }, delta, orders);
    EXPECT_LE(renyi_epsilon(event, delta), on_grid + 1e-12);
    return on_grid;
  };
  EXPECT_NEAR(published(5, 2, 51), 3.4684, 5e-5);
  EXPECT_NEAR(published(5, 2, 501), 11.1874, 5e-5);
  EXPECT_NEAR(published(5, 2, 1001), 16.8386, 5e-5);
  EXPECT_NEAR(published(5, 2, 3000), 33.80, 5e-3);
  EXPECT_NEAR(published(5, 4, 500), 4.978, 5e-4);
  EXPECT_NEAR(published(5, 4, 1000), 7.319, 5e-4);
  EXPECT_NEAR(published(5, 6, 750), 3.933, 5e-4);
  EXPECT_NEAR(published(7, 1, 50), 6.85, 5e-3);
  EXPECT_NEAR(published(7, 1, 500), 24.01, 5e-3);
  EXPECT_NEAR(published(7, 1, 711), 30.0, 5e-2);
}

TEST(RenyiEpsilon, OfDpGnnByBothConversions) {
  // Comparison of the two conversions, independent implementation: N, m, K, lambda, T, classic, tight.
  const std::vector<std::tuple<DpGnnEvent, std::uint64_t, double, double>> golden = {
      {{90'941, 10'000, 7, 1}, 500, 25.2, 24.0},   {{90'941, 10'000, 7, 1}, 3000, 82.1, 80.3},
      {{90'941, 2'000, 7, 1}, 3000, 21.3, 20.2},   {{629'571, 10'000, 10, 0.8}, 3000, 20.0, 19.0},
      {{625'000, 10'000, 5, 1}, 3000, 21.4, 20.4}, {{2'000, 256, 5, 1}, 500, 28.2, 26.8}};
  for (const auto& [step, steps, classic, tight] : golden) {
    const Event event = repeated(step, steps);
    const double delta = 1 / (10.0 * static_cast<double>(step.nodes));
    const RenyiCurve curve = [&](double a) { return renyi_divergence(event, a); };
    EXPECT_NEAR(renyi_epsilon(curve, delta, RenyiConversion::classic), classic, 0.051) << event.describe();
    EXPECT_NEAR(renyi_epsilon(event, delta), tight, 0.051) << event.describe();
  }
}

TEST(RenyiEpsilon, OfOneGaussianByBothConversions) {
  // delta 1e-5: epsilon, sigma by Mironov's conversion, sigma by Lemma F.1 of DPDGC; independent
  // implementation.
  const std::vector<std::tuple<double, double, double>> golden = {
      {0.1, 48.09, 33.98}, {1, 4.901, 4.045}, {4, 1.296, 1.158}, {8, 0.690, 0.638}, {16, 0.382, 0.362}};
  for (const auto& [epsilon, classic, tight] : golden) {
    const auto cost = [&](RenyiConversion conversion) {
      return [=](double sigma) {
        return renyi_epsilon([=](double a) { return a / (2 * sigma * sigma); }, 1e-5, conversion);
      };
    };
    const double tolerance = epsilon < 1 ? 5e-3 : 5e-4;
    EXPECT_NEAR(sigma_for(epsilon, cost(RenyiConversion::classic)), classic, tolerance);
    EXPECT_NEAR(sigma_for(epsilon, cost(RenyiConversion::tight)), tight, tolerance);
  }
  const auto at = [](double mu, RenyiConversion conversion) {
    return renyi_epsilon([=](double a) { return a * mu * mu / 2; }, 1e-5, conversion);
  };
  EXPECT_NEAR(at(0.2, RenyiConversion::classic), 0.980, 5e-4);
  EXPECT_NEAR(at(0.2, RenyiConversion::tight), 0.794, 5e-4);
  EXPECT_NEAR(at(1, RenyiConversion::classic), 5.30, 5e-3);
  EXPECT_NEAR(at(1, RenyiConversion::tight), 4.73, 5e-3);
  // Mironov's minimum has a closed form.
  EXPECT_NEAR(at(1, RenyiConversion::classic), 0.5 + std::sqrt(2 * std::log(1e5)), 1e-7);
}

TEST(RenyiEpsilon, OfNodeLevelGap) {
  // GAP's plan for Facebook: two runs of private SGD (10 epochs, batches of 256 of 19,805) and two noisy hops
  // with one multiplier, delta 1e-5; independent implementation of its accountant, which knows the moments of
  // private SGD at integer orders and takes the chord between them.
  const double rate = 256.0 / 19'805;
  const double steps = std::floor(10 * 19'805 / 256.0);
  const auto published = [&](double sigma) {
    return renyi_epsilon(
        [&](double alpha) {
          const double below = std::floor(alpha);
          const double low = below < 2 ? 0 : poisson_added_log_moment(rate, sigma, below);
          const double high = poisson_added_log_moment(rate, sigma, below + 1);
          const double moment = low + (alpha - below) * (high - low);
          return 2 * steps * moment / (alpha - 1) + 2 * alpha / (2 * sigma * sigma);
        },
        1e-5);
  };
  const auto ours = [&](double sigma) {
    const Event sgd = private_sgd(rate, sigma, static_cast<std::uint64_t>(steps));
    return renyi_epsilon(composed({sgd, repeated(GaussianEvent{sigma}, 2), sgd}), 1e-5);
  };
  const std::vector<std::pair<double, double>> golden = {
      {1, 6.086}, {2, 3.241}, {4, 1.760}, {8, 1.004}, {16, 0.667}};
  for (const auto& [epsilon, sigma] : golden) {
    EXPECT_NEAR(sigma_for(epsilon, published), sigma, 6e-4) << epsilon;
    EXPECT_LE(sigma_for(epsilon, ours), sigma + 6e-4) << epsilon;
    EXPECT_GT(sigma_for(epsilon, ours), 0.97 * sigma) << epsilon;
  }
}

TEST(RenyiEpsilon, OfDpdgcAsPublished) {
  // DPDGC at node level on Cora and PubMed, logged by a third party's run of the authors' code: two runs of
  // private SGD (100 epochs, batches of 256) and one Gaussian with one multiplier.
  const auto sigma_of = [](double nodes, double delta, double epsilon) {
    const double rate = 256 / nodes;
    const double steps = std::floor(100 * nodes / 256);
    return sigma_for(epsilon, [&](double sigma) {
      return renyi_epsilon(
          [&](double a) {
            return 2 * steps * published_replaced_log_moment(rate, sigma, a) / (a - 1) +
                   a / (2 * sigma * sigma);
          },
          delta);
    });
  };
  EXPECT_NEAR(sigma_of(1'895, 1e-4, 1), 37.0634, 5e-3);
  EXPECT_NEAR(sigma_of(1'895, 1e-4, 8), 6.2041, 5e-3);
  EXPECT_NEAR(sigma_of(13'802, 1e-5, 4), 4.6790, 5e-3);
  EXPECT_NEAR(sigma_of(13'802, 1e-5, 32), 0.9835, 5e-3);
}

TEST(RenyiEpsilon, IsNeverBelowTheExactValueOfAGaussian) {
  for (const double sigma : {1e-3, 0.1, 1.0, 30.0, 1e4})
    for (const double delta : {1e-300, 1e-30, 1e-6, 0.1}) {
      const double renyi = renyi_epsilon(GaussianEvent{sigma}, delta);
      const double exact = gaussian_epsilon(1 / sigma, delta);
      EXPECT_GE(renyi, exact) << sigma << ' ' << delta;
      EXPECT_LE(renyi, 1.6 * exact + 0.5) << sigma << ' ' << delta;
    }
}

TEST(RenyiDelta, IsTheInverseOfEpsilon) {
  for (const Event& event :
       {private_sgd(0.05, 1.2, 300), Event(GaussianEvent{2}), repeated(LaplaceEvent{10}, 200)})
    for (const double delta : {1e-12, 1e-5, 1e-3}) {
      const double epsilon = renyi_epsilon(event, delta);
      EXPECT_NEAR(std::log(renyi_delta(event, epsilon)), std::log(delta), 1e-5) << event.describe();
    }
  EXPECT_EQ(renyi_delta(Event(), 0), 0);
  EXPECT_EQ(renyi_epsilon(Event(), 1e-9), 0);
}

TEST(RenyiEpsilon, SurvivesExtremes) {
  for (const double sigma : {1e-3, 0.3, 10.0, 1e6})
    for (const double delta : {1e-300, 1e-10, 0.1}) {
      const std::vector<Event> events = {
          GaussianEvent{sigma},
          LaplaceEvent{sigma},
          PureEvent{1e4 / sigma},
          ContractiveGaussianEvent{0.999, 1'000'000, sigma},
          private_sgd(1e-9, sigma, 1'000'000'000'000),
          private_sgd(0.9, sigma, 1),
          SubsampledGaussianEvent{PoissonSampling{0.01}, sigma, 3, 5},
          SubsampledGaussianEvent{PoissonSampling{0.01}, sigma, 0, 1},
          SubsampledGaussianEvent{FixedSizeSampling{1'000'000'000, 1'000'000}, sigma, 0, 1},
          SubsampledGaussianEvent{FixedSizeSampling{1'000, 1'000}, sigma, 2, 200'000},
          DpGnnEvent{1'000'000'000, 1, 1'000, sigma},
      };
      for (const Event& event : events) {
        const double epsilon = renyi_epsilon(event, delta);
        EXPECT_TRUE(std::isfinite(epsilon) && epsilon >= 0) << event.describe() << ' ' << epsilon;
        for (const double at : {1e-6, 1.0, 1e4}) {
          const double back = renyi_delta(event, at);
          EXPECT_TRUE(back >= 0 && back <= 1) << event.describe() << ' ' << at << ' ' << back;
        }
      }
    }
}

TEST(RenyiEpsilon, IsMonotone) {
  const double base = renyi_epsilon(private_sgd(0.02, 1, 100), 1e-6);
  EXPECT_GT(renyi_epsilon(private_sgd(0.021, 1, 100), 1e-6), base);
  EXPECT_GT(renyi_epsilon(private_sgd(0.02, 0.99, 100), 1e-6), base);
  EXPECT_GT(renyi_epsilon(private_sgd(0.02, 1, 101), 1e-6), base);
  EXPECT_GT(renyi_epsilon(private_sgd(0.02, 1, 100), 0.9e-6), base);
}

TEST(RenyiSupports, RefusesAFailureProbabilityByName) {
  const Event event = composed({GaussianEvent{1}, ApproximateEvent{1, 1e-9}});
  EXPECT_FALSE(renyi_supports(event));
  EXPECT_TRUE(renyi_supports(ApproximateEvent{1, 0}));
  EXPECT_EQ(renyi_divergence(event, 2), std::numeric_limits<double>::infinity());
  try {
    renyi_epsilon(event, 1e-5);
    FAIL() << "must refuse";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("approximate"), std::string::npos) << error.what();
  }
  EXPECT_THROW(renyi_epsilon(GaussianEvent{1}, 0), InvalidArgument);
  EXPECT_THROW(renyi_delta(GaussianEvent{1}, -1), InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
