#include <gtest/gtest.h>

#include <cmath>

#include "core/simulation.hpp"
#include "privet/core/mechanisms/clipped_sum.hpp"
#include "privet/core/mechanisms/noisy_max.hpp"
#include "privet/core/mechanisms/noisy_quantile.hpp"
#include "privet/core/mechanisms/randomized_response.hpp"
#include "support/effort.hpp"

/// Up to a million runs of the mechanisms that can't be run a million times at once, one by one. In every
/// test the measured epsilon is above the true one with probability 2e-6 only.
namespace privet::privacy {
namespace {

using testing::gaussian_delta;
using testing::measured_epsilon;
using testing::TwoWorlds;

constexpr std::uint64_t kAllDraws = 1000000;  // for what fewer would not show
constexpr std::uint64_t kDraws = kAllDraws / privet::testing::kFewerRuns;

// A log that is emptied now and then: it would hold a million entries.
template <typename Run>
std::uint64_t hits(std::uint64_t draws, std::uint64_t seed, Run run) {
  SeededStream stream(seed);
  std::uint64_t total = 0;
  for (std::uint64_t block = 0; block < draws / 1000; ++block) {
    ReleaseLog log;
    for (int i = 0; i < 1000; ++i) total += run(log, stream) ? 1 : 0;
  }
  return total;
}

TEST(NoisyMaxSimulation, CostsWhatItSays) {
  constexpr double kEpsilon = 1;
  const NoisyMax mechanism(
      Sensitivity::stated(Unit::edge(), {.each = 1.0, .value = "score", .argument = "test"}),
      Epsilon(kEpsilon));
  // Both scores move by 1, against each other: candidate 0 is behind by 1 or by 3.
  const Secret<std::vector<double>> near(std::vector<double>{1, 2});
  const Secret<std::vector<double>> far(std::vector<double>{0, 3});
  const auto taken = [&](const Secret<std::vector<double>>& scores) {
    return hits(kDraws, 1, [&](ReleaseLog& log, RandomStream& stream) {
      return mechanism.release(scores, 2, "best", log, stream) == 0;
    });
  };
  const double measured = measured_epsilon({.draws = kDraws, .likely = taken(near), .unlikely = taken(far)});
  EXPECT_LE(measured, kEpsilon);
  EXPECT_GE(measured, 0.9 * kEpsilon);
}

TEST(NoisyQuantileSimulation, CostsNoMoreThanItSays) {
  constexpr double kEpsilon = 1;
  const QuantileQuery query{.quantile = 0.5, .count = 6, .changed_values = 1, .candidates = {1, 2, 3}};
  const Secret<std::vector<double>> low(std::vector<double>{1, 1, 1, 3, 3, 3});
  const Secret<std::vector<double>> high(std::vector<double>{1, 1, 3, 3, 3, 3});
  const auto taken = [&](const Secret<std::vector<double>>& values) {
    return hits(kDraws, 2, [&](ReleaseLog& log, RandomStream& stream) {
      return noisy_quantile(values, query, Unit::edge(), Epsilon(kEpsilon), "median", log, stream) == 3;
    });
  };
  // Ranks 3, 3, 6 against 2, 2, 6: candidate 3 is behind by 3 or by 2, so half of epsilon shows.
  const double measured = measured_epsilon({.draws = kDraws, .likely = taken(high), .unlikely = taken(low)});
  EXPECT_LE(measured, kEpsilon);
  EXPECT_GE(measured, 0.35 * kEpsilon);
}

TEST(RandomizedResponseSimulation, OneListCostsWhatItSays) {
  constexpr double kEpsilon = 1;
  const RandomizedResponse mechanism(Unit::local_edge(), Epsilon(kEpsilon));
  const Secret<std::vector<graph::NodeId>> with({1, 3});
  const Secret<std::vector<graph::NodeId>> without({3});
  const auto told = [&](const Secret<std::vector<graph::NodeId>>& list) {
    return hits(kDraws, 3, [&](ReleaseLog& log, RandomStream& stream) {
      const auto row = mechanism.release_row(list, 4, 0, "list", log, stream);
      return !row.empty() && row[0] == 1;
    });
  };
  const double measured =
      measured_epsilon({.draws = kDraws, .likely = told(with), .unlikely = told(without)});
  EXPECT_LE(measured, kEpsilon);
  EXPECT_GE(measured, 0.9 * kEpsilon);
}

ClippedSumPlan plan_of(AffectedExamples affected, Sampling sampling, std::uint64_t population,
                       double multiplier) {
  return {.unit = Unit::record(affected.added > 0 ? Adjacency::add_remove : Adjacency::replace),
          .affected = affected,
          .clip_norm = ClipNorm(1),
          .noise_multiplier = multiplier,
          .sampling = sampling,
          .population = population,
          .columns = 1};
}

// Runs one step on examples given by their single number.
template <typename IsHit>
std::uint64_t steps(const ClippedSum& sum, const std::vector<float>& examples, std::uint64_t draws,
                    std::uint64_t seed, IsHit is_hit) {
  return hits(draws, seed, [&](ReleaseLog& log, RandomStream& stream) {
    SampledBatch batch = sum.draw(stream);
    const Secret<tensor::Matrix> rows = batch.members().map(
        [](const std::vector<std::uint32_t>& members, const std::vector<float>& all) {
          tensor::Matrix matrix(members.size(), 1);
          for (std::size_t i = 0; i < members.size(); ++i) matrix(i, 0) = all[members[i]];
          return matrix;
        },
        examples);
    return is_hit(sum.release(rows, std::move(batch), "step", log, stream)[0]);
  });
}

TEST(ClippedSumSimulation, AReplacedExampleCostsTwoClipNorms) {
  constexpr double kMultiplier = 2;
  constexpr double kDelta = 0.02;
  const ClippedSum sum(plan_of({.added = 0, .replaced = 1}, PoissonSampling{1}, 2, kMultiplier));
  const double mu = 2 / kMultiplier;
  const double stated = testing::gaussian_epsilon(mu, kDelta);
  const auto is_hit = [&](double y) { return (y + 1) / 2 > stated / mu / mu + 0.5; };
  // The other example is 0, the replaced one far beyond the clip norm on either side.
  const double measured = measured_epsilon({.draws = kAllDraws,
                                            .likely = steps(sum, {0, 50}, kAllDraws, 4, is_hit),
                                            .unlikely = steps(sum, {0, -50}, kAllDraws, 5, is_hit)},
                                           kDelta);
  EXPECT_LE(measured, stated);
  EXPECT_GE(measured, 0.9 * stated);
}

TEST(ClippedSumSimulation, SubsamplingAmplifiesAsStated) {
  constexpr double kRate = 0.5;
  constexpr double kMultiplier = 0.7;
  constexpr double kDelta = 0.02;
  const ClippedSum sum(plan_of({.added = 1, .replaced = 0}, PoissonSampling{kRate}, 3, kMultiplier));
  // (1 - q) N(0) + q N(1) against N(0): delta(eps) = q delta_gauss(log((e^eps - 1 + q) / q)), closed form.
  const double mu = 1 / kMultiplier;
  double low = 0;
  double high = 50;
  for (int step = 0; step < 100; ++step) {
    const double eps = (low + high) / 2;
    (kRate * gaussian_delta(mu, std::log((std::exp(eps) - 1 + kRate) / kRate)) > kDelta ? low : high) = eps;
  }
  const double inner = std::log((std::exp(high) - 1 + kRate) / kRate);
  const auto is_hit = [&](double y) { return y > inner / mu / mu + 0.5; };
  const double measured = measured_epsilon({.draws = kAllDraws,
                                            .likely = steps(sum, {0, 9, 0}, kAllDraws, 6, is_hit),
                                            .unlikely = steps(sum, {0, 0, 0}, kAllDraws, 7, is_hit)},
                                           kDelta);
  EXPECT_LE(measured, high);
  EXPECT_GE(measured, 0.9 * high);
  EXPECT_LT(high, testing::gaussian_epsilon(mu, kDelta)) << "sampling helps";
}

}  // namespace
}  // namespace privet::privacy
