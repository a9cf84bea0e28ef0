#include "privet/methods/caribou/caribou_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/accounting/gaussian_dp.hpp"

namespace privet::methods {
namespace {

const HopChoices kChoices = {
    .hops = {1, 2, 4, 8, 16}, .contractions = {0.5, 0.7, 0.9}, .bounds = {1, 3, 10, 30, 100, 300}};

HopChoice chosen(double epsilon, const HopExpectation& expected) {
  return choose_hops(privacy::Unit::edge(), {}, kChoices, privacy::gaussian_mu(epsilon, 1e-6), expected);
}

TEST(ChooseHops, TakesOneHopWhereNoiseRules) {
  const HopExpectation dense{.degree = 50, .informative = 1, .columns = 7, .nodes = 1000};
  for (const double epsilon : {0.1, 1.0, 4.0}) EXPECT_EQ(chosen(epsilon, dense).hops, 1U) << epsilon;
}

TEST(ChooseHops, GoesFurtherWhereBudgetIsLargeAndLabelsAreFar) {
  const HopExpectation chains{.degree = 2, .informative = 0.15, .columns = 2, .nodes = 4000};
  std::uint64_t before = 0;
  for (const double epsilon : {1.0, 8.0, 16.0, 64.0}) {
    const std::uint64_t hops = chosen(epsilon, chains).hops;
    EXPECT_GE(hops, before) << epsilon;
    before = hops;
  }
  EXPECT_GE(before, 4U);
  EXPECT_EQ(chosen(1, chains).hops, 1U);
  EXPECT_EQ(choose_hops(privacy::Unit::none(), {}, kChoices, std::nullopt, chains).hops, 16U)
      << "without noise depth is free";
}

TEST(ChooseHops, FloorsAboutTheDegree) {
  const auto floor_at = [](double degree) {
    return chosen(1, {.degree = degree, .informative = 1, .columns = 5, .nodes = 10'000}).layer.bound;
  };
  EXPECT_GE(floor_at(30), 30U);
  EXPECT_GT(floor_at(100), floor_at(1));
}

TEST(PredictedNoise, FallsWithBudgetAndDegree) {
  const privacy::ContractiveLayer layer{.bound = 10};
  const HopExpectation expected{.degree = 10, .informative = 0.5, .columns = 4, .nodes = 1000};
  EXPECT_LT(predicted_noise(layer, 2, 0.1, expected), predicted_noise(layer, 2, 0.2, expected));
  HopExpectation denser = expected;
  denser.degree = 20;
  EXPECT_LT(predicted_noise(layer, 1, 0.1, denser), predicted_noise(layer, 1, 0.1, expected));
  HopExpectation silent = expected;
  silent.informative = 0.01;
  EXPECT_GT(predicted_noise(layer, 2, 0.1, silent), predicted_noise(layer, 2, 0.1, expected));
}

TEST(StddevFor, IsSensitivityTimesDepthOverBudget) {
  const privacy::ContractiveLayer layer{.bound = 1, .contraction = 0.5};
  const HopExpectation expected{.degree = 2, .informative = 1, .columns = 1, .nodes = 10};
  // sqrt 2 x 0.5 for an edge; (1 - g^2)(1 + g) / ((1 + g^2)(1 - g)) = 1.8 at g = 0.5.
  EXPECT_NEAR(stddev_for(privacy::Unit::edge(), layer, 2, 2.0, expected),
              std::sqrt(2.0) * 0.5 * std::sqrt(1.8) / 2, 1e-9);
  EXPECT_EQ(stddev_for(privacy::Unit::edge(), layer, 2, std::nullopt, expected), 0);
}

}  // namespace
}  // namespace privet::methods
