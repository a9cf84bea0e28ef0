#include "privet/accounting/pld_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "privet/accounting/event.hpp"
#include "privet/base/random.hpp"

namespace privet::privacy {
namespace {

// A mixture of Gaussians of variance 1: probability by mean.
using Mixture = std::map<double, double>;

double density(const Mixture& mixture, double x) {
  double sum = 0;
  for (const auto& [mean, weight] : mixture) sum += weight * std::exp(-(x - mean) * (x - mean) / 2);
  return sum / std::sqrt(2 * std::numbers::pi);
}

// By direct integration; the rule's error is below 1e-6 because the integrand has bounded slopes.
constexpr double kStep = 2e-3;
constexpr double kQuadrature = 1e-6;

std::vector<double> hockey_sticks(const Mixture& first, const Mixture& second,
                                  const std::vector<double>& epsilons) {
  const double low = std::min(first.begin()->first, second.begin()->first) - 9;
  const double high = std::max(first.rbegin()->first, second.rbegin()->first) + 9;
  std::vector<double> sums(epsilons.size(), 0);
  for (double x = low; x < high; x += kStep) {
    const double p = density(first, x);
    const double q = density(second, x);
    for (std::size_t i = 0; i < epsilons.size(); ++i)
      sums[i] += std::max(0.0, p - std::exp(epsilons[i]) * q) * kStep;
  }
  return sums;
}

const std::vector<double> kEpsilons = {0, 0.01, 0.1, 0.5, 1, 2, 4};

double binomial(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  double value = 1;
  for (std::uint64_t i = 0; i < k; ++i) value *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return value;
}

// Probability that the i replaced and j added examples are exactly those that join, of a given number each.
double probability(const SubsampledGaussianEvent& event, std::uint64_t i, std::uint64_t j) {
  const double ways = binomial(event.replaced, i) * binomial(event.added, j);
  if (const auto* poisson = std::get_if<PoissonSampling>(&event.sampling)) {
    const double q = poisson->rate;
    return ways * std::pow(q, static_cast<double>(i + j)) *
           std::pow(1 - q, static_cast<double>(event.replaced + event.added - i - j));
  }
  const auto& fixed = std::get<FixedSizeSampling>(event.sampling);
  if (i + j > fixed.batch) return 0;
  return ways * binomial(fixed.population - event.added - event.replaced, fixed.batch - i - j) /
         binomial(fixed.population, fixed.batch);
}

struct Pair {
  Mixture with;
  Mixture without;
};

// The outputs if replaced examples have the gradients `before` and `after`, added ones `own` or nothing, all
// others `other`, in units of the clip norm.
Pair outputs(const SubsampledGaussianEvent& event, double before, double after, double own, double other) {
  Pair pair;
  const double unit = 1 / event.noise_multiplier;
  const auto* fixed = std::get_if<FixedSizeSampling>(&event.sampling);
  for (std::uint64_t i = 0; i <= event.replaced; ++i) {
    for (std::uint64_t j = 0; j <= event.added; ++j) {
      const double weight = probability(event, i, j);
      if (weight == 0) continue;
      const double rest = fixed != nullptr ? other * static_cast<double>(fixed->batch - i - j) : 0;
      const auto replaced = static_cast<double>(i);
      pair.with[unit * (rest + before * replaced + own * static_cast<double>(j))] += weight;
      pair.without[unit * (rest + after * replaced)] += weight;
    }
  }
  return pair;
}

void expect_bound(const SubsampledGaussianEvent& event, const Pair& pair) {
  const Profile profile = batch_profile(event, 1e-20);
  const auto with_first = hockey_sticks(pair.with, pair.without, kEpsilons);
  const auto without_first = hockey_sticks(pair.without, pair.with, kEpsilons);
  for (std::size_t n = 0; n < kEpsilons.size(); ++n) {
    EXPECT_GE(std::exp(log_delta(profile, PairOrder::kWithFirst, kEpsilons[n])), with_first[n] - kQuadrature)
        << Event(event).describe() << " at " << kEpsilons[n];
    EXPECT_GE(std::exp(log_delta(profile, PairOrder::kWithoutFirst, kEpsilons[n])),
              without_first[n] - kQuadrature)
        << Event(event).describe() << " at " << kEpsilons[n];
  }
}

void expect_equal(const SubsampledGaussianEvent& event, const Pair& pair) {
  const Profile profile = batch_profile(event, 1e-20);
  const auto with_first = hockey_sticks(pair.with, pair.without, kEpsilons);
  const auto without_first = hockey_sticks(pair.without, pair.with, kEpsilons);
  for (std::size_t n = 0; n < kEpsilons.size(); ++n) {
    EXPECT_NEAR(std::exp(log_delta(profile, PairOrder::kWithFirst, kEpsilons[n])), with_first[n],
                kQuadrature);
    EXPECT_NEAR(std::exp(log_delta(profile, PairOrder::kWithoutFirst, kEpsilons[n])), without_first[n],
                kQuadrature);
  }
}

TEST(PldProfile, IsExactForOneExampleAndPoissonSampling) {
  for (double rate : {0.01, 0.3, 0.9}) {
    for (double multiplier : {0.5, 1.0, 3.0}) {
      const SubsampledGaussianEvent added{PoissonSampling{rate}, multiplier, 1, 0};
      expect_equal(added, outputs(added, 0, 0, 1, 0));
      const SubsampledGaussianEvent replaced{PoissonSampling{rate}, multiplier, 0, 1};
      expect_equal(replaced, outputs(replaced, 1, -1, 0, 0));
    }
  }
}

// The replaced gradients of a group all turned round, against every kind of company, and random ones.
TEST(PldProfile, BoundsWhatAGroupCanDo) {
  SeededStream stream(3);
  for (int round = 0; round < 25; ++round) {
    SubsampledGaussianEvent event;
    event.added = stream.below(3);
    event.replaced = stream.below(4);
    if (event.added + event.replaced == 0) event.replaced = 1;
    event.noise_multiplier = 0.5 + 6 * stream.uniform();
    if (stream.below(2) == 0) {
      event.sampling = PoissonSampling{0.02 + 0.9 * stream.uniform()};
    } else {
      const std::uint64_t population = event.added + event.replaced + stream.below(12);
      event.sampling = FixedSizeSampling{population, 1 + stream.below(population)};
    }
    for (double other : {-1.0, 0.0, 1.0}) expect_bound(event, outputs(event, 1, -1, 1, other));
    const auto any = [&] { return 2 * stream.uniform() - 1; };
    const double before = any();
    const double after = any();
    const double own = any();
    expect_bound(event, outputs(event, before, after, own, any()));
  }
}

// Between batches of a fixed size an affected example takes the place of another one, so that one added
// example can move the sum of the batch that holds it by two clip norms against one that does not.
TEST(PldProfile, FixedSizeCostsMoreThanPoissonForAnAddedExample) {
  const Profile fixed = batch_profile(SubsampledGaussianEvent{FixedSizeSampling{100, 10}, 2, 1, 0}, 1e-20);
  const Profile poisson = batch_profile(SubsampledGaussianEvent{PoissonSampling{0.1}, 2, 1, 0}, 1e-20);
  EXPECT_GT(log_delta(fixed, PairOrder::kWithFirst, 0.1), log_delta(poisson, PairOrder::kWithFirst, 0.1));
}

TEST(PldProfile, FullBatchesAreGaussian) {
  EXPECT_EQ(batch_profile(SubsampledGaussianEvent{PoissonSampling{1}, 2, 1, 3}, 1e-20),
            Profile(GaussianProfile{3.5}));
  EXPECT_EQ(batch_profile(SubsampledGaussianEvent{FixedSizeSampling{9, 9}, 2, 0, 1}, 1e-20),
            Profile(GaussianProfile{1}));
  EXPECT_EQ(batch_profile(DpGnnEvent{9, 9, 3, 2}.as_clipped_sum(), 1e-20), Profile(GaussianProfile{0.5}));
}

// DP-GNN's step is K+1 replaced of N, with noise 2 (K+1) times the multiplier.
TEST(PldProfile, DpGnnIsAGroupInAFixedSizeBatch) {
  const Profile dpgnn = batch_profile(DpGnnEvent{200, 20, 3, 1.5}.as_clipped_sum(), 1e-20);
  const Profile group = batch_profile(SubsampledGaussianEvent{FixedSizeSampling{200, 20}, 12, 0, 4}, 1e-20);
  for (double epsilon : kEpsilons)
    EXPECT_NEAR(log_delta(dpgnn, PairOrder::kWithFirst, epsilon),
                log_delta(group, PairOrder::kWithFirst, epsilon), 1e-12);
}

// Thousands of shifts are rounded up to a few hundred: the bound grows, but little.
TEST(PldProfile, ManyShiftsAreRoundedUp) {
  const auto profile = std::get<BatchProfile>(
      batch_profile(SubsampledGaussianEvent{PoissonSampling{0.3}, 5000, 0, 5000}, 1e-20));
  EXPECT_LE(profile.with_first.size(), 200u);
  double mean = 0;
  double total = 0;
  for (const auto& shift : profile.with_first) {
    mean += shift.mu * shift.pair;
    total += shift.pair;
  }
  EXPECT_NEAR(total, 1, 1e-9);
  EXPECT_GE(mean, 0.6);
  EXPECT_LE(mean, 0.605);
}

}  // namespace
}  // namespace privet::privacy
