#include "privet/core/mechanisms/laplace.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/simulation.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

using testing::measured_epsilon;
using testing::TwoWorlds;

constexpr std::size_t kDraws = 1000000;

Sensitivity number_of_one() {
  return Sensitivity::stated(Unit::directed_edge(),
                             {.l1 = 1.0, .coordinates = 1, .value = "x", .argument = "test"});
}

double epsilon_of(const Event& event) { return 1 / std::get<LaplaceEvent>(event.kind()).noise_multiplier; }

// Each coordinate is one run of the mechanism on one number: 0 in one world, 1 in the other. Below 0 the loss
// is epsilon throughout.
TEST(LaplaceMechanism, CostsWhatItSays) {
  for (const double epsilon : {0.5, 1.0, 3.0}) {
    const auto mechanism = LaplaceMechanism::with_epsilon(number_of_one(), Epsilon(epsilon));
    EXPECT_LE(epsilon_of(mechanism.event()), epsilon);
    EXPECT_GE(epsilon_of(mechanism.event()), epsilon * (1 - 1e-5));
    ReleaseLog log;
    SeededStream stream(7);
    TwoWorlds seen{.draws = kDraws};
    for (const double value : {0.0, 1.0}) {
      const auto released = mechanism.release(Secret<std::vector<double>>(std::vector<double>(kDraws, value)),
                                              kDraws, "a number", log, stream);
      for (const double y : released) (value == 0 ? seen.likely : seen.unlikely) += y <= 0;
    }
    // Above the stated value only with probability 2e-6.
    EXPECT_LE(measured_epsilon(seen), epsilon_of(mechanism.event()));
    EXPECT_GE(measured_epsilon(seen), 0.9 * epsilon);
  }
}

TEST(LaplaceMechanism, RoundingIsCharged) {
  const Sensitivity many =
      Sensitivity::stated(Unit::edge(), {.l1 = 2.0, .coordinates = 1000, .value = "x", .argument = "test"});
  const auto mechanism = LaplaceMechanism::with_epsilon(many, Epsilon(1));
  EXPECT_GE(mechanism.charged(), 2 + 1000 * mechanism.grid());
  EXPECT_GE(mechanism.scale(), mechanism.charged());
  EXPECT_LE(epsilon_of(mechanism.event()), 1);
}

TEST(LaplaceMechanism, WritesWhatItDidAndIsTotal) {
  const auto mechanism = LaplaceMechanism::with_epsilon(number_of_one(), Epsilon(1));
  ReleaseLog log;
  const auto released = [&](std::vector<double> values) {
    SeededStream stream(1);
    return mechanism.release(Secret<std::vector<double>>(std::move(values)), 2, "degrees", log, stream);
  };
  const std::vector<double> noise = released({0, 0});
  EXPECT_EQ(released({std::nan(""), std::nan("")}), noise);
  EXPECT_EQ(released({1}), noise);
  EXPECT_EQ(released({1, 0})[0], noise[0] + 1);
  for (const double y : noise) EXPECT_EQ(std::fmod(y, mechanism.grid()), 0.0);
  ASSERT_EQ(log.releases().size(), 1u);
  EXPECT_EQ(log.releases()[0].times, 4u);
  EXPECT_EQ(log.releases()[0].mechanism, "laplace");
  EXPECT_EQ(log.releases()[0].norm, "L1");
  EXPECT_NEAR(log.releases()[0].noise_stddev, std::sqrt(2.0), 1e-4);
}

TEST(LaplaceMechanism, RefusesNoBudget) {
  EXPECT_THROW((void)LaplaceMechanism::with_epsilon(number_of_one(), Epsilon(0)), InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
