#include "privet/accounting/pld.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"

namespace privet::privacy {
namespace {

Event private_sgd(double rate, double multiplier, std::uint64_t steps, std::uint64_t added = 1,
                  std::uint64_t replaced = 0) {
  return repeated(SubsampledGaussianEvent{PoissonSampling{rate}, multiplier, added, replaced}, steps);
}

// Upper bound within a share of the golden value, lower bound within 1 % of the upper one.
void expect_close(const Bounds& bounds, double golden, double share = 0.002) {
  EXPECT_LE(bounds.lower, bounds.upper);
  EXPECT_NEAR(bounds.upper, golden, share * golden);
  EXPECT_GT(bounds.lower, 0.99 * bounds.upper);
}

void expect_contains(const Bounds& bounds, double exact) {
  EXPECT_LE(bounds.lower, exact);
  EXPECT_GE(bounds.upper, exact);
}

// dp-accounting 0.6.0 (PyPI), PLD accountant, discretisation 1e-4 (5e-5 from 5000 steps on).
TEST(Pld, MatchesAnotherAccountantOnPrivateSgd) {
  const struct {
    double rate, multiplier;
    std::uint64_t steps;
    double delta, epsilon;
  } golden[] = {{0.01, 1, 1000, 1e-5, 1.828244},    {0.01, 1, 1000, 1e-3, 1.162518},
                {0.01, 1, 1000, 1e-8, 2.697875},    {0.1, 2, 1000, 1e-5, 8.279293},
                {0.1, 2, 1000, 1e-8, 10.77942},     {0.004, 0.8, 10000, 1e-5, 3.534832},
                {0.004, 0.8, 10000, 1e-8, 4.95374}, {0.5, 1, 50, 1e-5, 25.75439},
                {0.02, 3, 5000, 1e-5, 1.942816}};
  for (const auto& g : golden)
    expect_close(pld_epsilon(private_sgd(g.rate, g.multiplier, g.steps), g.delta), g.epsilon);
  EXPECT_NEAR(pld_delta(private_sgd(0.01, 1, 1000), 1).upper, 0.002612497, 1e-5);
  EXPECT_NEAR(pld_delta(private_sgd(0.02, 3, 5000), 1).upper, 0.005717266, 3e-5);
}

// Balle and Wang 2018; the tests' own formula, whose cancellation is harmless at these deltas.
double gaussian_delta(double mu, double epsilon) {
  const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  return normal(mu / 2 - epsilon / mu) - std::exp(epsilon) * normal(-mu / 2 - epsilon / mu);
}

double gaussian_epsilon(double mu, double delta) {
  double low = 0;
  double high = 1;
  while (gaussian_delta(mu, high) > delta) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (gaussian_delta(mu, middle) > delta ? low : high) = middle;
  }
  return high;
}

TEST(Pld, ContainsTheExactEpsilonOfGaussians) {
  for (double multiplier : {0.3, 1.0, 4.22, 50.0}) {
    for (double delta : {1e-3, 1e-5, 1e-8}) {
      for (std::uint64_t times : {1, 10}) {
        const double mu = std::sqrt(static_cast<double>(times)) / multiplier;
        const double exact = gaussian_epsilon(mu, delta);
        const Bounds bounds = pld_epsilon(repeated(GaussianEvent{multiplier}, times), delta);
        expect_contains(bounds, exact);
        expect_close(bounds, exact);
        expect_contains(pld_delta(repeated(GaussianEvent{multiplier}, times), exact), delta);
      }
    }
  }
}

// delta of the T-fold composition of randomised response: the loss is (2k - T) epsilon, k binomial.
double response_delta(double one, int times, double epsilon) {
  double sum = 0;
  const double log_truth = -std::log1p(std::exp(-one));
  const double log_lie = log_truth - one;
  for (int k = 0; k <= times; ++k) {
    const double loss = (2 * k - times) * one;
    if (loss <= epsilon) continue;
    const double log_probability = std::lgamma(times + 1) - std::lgamma(k + 1) - std::lgamma(times - k + 1) +
                                   k * log_truth + (times - k) * log_lie;
    sum += std::exp(log_probability) * -std::expm1(epsilon - loss);
  }
  return sum;
}

TEST(Pld, ContainsTheExactDeltaOfRandomisedResponse) {
  for (double one : {0.02, 0.5, 3.0}) {
    for (int times : {1, 2, 10, 100}) {
      for (double share : {0.05, 0.3, 0.8}) {
        const double epsilon = share * one * times;
        const double exact = response_delta(one, times, epsilon);
        if (exact < 1e-290) continue;
        const Event event = repeated(RandomizedResponseEvent{one}, static_cast<std::uint64_t>(times));
        const Bounds bounds = pld_delta(event, epsilon);
        EXPECT_LE(bounds.lower, exact) << one << ' ' << times << ' ' << share;
        EXPECT_GE(bounds.upper, exact * (1 - 1e-12)) << one << ' ' << times << ' ' << share;
        // All losses lie on the grid, so nothing but rounding separates the upper bound from the truth.
        EXPECT_LE(bounds.upper, exact * 1.001) << one << ' ' << times << ' ' << share;
        if (exact < 0.5) {
          const Bounds back = pld_epsilon(event, exact);
          EXPECT_LE(back.lower, epsilon);
          EXPECT_GE(back.upper, epsilon * (1 - 1e-9));
          EXPECT_LE(back.upper, epsilon * 1.001);
        }
      }
    }
  }
}

TEST(Pld, PureEventsCostNoMoreThanTheirSum) {
  EXPECT_LE(pld_epsilon(repeated(PureEvent{0.5}, 3), 1e-9).upper, 1.5);
  EXPECT_LT(pld_epsilon(repeated(PureEvent{0.1}, 100), 1e-5).upper, 4.4);
  EXPECT_EQ(pld_delta(repeated(PureEvent{0.5}, 3), 1.5).upper, 0);
  EXPECT_EQ(pld_epsilon(PureEvent{0}, 1e-5).upper, 0);
}

// Three answers whose losses cannot all lie on one grid. Of their sums only the largest, 0.57, counts here.
TEST(Pld, IsExactCloseToTheLargestLoss) {
  const Event event = composed({repeated(PureEvent{0.115}, 2), PureEvent{0.34}});
  const double all_true = 1 / (std::pow(1 + std::exp(-0.115), 2) * (1 + std::exp(-0.34)));
  for (double delta : {1e-3, 1e-6, 1e-9}) {
    const double exact = 0.57 + std::log1p(-delta / all_true);
    const Bounds bounds = pld_epsilon(event, delta);
    EXPECT_LE(bounds.lower, exact);
    EXPECT_GE(bounds.upper, exact * (1 - 1e-14));
    EXPECT_LE(bounds.upper, exact * (1 + 1e-11)) << delta;
    EXPECT_LE(pld_delta(event, exact).upper, delta * (1 + 1e-6)) << delta;
    EXPECT_GE(pld_delta(event, exact).upper, delta * (1 - 1e-6)) << delta;
  }
}

// 1 - e^((epsilon - 1/b) / 2).
TEST(Pld, ContainsTheExactDeltaOfLaplace) {
  for (double multiplier : {0.2, 1.0, 10.0}) {
    for (double share : {0.0, 0.1, 0.9, 0.999}) {
      const double epsilon = share / multiplier;
      const double exact = -std::expm1((epsilon - 1 / multiplier) / 2);
      const Bounds bounds = pld_delta(LaplaceEvent{multiplier}, epsilon);
      expect_contains(bounds, exact);
      EXPECT_LT(bounds.upper, exact * 1.001);
    }
  }
}

TEST(Pld, ApproximateEventsFailFirst) {
  const Bounds exact = pld_epsilon(ApproximateEvent{1, 1e-5}, 1e-5);
  EXPECT_EQ(exact.lower, 1);
  EXPECT_EQ(exact.upper, 1);
  EXPECT_EQ(pld_epsilon(ApproximateEvent{1, 1e-5}, 9e-6).upper, std::numeric_limits<double>::infinity());
  const Bounds twice = pld_epsilon(repeated(ApproximateEvent{1, 1e-6}, 2), 1e-5);
  EXPECT_LE(twice.upper, 2);
  EXPECT_GT(twice.upper, 1.99);
  EXPECT_NEAR(pld_delta(ApproximateEvent{1, 1e-5}, 2).upper, 1e-5, 1e-20);
}

// Nothing released, or nothing but what a null release costs.
TEST(Pld, NothingCostsNothing) {
  EXPECT_EQ(pld_epsilon(Event{}, 1e-5).upper, 0);
  EXPECT_EQ(pld_delta(Event{}, 0).upper, 0);
  EXPECT_TRUE(pld_supports(private_sgd(0.1, 1, 3)));
}

TEST(Pld, RefusesWhatIsNoDeltaOrEpsilon) {
  for (double delta : {0.0, 1.0, -1.0, std::nan("")})
    EXPECT_THROW(pld_epsilon(GaussianEvent{1}, delta), InvalidArgument);
  for (double epsilon : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(pld_delta(GaussianEvent{1}, epsilon), InvalidArgument);
}

// privacy-claims 4.3, columns "(4.1) PLD" and "attainable pair": one null node among K replaced neighbours,
// noise 2 (K+1) lambda, delta 1/(10 N). The first was computed with losses rounded up to multiples of 5e-5,
// which adds T x 2.5e-5 on average, and both are printed with one decimal.
TEST(Pld, MatchesTheStudyOfDpGnn) {
  const struct {
    double nodes, batch;
    std::uint64_t degree;
    double lambda;
    std::uint64_t steps;
    double printed, attainable;
  } rows[] = {{90941, 10000, 7, 1, 500, 15.4, 13.0}, {90941, 10000, 7, 1, 3000, 50.1, 41.8},
              {90941, 2000, 7, 1, 3000, 6.1, 5.5},   {629571, 10000, 10, 0.8, 3000, 6.0, 5.4},
              {625000, 10000, 5, 1, 3000, 4.5, 4.0}, {2000, 256, 5, 1, 500, 15.5, 13.0}};
  for (const auto& row : rows) {
    const double multiplier = 2 * (static_cast<double>(row.degree) + 1) * row.lambda;
    const Bounds bounds = pld_epsilon(
        private_sgd(row.batch / row.nodes, multiplier, row.steps, 1, row.degree), 1 / (10 * row.nodes));
    EXPECT_NEAR(bounds.upper, row.printed - 2.5e-5 * static_cast<double>(row.steps), 0.051);
    EXPECT_GT(bounds.upper, row.attainable);
    EXPECT_GT(bounds.lower, 0.99 * bounds.upper);
  }
}

// privacy-claims 5.3: noise 12 C, batches of 64 out of 10,000, 100 epochs; intervals from an attainable pair
// to (4.1).
TEST(Pld, MatchesTheStudyOfDpdgc) {
  const auto embedding = [](std::uint64_t group) {
    return pld_epsilon(private_sgd(0.0064, 12, 15625, 0, group), 1e-5);
  };
  expect_close(embedding(1), 0.466);
  const Bounds two = embedding(2);
  EXPECT_GT(two.upper, 0.99);
  EXPECT_LT(two.upper, 1.035);
  const Bounds eight = embedding(8);
  EXPECT_GT(eight.upper, 4.7);
  EXPECT_LT(eight.upper, 4.95);
  const Bounds many = embedding(26);
  EXPECT_GT(many.upper, 20.1);
  EXPECT_LT(many.upper, 21.95);
}

// (1-g^K)(1+g) / ((1+g^K)(1-g)) / multiplier^2 at g = 1/2, K = 10 is 2.99415 / 4; at g = 1 it is K.
TEST(Pld, ContractiveIterationsAreGaussian) {
  const double power = std::pow(0.5, 10);
  const double factor = (1 - power) * 1.5 / ((1 + power) * 0.5);
  expect_contains(pld_epsilon(ContractiveGaussianEvent{0.5, 10, 2}, 1e-5),
                  gaussian_epsilon(std::sqrt(factor) / 2, 1e-5));
  expect_contains(pld_epsilon(ContractiveGaussianEvent{1, 10, 2}, 1e-5),
                  gaussian_epsilon(std::sqrt(10.0) / 2, 1e-5));
  expect_contains(pld_epsilon(ContractiveGaussianEvent{0, 10, 2}, 1e-5), gaussian_epsilon(0.5, 1e-5));
}

TEST(Pld, DoesNotDependOnTheOrderOfTheParts) {
  const std::vector<Event> parts = {
      GaussianEvent{3},   private_sgd(0.02, 1.5, 200),  repeated(LaplaceEvent{20}, 4),
      GaussianEvent{7.7}, RandomizedResponseEvent{0.2}, GaussianEvent{5.1}};
  std::vector<Event> reversed(parts.rbegin(), parts.rend());
  const Bounds one = pld_epsilon(composed(parts), 1e-6);
  const Bounds other = pld_epsilon(composed({composed(reversed), Event{}}), 1e-6);
  EXPECT_EQ(one.upper, other.upper);
  EXPECT_EQ(one.lower, other.lower);
  const Bounds split = pld_epsilon(composed({private_sgd(0.02, 1.5, 150), private_sgd(0.02, 1.5, 50)}), 1e-6);
  EXPECT_EQ(split.upper, pld_epsilon(repeated(private_sgd(0.02, 1.5, 20), 10), 1e-6).upper);
}

TEST(Pld, IsMonotone) {
  const auto epsilon = [](double rate, double multiplier, std::uint64_t steps, double delta) {
    return pld_epsilon(private_sgd(rate, multiplier, steps), delta).upper;
  };
  double previous = std::numeric_limits<double>::infinity();
  for (double multiplier : {0.6, 0.8, 1.0, 1.5, 3.0, 10.0}) {
    const double value = epsilon(0.02, multiplier, 300, 1e-6);
    EXPECT_LT(value, previous);
    previous = value;
  }
  previous = 0;
  for (double rate : {0.001, 0.003, 0.01, 0.1, 0.5, 1.0}) {
    const double value = epsilon(rate, 1, 300, 1e-6);
    EXPECT_GT(value, previous);
    previous = value;
  }
  previous = 0;
  for (std::uint64_t steps : {1, 2, 5, 30, 300, 3000}) {
    const double value = epsilon(0.02, 1, steps, 1e-6);
    EXPECT_GT(value, previous);
    previous = value;
  }
  previous = 0;
  for (double delta : {1e-2, 1e-4, 1e-6, 1e-9, 1e-14, 1e-20, 1e-50, 1e-150, 1e-300}) {
    const double value = epsilon(0.02, 1, 300, delta);
    EXPECT_GT(value, previous);
    previous = value;
  }
}

TEST(Pld, EpsilonAndDeltaAgree) {
  for (double delta : {1e-3, 1e-6, 1e-12, 1e-40}) {
    const Event event = composed({private_sgd(0.01, 1, 500), GaussianEvent{5}});
    const double epsilon = pld_epsilon(event, delta).upper;
    const Bounds back = pld_delta(event, epsilon);
    EXPECT_NEAR(back.upper, delta, 0.02 * delta);
    EXPECT_LE(back.lower, delta);
    EXPECT_GT(back.lower, 0);
  }
}

// One step with one added example by direct integration, at random: lower <= true <= upper.
TEST(Pld, ContainsTheTruthOfRandomSingleSteps) {
  SeededStream stream(11);
  for (int round = 0; round < 30; ++round) {
    const double rate = std::pow(10, -3 * stream.uniform());
    const double mu = std::pow(10, 1 - 2 * stream.uniform());
    const double epsilon = 0.5 * stream.uniform() * mu;
    // The rule's error is about its step times the change of slope, far below the tolerance.
    double with_first = 0;
    double without_first = 0;
    const double step = 1e-4;
    for (double x = -9; x < mu + 9; x += step) {
      const double base = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
      const double mixed = base * ((1 - rate) + rate * std::exp(mu * x - mu * mu / 2));
      with_first += std::max(0.0, mixed - std::exp(epsilon) * base) * step;
      without_first += std::max(0.0, base - std::exp(epsilon) * mixed) * step;
    }
    const double truth = std::max(with_first, without_first);
    if (truth < 1e-12) continue;
    const Bounds bounds = pld_delta(private_sgd(rate, 1 / mu, 1), epsilon);
    EXPECT_GE(bounds.upper, truth - 1e-8) << rate << ' ' << mu << ' ' << epsilon;
    EXPECT_LE(bounds.upper, truth * 1.01 + 1e-8) << rate << ' ' << mu << ' ' << epsilon;
    EXPECT_LE(bounds.lower, truth + 1e-8) << rate << ' ' << mu << ' ' << epsilon;
  }
}

// All corners at once are in pld_slow_test.cpp.
TEST(Pld, TellsSomethingSensibleAtTheExtremes) {
  for (double delta : {1e-300, 0.1}) {
    for (const Event& event :
         {repeated(GaussianEvent{1e-3}, 10'000'000), repeated(GaussianEvent{1e6}, 1),
          repeated(LaplaceEvent{1e-3}, 10'000'000), private_sgd(1e-8, 1e-3, 1),
          private_sgd(1, 1e6, 10'000'000), Event(PureEvent{1e-9}), repeated(PureEvent{1e4}, 1000),
          Event(DpGnnEvent{10, 9, 9, 1}), composed({GaussianEvent{1e-3}, private_sgd(1e-6, 10, 100)})}) {
      const Bounds bounds = pld_epsilon(event, delta);
      EXPECT_GE(bounds.lower, 0) << event.describe() << ' ' << delta;
      EXPECT_GE(bounds.upper, bounds.lower) << event.describe() << ' ' << delta;
      EXPECT_LT(bounds.upper, std::numeric_limits<double>::infinity()) << event.describe() << ' ' << delta;
    }
  }
}

}  // namespace
}  // namespace privet::privacy
