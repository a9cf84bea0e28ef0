#include "privet/accounting/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

Event private_sgd(double rate, double sigma, std::uint64_t steps) {
  return repeated(SubsampledGaussianEvent{PoissonSampling{rate}, sigma, 1, 0}, steps);
}

const Plan kOneGaussian = [](double sigma) { return GaussianEvent{sigma}; };

TEST(Calibrate, FindsTheExactGaussian) {
  for (const double epsilon : {1e-4, 0.1, 1.0, 8.0, 1e3})
    for (const double delta : {1e-100, 1e-10, 1e-5, 0.1}) {
      const double sigma = calibrate(kOneGaussian, Epsilon(epsilon), Delta(delta));
      const double exact = 1 / gaussian_mu(epsilon, delta);
      EXPECT_GE(sigma, exact * (1 - 1e-12)) << epsilon << ' ' << delta;
      EXPECT_LE(sigma, exact * (1 + 2e-6)) << epsilon << ' ' << delta;
      EXPECT_LE(privacy::epsilon(kOneGaussian(sigma), Delta(delta)).upper, epsilon);
    }
}

TEST(Calibrate, FindsPublishedNoise) {
  // GAP at edge level, logged by a third party: epsilon 1, delta 1e-6, 4 and 20 hops.
  const auto hops = [](std::uint64_t count) {
    return [count](double sigma) { return repeated(GaussianEvent{sigma}, count); };
  };
  EXPECT_NEAR(calibrate(hops(4), Epsilon(1), Delta(1e-6)), 8.4494, 6e-5);
  EXPECT_NEAR(calibrate(hops(20), Epsilon(1), Delta(1e-6)), 18.8933, 1e-4);
  // CARIBOU, 20 hops, Lipschitz 0.9, epsilon 1, delta 1e-5, from its logs.
  EXPECT_NEAR(calibrate(
                  [](double s) {
                    return ContractiveGaussianEvent{0.9, 20, s};
                  },
                  Epsilon(1), Delta(1e-5)),
              14.391, 6e-4);
  // Private SGD by Renyi divergence over real orders, independent implementation.
  const double sgd = calibrate([](double s) { return private_sgd(0.01, s, 1000); }, Epsilon(1), Delta(1e-5),
                               Accountant::rdp);
  EXPECT_NEAR(sgd, 1.5131, 1e-4);
}

TEST(Calibrate, WorksForLaplaceAtDeltaZero) {
  const double scale =
      calibrate([](double b) { return repeated(LaplaceEvent{b}, 10); }, Epsilon(2), Delta(0));
  EXPECT_NEAR(scale, 5, 1e-5);
  EXPECT_GE(scale, 5);
}

TEST(Calibrate, AsksFewQuestions) {
  int questions = 0;
  const Plan counting = [&](double sigma) {
    ++questions;
    return private_sgd(0.02, sigma, 500);
  };
  calibrate(counting, Epsilon(0.7), Delta(1e-6), Accountant::rdp);
  EXPECT_LE(questions, 22);
}

TEST(Calibrate, ReturnsTheFloorWhereNoNoiseIsNeeded) {
  EXPECT_NEAR(calibrate([](double) { return Event(); }, Epsilon(1), Delta(1e-6)), 1e-6, 1e-11);
}

TEST(Calibrate, FailsClosed) {
  // A part that noise does not help.
  const Plan fixed_cost = [](double sigma) { return composed({GaussianEvent{sigma}, PureEvent{2}}); };
  EXPECT_THROW(calibrate(fixed_cost, Epsilon(1), Delta(1e-6), Accountant::rdp), Unsound);
  // Nothing private about it at all.
  const Plan hopeless = [](double) { return ApproximateEvent{1e-9, 0.5}; };
  EXPECT_THROW(calibrate(hopeless, Epsilon(1), Delta(1e-6), Accountant::pld), Unsound);
  // Epsilon 0 at delta 0 needs infinite noise.
  EXPECT_THROW(calibrate([](double b) { return LaplaceEvent{b}; }, Epsilon(0), Delta(0)), Unsound);
  // An accountant that does not cover the plan says so; no scale comes back.
  EXPECT_THROW(calibrate([](double b) { return LaplaceEvent{b}; }, Epsilon(1), Delta(1e-6), Accountant::gdp),
               InvalidArgument);
}

TEST(Calibrate, MeetsEpsilonZeroWithDelta) {
  const double sigma = calibrate(kOneGaussian, Epsilon(0), Delta(1e-3));
  EXPECT_NEAR(sigma, 1 / gaussian_mu(0, 1e-3), 1e-3);
  EXPECT_EQ(epsilon(kOneGaussian(sigma), Delta(1e-3)).upper, 0);
}

TEST(Calibrate, RefusesAPlanThatIsNotANumber) {
  const Plan broken = [](double sigma) { return GaussianEvent{sigma * std::nan("")}; };
  EXPECT_THROW(calibrate(broken, Epsilon(1), Delta(1e-6)), InvalidArgument);
}

TEST(CalibrateWeighted, KeepsProportions) {
  const std::vector<WeightedPart> parts = {{kOneGaussian, 1}, {kOneGaussian, 3}};
  const std::vector<double> scales = calibrate_weighted(parts, Epsilon(1), Delta(1e-6));
  ASSERT_EQ(scales.size(), 2u);
  EXPECT_NEAR(scales[1] / scales[0], 3, 1e-12);
  EXPECT_NEAR(std::hypot(1 / scales[0], 1 / scales[1]), gaussian_mu(1, 1e-6), 1e-6);
  EXPECT_LE(epsilon(composed({GaussianEvent{scales[0]}, GaussianEvent{scales[1]}}), Delta(1e-6)).upper, 1);
  EXPECT_TRUE(calibrate_weighted({}, Epsilon(1), Delta(1e-6)).empty());
  const std::vector<WeightedPart> zero = {{kOneGaussian, 0}};
  EXPECT_THROW(calibrate_weighted(zero, Epsilon(1), Delta(1e-6)), InvalidArgument);
}

TEST(CalibrateWeighted, DoesNotDependOnTheUnitOfTheWeights) {
  const std::vector<WeightedPart> large = {{kOneGaussian, 1e30}, {kOneGaussian, 3e30}};
  const std::vector<WeightedPart> small = {{kOneGaussian, 1e-30}, {kOneGaussian, 3e-30}};
  const double a = calibrate_weighted(large, Epsilon(1), Delta(1e-6))[0];
  const double b = calibrate_weighted(small, Epsilon(1), Delta(1e-6))[0];
  EXPECT_NEAR(a, b, 2e-6 * a);
}

TEST(BestSplit, FindsTheClosedFormOfGaussianParts) {
  // Minimise a s1^2 + b s2^2 + c s3^2 under 1/s1^2 + 1/s2^2 + 1/s3^2 = mu^2: s_i^2 is proportional to
  // 1/sqrt(a_i), and the least is (sqrt a + sqrt b + sqrt c)^2 / mu^2.
  const std::vector<WeightedPart> parts = {{kOneGaussian, 1}, {kOneGaussian, 1}, {kOneGaussian, 1}};
  const double a[] = {1, 16, 81};
  const Split split = best_split(
      parts,
      [&](std::span<const double> s) { return a[0] * s[0] * s[0] + a[1] * s[1] * s[1] + a[2] * s[2] * s[2]; },
      Epsilon(1), Delta(1e-6));
  const double mu = gaussian_mu(1, 1e-6);
  EXPECT_NEAR(split.objective, std::pow(1 + 4 + 9, 2) / (mu * mu), 1e-4 * split.objective);
  EXPECT_NEAR(split.scales[0] / split.scales[1], 2, 0.02);
  EXPECT_NEAR(split.scales[0] / split.scales[2], 3, 0.03);
  const Event all = composed(
      {GaussianEvent{split.scales[0]}, GaussianEvent{split.scales[1]}, GaussianEvent{split.scales[2]}});
  EXPECT_LE(epsilon(all, Delta(1e-6)).upper, 1);
}

TEST(BestSplit, NeverReturnsLessThanTheStart) {
  const std::vector<WeightedPart> one = {{kOneGaussian, 5}};
  const auto first = [](std::span<const double> s) { return s[0]; };
  const Split split = best_split(one, first, Epsilon(1), Delta(1e-6));
  EXPECT_NEAR(split.scales[0], 4.2247, 6e-5);
  EXPECT_EQ(split.objective, split.scales[0]);
}

}  // namespace
}  // namespace privet::privacy
