#include "privet/privacy/accounting/pld.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace privet::privacy {
namespace {

Event private_sgd(double rate, double multiplier, std::uint64_t steps) {
  return repeated(SubsampledGaussianEvent{PoissonSampling{rate}, multiplier, 1, 0}, steps);
}

void expect_close(const Bounds& bounds, double golden) {
  EXPECT_LE(bounds.lower, bounds.upper);
  EXPECT_NEAR(bounds.upper, golden, 0.002 * golden);
  EXPECT_GT(bounds.lower, 0.99 * bounds.upper);
}

// Golden values: an independent accountant by discretised loss distributions, grid 1e-5.
TEST(Pld, MatchesGoldenValuesOfPrivateSgd) {
  expect_close(pld_epsilon(private_sgd(0.01, 1, 1000), 1e-5), 1.8282);
  expect_close(pld_epsilon(private_sgd(0.1, 2, 1000), 1e-5), 8.2793);
  expect_close(pld_epsilon(private_sgd(0.004, 0.8, 10000), 1e-5), 3.535);
}

}  // namespace
}  // namespace privet::privacy
