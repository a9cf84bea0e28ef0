#include "privet/accounting/accountant.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "privet/accounting/calibration.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/accounting/renyi.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

Event private_sgd(double rate, double sigma, std::uint64_t steps) {
  return repeated(SubsampledGaussianEvent{PoissonSampling{rate}, sigma, 1, 0}, steps);
}

TEST(AccountantName, GoesBothWays) {
  for (const Accountant one : {Accountant::automatic, Accountant::rdp, Accountant::gdp, Accountant::pld})
    EXPECT_EQ(parse_accountant(accountant_name(one)), one);
  EXPECT_EQ(parse_accountant("auto"), Accountant::automatic);
  try {
    parse_accountant("rpd");
    FAIL() << "must refuse";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("rdp"), std::string::npos) << error.what();
  }
}

TEST(Epsilon, OfNothingIsZero) {
  for (const Accountant one : {Accountant::automatic, Accountant::rdp, Accountant::gdp, Accountant::pld}) {
    EXPECT_EQ(epsilon(Event(), Delta(1e-6), one).upper, 0);
    EXPECT_EQ(epsilon(Event(), Delta(0), one).upper, 0);
    EXPECT_EQ(delta(Event(), Epsilon(0), one).upper, 0);
    EXPECT_TRUE(supports(Event(), one));
  }
  EXPECT_EQ(epsilon(composed({Event(), Event()}), Delta(0)).upper, 0);
}

TEST(Epsilon, OfGaussiansIsExact) {
  const Event event = composed({repeated(GaussianEvent{8.4494}, 4), ContractiveGaussianEvent{0.9, 20, 30}});
  const EpsilonBound bound = epsilon(event, Delta(1e-6));
  EXPECT_EQ(bound.by, Accountant::gdp);
  EXPECT_EQ(bound.upper, bound.lower);
  EXPECT_EQ(bound.upper, gaussian_epsilon(gaussian_dp_mu(event), 1e-6));
  const DeltaBound back = delta(event, Epsilon(bound.upper));
  EXPECT_EQ(back.by, Accountant::gdp);
  EXPECT_NEAR(back.upper, 1e-6, 1e-15);
}

TEST(Epsilon, OfPureEventsAddsUpAtDeltaZero) {
  const Event event = composed(
      {PureEvent{0.5}, repeated(RandomizedResponseEvent{0.25}, 6), LaplaceEvent{4}, ApproximateEvent{1, 0}});
  const EpsilonBound bound = epsilon(event, Delta(0));
  EXPECT_NEAR(bound.upper, 3.25, 1e-14);
  EXPECT_GE(bound.upper, 3.25);
  EXPECT_EQ(bound.lower, bound.upper);
  EXPECT_EQ(epsilon(PureEvent{0.1}, Delta(0)).upper, 0.1);
  EXPECT_EQ(delta(event, Epsilon(3.26), Accountant::rdp).upper, 0);
  EXPECT_GT(delta(event, Epsilon(3.24), Accountant::rdp).upper, 0);
}

TEST(Epsilon, AtDeltaZeroNamesThePartThatHasNone) {
  try {
    epsilon(composed({PureEvent{1}, GaussianEvent{3}}), Delta(0));
    FAIL() << "must refuse";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("gaussian"), std::string::npos) << error.what();
  }
  EXPECT_THROW(epsilon(ApproximateEvent{1, 1e-9}, Delta(0)), InvalidArgument);
  EXPECT_THROW(epsilon(PureEvent{1}, Delta(0), Accountant::gdp), InvalidArgument);
}

TEST(Epsilon, ByRenyiNeverExceedsBasicComposition) {
  const Event event = repeated(PureEvent{0.01}, 3);
  EXPECT_LE(epsilon(event, Delta(1e-12), Accountant::rdp).upper, 0.03 * (1 + 1e-14));
}

TEST(Epsilon, NamesWhoseBoundItIs) {
  const Event event = private_sgd(0.02, 1, 200);
  EXPECT_EQ(epsilon(event, Delta(1e-6), Accountant::rdp).by, Accountant::rdp);
  EXPECT_EQ(epsilon(event, Delta(1e-6), Accountant::rdp).lower, 0);
  EXPECT_EQ(epsilon(event, Delta(1e-6), Accountant::pld).by, Accountant::pld);
  EXPECT_THROW(epsilon(event, Delta(1e-6), Accountant::gdp), InvalidArgument);
  EXPECT_FALSE(supports(event, Accountant::gdp));
  EXPECT_TRUE(supports(event, Accountant::automatic));
}

TEST(Epsilon, AutomaticIsTheTightest) {
  const std::vector<Event> events = {
      private_sgd(0.02, 1, 200),
      composed({private_sgd(0.05, 2, 50), GaussianEvent{5}, LaplaceEvent{3}}),
      repeated(SubsampledGaussianEvent{FixedSizeSampling{1000, 50}, 4, 0, 1}, 30),
      repeated(DpGnnEvent{2000, 256, 5, 2}, 20),
      composed({ApproximateEvent{0.5, 1e-9}, GaussianEvent{3}}),
      repeated(RandomizedResponseEvent{0.1}, 40),
  };
  for (const Event& event : events) {
    const EpsilonBound best = epsilon(event, Delta(1e-5));
    EXPECT_GE(best.upper, best.lower) << event.describe();
    for (const Accountant one : {Accountant::rdp, Accountant::pld})
      if (supports(event, one)) {
        EXPECT_LE(best.upper, epsilon(event, Delta(1e-5), one).upper) << event.describe();
      }
    EXPECT_NE(best.by, Accountant::automatic) << event.describe();
    const DeltaBound back = delta(event, Epsilon(best.upper));
    EXPECT_LE(back.lower, 1e-5 * (1 + 1e-6)) << event.describe();
    EXPECT_LE(back.upper, 1.05e-5) << event.describe();
  }
}

TEST(Epsilon, ByLossDistributionsOfPrivateSgd) {
  // Poisson batches, rate 0.01, 1000 steps, epsilon 1, delta 1e-5. A public accountant with pessimistic
  // rounding needs 1.4158; plain convolution of the loss on a grid of 2.5e-4 puts epsilon 1.0000 at 1.4146.
  const double sigma =
      calibrate([](double s) { return private_sgd(0.01, s, 1000); }, Epsilon(1), Delta(1e-5));
  EXPECT_LE(sigma, 1.4158);
  EXPECT_NEAR(sigma, 1.4146, 2e-4);
}

TEST(Epsilon, OfAWholePlanDoesNotDependOnTheOrderOfItsParts) {
  const Event a = private_sgd(0.05, 2, 50);
  const Event b = GaussianEvent{5};
  const Event c = LaplaceEvent{10};
  const double one = epsilon(composed({a, b, c}), Delta(1e-6)).upper;
  EXPECT_NEAR(epsilon(composed({c, composed({b, a})}), Delta(1e-6)).upper, one, 1e-9 * one);
}

TEST(Epsilon, IsMonotone) {
  const auto cost = [](double rate, double sigma, std::uint64_t steps, double at) {
    return epsilon(private_sgd(rate, sigma, steps), Delta(at)).upper;
  };
  const double base = cost(0.02, 1, 100, 1e-6);
  EXPECT_GT(cost(0.022, 1, 100, 1e-6), base);
  EXPECT_GT(cost(0.02, 0.95, 100, 1e-6), base);
  EXPECT_GT(cost(0.02, 1, 110, 1e-6), base);
  EXPECT_GT(cost(0.02, 1, 100, 0.9e-6), base);
}

TEST(Epsilon, ByRenyiSurvivesExtremes) {
  for (const double sigma : {1e-3, 1.0, 1e6})
    for (const double at : {1e-300, 1e-9, 0.1}) {
      const std::vector<Event> events = {GaussianEvent{sigma}, private_sgd(0.01, sigma, 100),
                                         LaplaceEvent{sigma}, PureEvent{sigma}};
      for (const Event& event : events) {
        const double value = epsilon(event, Delta(at), Accountant::rdp).upper;
        EXPECT_TRUE(std::isfinite(value) && value >= 0) << event.describe() << ' ' << at;
      }
    }
}

}  // namespace
}  // namespace privet::privacy
