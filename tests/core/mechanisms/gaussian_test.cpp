#include "privet/core/mechanisms/gaussian.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/simulation.hpp"
#include "privet/base/error.hpp"
#include "privet/core/mechanisms/grid.hpp"

namespace privet::privacy {
namespace {

using testing::gaussian_epsilon;
using testing::measured_epsilon;
using testing::TwoWorlds;

constexpr std::size_t kDraws = 1000000;

Sensitivity degree_of_one() {
  return Sensitivity::stated(Unit::directed_edge(),
                             {.l2 = 1.0, .coordinates = 1, .value = "x", .argument = "test"});
}

double multiplier_of(const Event& event) { return std::get<GaussianEvent>(event.kind()).noise_multiplier; }

// Each coordinate is one run of the mechanism on one number: 0 in one world, 1 in the other.
TEST(GaussianMechanism, CostsWhatItSays) {
  constexpr double kDelta = 0.02;
  for (const double multiplier : {0.8, 1.0, 2.0}) {
    const auto mechanism = GaussianMechanism::with_multiplier(degree_of_one(), multiplier);
    const double mu = 1 / multiplier_of(mechanism.event());
    const double stated = gaussian_epsilon(mu, kDelta);
    // The likeliest-ratio event at this delta: the loss exceeds epsilon.
    const double threshold = stated / mu / mu + 0.5;
    ReleaseLog log;
    SeededStream stream(7);
    TwoWorlds seen{.draws = kDraws};
    for (const double value : {0.0, 1.0}) {
      const auto released = mechanism.release(Secret<std::vector<double>>(std::vector<double>(kDraws, value)),
                                              kDraws, "a number", log, stream);
      for (const double y : released) (value == 1 ? seen.likely : seen.unlikely) += y > threshold;
    }
    // Above the stated value only with probability 2e-6.
    const double measured = measured_epsilon(seen, kDelta);
    EXPECT_LE(measured, stated) << multiplier;
    EXPECT_GE(measured, 0.9 * stated) << multiplier;
  }
}

TEST(GaussianMechanism, WritesWhatItDid) {
  const auto mechanism = GaussianMechanism::with_stddev(
      neighbor_sum_sensitivity(Unit::edge(), {.row_bound = 1, .columns = 8}), NoiseStddev(4.0));
  ReleaseLog log;
  SeededStream stream(1);
  const auto result =
      mechanism.release(Secret<tensor::Matrix>(tensor::Matrix(5, 8)), 5, 8, "votes", log, stream);
  EXPECT_EQ(result.rows(), 5u);
  ASSERT_EQ(log.releases().size(), 1u);
  const Release& release = log.releases()[0];
  EXPECT_EQ(release.what, "votes");
  EXPECT_EQ(release.mechanism, "gaussian");
  EXPECT_EQ(release.norm, "L2");
  EXPECT_EQ(release.noise_stddev, 4.0);
  // sqrt(2), and what rounding 16 coordinates costs.
  EXPECT_GE(release.sensitivity, std::sqrt(2.0) + mechanism.grid() * 4);
  EXPECT_LE(release.sensitivity, std::sqrt(2.0) + mechanism.grid() * 4 + 1e-12);
  EXPECT_LE(multiplier_of(release.event), 4.0 / release.sensitivity);
  EXPECT_GE(multiplier_of(release.event), 4.0 / release.sensitivity * (1 - 1e-12));
  EXPECT_NE(release.reference.find("units.md#sum-over-neighbours"), std::string::npos);
}

TEST(GaussianMechanism, AMultiplierComesOutAsItWentIn) {
  const auto mechanism = GaussianMechanism::with_multiplier(
      neighbor_sum_sensitivity(Unit::edge(), {.row_bound = 0.37, .columns = 64}), 4.2247);
  EXPECT_EQ(multiplier_of(mechanism.event()), 4.2247);
  EXPECT_GE(mechanism.stddev().value(), 4.2247 * mechanism.charged());
  EXPECT_LE(mechanism.charged(), std::sqrt(2.0) * 0.37 * (1 + 1e-4)) << "rounding costs next to nothing";
}

TEST(GaussianMechanism, ResultsAreOnThePublicGrid) {
  const auto mechanism = GaussianMechanism::with_stddev(degree_of_one(), NoiseStddev(1.7));
  ReleaseLog log;
  SeededStream stream(2);
  const auto released = mechanism.release(Secret<std::vector<double>>(std::vector<double>(1000, 1.0 / 3)),
                                          1000, "x", log, stream);
  for (const double y : released) EXPECT_EQ(std::fmod(y, mechanism.grid()), 0.0);
}

TEST(GaussianMechanism, TheNoiseDoesNotDependOnTheData) {
  const auto mechanism = GaussianMechanism::with_stddev(degree_of_one(), NoiseStddev(2.0));
  ReleaseLog log;
  SeededStream first(3);
  SeededStream second(3);
  const auto zeros =
      mechanism.release(Secret<std::vector<double>>(std::vector<double>(100)), 100, "x", log, first);
  const auto large =
      mechanism.release(Secret<std::vector<double>>(std::vector<double>(100, 1e5)), 100, "x", log, second);
  for (std::size_t i = 0; i < zeros.size(); ++i) EXPECT_EQ(large[i] - zeros[i], 1e5);
  EXPECT_EQ(first.bits(), second.bits()) << "nor does what is drawn later";
}

TEST(GaussianMechanism, IsTotal) {
  const auto mechanism = GaussianMechanism::with_stddev(degree_of_one(), NoiseStddev(1.0));
  const double nan = std::nan("");
  const auto released = [&](std::vector<double> values) {
    ReleaseLog log;
    SeededStream stream(4);
    return mechanism.release(Secret<std::vector<double>>(std::move(values)), 3, "x", log, stream);
  };
  const std::vector<double> noise = released({0, 0, 0});
  EXPECT_EQ(released({nan, nan, nan}), noise);
  EXPECT_EQ(released({1, 2}), noise) << "another length counts as zeros";
  EXPECT_EQ(released({}), noise);
  const double bound = from_steps(kMostSteps, mechanism.grid());
  EXPECT_EQ(released({HUGE_VAL, -HUGE_VAL, 1e300})[1], noise[1] - bound);
  for (const double y : released({HUGE_VAL, -HUGE_VAL, 1e300})) EXPECT_TRUE(std::isfinite(y));
}

TEST(GaussianMechanism, AFailedSecretIsReleasedAsNoise) {
  const auto mechanism = GaussianMechanism::with_stddev(degree_of_one(), NoiseStddev(1.0));
  const Secret<double> one(1);
  const Secret<double> failed =
      one.map([](const double&) -> double { throw DataError({.what = "secret text"}); });
  ReleaseLog log;
  SeededStream first(5);
  SeededStream second(5);
  EXPECT_EQ(mechanism.release(failed, "x", log, first),
            mechanism.release(Secret<double>(0), "x", log, second));
  EXPECT_EQ(log.releases()[0].times, 2u);
}

TEST(GaussianMechanism, InPlaceAndCopiedAreTheSame) {
  const auto mechanism = GaussianMechanism::with_stddev(degree_of_one(), NoiseStddev(1.0));
  tensor::Matrix values(3, 2);
  values(1, 1) = 5;
  Secret<tensor::Matrix> secret(values);
  ReleaseLog log;
  SeededStream first(6);
  SeededStream second(6);
  const tensor::Matrix copied = mechanism.release(secret, 3, 2, "x", log, first);
  EXPECT_EQ(mechanism.release(std::move(secret), 3, 2, "x", log, second), copied);
  SeededStream third(6);
  const tensor::Matrix other =
      mechanism.release(Secret<tensor::Matrix>(tensor::Matrix(2, 3)), 3, 2, "x", log, third);
  EXPECT_EQ(other(0, 0), copied(0, 0)) << "a matrix of another shape counts as zeros";
  EXPECT_NEAR(copied(1, 1) - other(1, 1), 5, 1e-5);
}

TEST(GaussianMechanism, ReleasesFixedPoint) {
  const auto mechanism = GaussianMechanism::with_stddev(degree_of_one(), NoiseStddev(1.0));
  ReleaseLog log;
  SeededStream first(7);
  SeededStream second(7);
  FixedPointMatrix fixed{.rows = 1, .columns = 2, .grid = mechanism.grid(), .steps = {1 << 20, 0}};
  tensor::Matrix same(1, 2);
  same(0, 0) = static_cast<float>(mechanism.grid() * (1 << 20));
  EXPECT_EQ(mechanism.release(Secret<FixedPointMatrix>(std::move(fixed)), 1, 2, "x", log, first),
            mechanism.release(Secret<tensor::Matrix>(same), 1, 2, "x", log, second));
}

TEST(GaussianMechanism, NeedsToKnowHowManyCoordinatesMove) {
  const Sensitivity vague = Sensitivity::stated(Unit::edge(), {.l2 = 1.0, .value = "x", .argument = "test"});
  EXPECT_THROW((void)GaussianMechanism::with_multiplier(vague, 1), InvalidArgument);
  EXPECT_THROW((void)GaussianMechanism::with_multiplier(degree_of_one(), 0), InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
