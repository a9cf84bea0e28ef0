#include "privet/core/mechanisms/geometric.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/one_run.hpp"
#include "core/simulation.hpp"
#include "privet/base/error.hpp"
#include "privet/core/mechanisms/grid.hpp"
#include "privet/core/mechanisms/noisy_count.hpp"
#include "privet/core/mechanisms/noisy_histogram.hpp"

namespace privet::privacy {
namespace {

using testing::measured_epsilon;
using testing::TwoWorlds;

constexpr std::size_t kDraws = 1000000;

double epsilon_of(const Event& event) { return std::get<PureEvent>(event.kind()).epsilon; }

Sensitivity count_by(double l1) {
  return Sensitivity::stated(Unit::edge(), {.l1 = l1, .coordinates = 1, .value = "x", .argument = "test"});
}

TEST(GeometricMechanism, CostsWhatItSays) {
  for (const std::int64_t sensitivity : {1, 4}) {
    const auto mechanism =
        GeometricMechanism::with_epsilon(count_by(static_cast<double>(sensitivity)), Epsilon(1.2));
    const double stated = epsilon_of(mechanism.event());
    EXPECT_LE(stated, 1.2);
    EXPECT_GE(stated, 1.2 * (1 - 1e-9));
    ReleaseLog log;
    SeededStream stream(7);
    TwoWorlds seen{.draws = kDraws};
    for (const std::int64_t value : {std::int64_t{0}, sensitivity}) {
      const auto released =
          mechanism.release(Secret<std::vector<std::int64_t>>(std::vector<std::int64_t>(kDraws, value)),
                            kDraws, "n", log, stream);
      for (const std::int64_t y : released) (value == 0 ? seen.likely : seen.unlikely) += y <= 0;
    }
    // Above the stated value only with probability 2e-6.
    EXPECT_LE(measured_epsilon(seen), stated);
    EXPECT_GE(measured_epsilon(seen), 0.9 * stated);
  }
}

TEST(GeometricMechanism, StatesItsNoise) {
  const auto mechanism = GeometricMechanism::with_epsilon(count_by(1), Epsilon(0.7));
  ReleaseLog log;
  SeededStream stream(1);
  const auto noise = mechanism.release(Secret<std::vector<std::int64_t>>(std::vector<std::int64_t>(200000)),
                                       200000, "n", log, stream);
  double squares = 0;
  for (const std::int64_t k : noise) squares += static_cast<double>(k) * static_cast<double>(k);
  // The relative error of the root mean square is 0.25 %; five of them.
  EXPECT_NEAR(std::sqrt(squares / 200000) / log.releases()[0].noise_stddev, 1, 0.0125);
}

TEST(GeometricMechanism, IsTotal) {
  const auto mechanism = GeometricMechanism::with_epsilon(count_by(1), Epsilon(1));
  ReleaseLog log;
  const auto released = [&](std::int64_t value) {
    SeededStream stream(2);
    return mechanism.release(Secret<std::int64_t>(value), "n", log, stream);
  };
  EXPECT_EQ(released(std::numeric_limits<std::int64_t>::max()) - released(0), kMostSteps);
  EXPECT_EQ(released(std::numeric_limits<std::int64_t>::min()) - released(0), -kMostSteps);
  SeededStream first(3);
  SeededStream second(3);
  EXPECT_EQ(mechanism.release(Secret<std::vector<std::int64_t>>({5, 5}), 3, "n", log, first),
            mechanism.release(Secret<std::vector<std::int64_t>>({0, 0, 0}), 3, "n", log, second));
}

TEST(GeometricMechanism, RefusesWhatItCanNotDo) {
  EXPECT_THROW((void)GeometricMechanism::with_epsilon(count_by(1), Epsilon(0)), InvalidArgument);
  EXPECT_THROW((void)GeometricMechanism::with_epsilon(count_by(0.5), Epsilon(1)), InvalidArgument);
  EXPECT_THROW((void)GeometricMechanism::with_epsilon(count_by(1), Epsilon(1e7)), InvalidArgument);
}

TEST(NoisyCount, IsTheGeometricMechanism) {
  ReleaseLog log;
  SeededStream first(4);
  SeededStream second(4);
  const Sensitivity sensitivity = edge_count_sensitivity(Unit::edge(), graph::Direction::undirected);
  const std::int64_t count =
      noisy_count(Secret<std::int64_t>(100), sensitivity, Epsilon(1), "edges", log, first);
  EXPECT_EQ(count, GeometricMechanism::with_epsilon(sensitivity, Epsilon(1))
                       .release(Secret<std::int64_t>(100), "edges", log, second));
  EXPECT_EQ(log.releases()[0].what, "edges");
  EXPECT_LE(epsilon_of(one_run(log.releases()[0])), 1);
}

TEST(NoisyHistogram, PaysForAllBinsTogether) {
  ReleaseLog log;
  SeededStream stream(5);
  const Sensitivity sensitivity = degree_histogram_sensitivity(Unit::edge());
  const auto bins = noisy_histogram(Secret<std::vector<std::int64_t>>({0, 1000000, 0, 3}), 4, sensitivity,
                                    Epsilon(1), "degrees", log, stream);
  EXPECT_EQ(bins.size(), 4u);
  EXPECT_NEAR(static_cast<double>(bins[1]), 1e6, 200);
  EXPECT_EQ(log.releases()[0].sensitivity, 4);
  // Scale 4 / epsilon: of discrete Laplace noise the standard deviation is about sqrt(2) times that.
  EXPECT_NEAR(log.releases()[0].noise_stddev, 4 * std::sqrt(2.0), 0.05);
}

}  // namespace
}  // namespace privet::privacy
