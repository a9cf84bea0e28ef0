#include "privet/audit/epsilon_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/samplers.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/audit/mechanism_trials.hpp"
#include "privet/base/binomial.hpp"
#include "privet/base/error.hpp"

namespace privet::audit {
namespace {

Trials separated(std::size_t runs) {
  return {std::vector<double>(runs, 1.0), std::vector<double>(runs, 0.0)};
}

TEST(EpsilonBound, RareEventIsTheFormula) {
  const WorldTest test{.reading = Reading::rare_event, .threshold = 0.5};
  const LowerBound bound = lower_bound(test, separated(1000), 1e-5, 0.95);
  const double likely = probability_at_least(1000, 1000, 0.025);
  const double unlikely = probability_at_most(0, 1000, 0.025);
  EXPECT_DOUBLE_EQ(bound.epsilon, std::log((likely - 1e-5) / unlikely));
  EXPECT_NEAR(bound.epsilon, 5.6, 0.01);  // what 1000 runs can show at most
}

TEST(EpsilonBound, AccuracyNeedsFewRuns) {
  const WorldTest test{.reading = Reading::accuracy, .threshold = 0.5};
  const LowerBound bound = lower_bound(test, separated(20), 0, 0.95);
  const double right = std::pow(0.05, 1.0 / 40);
  EXPECT_NEAR(bound.epsilon, std::log(right / (1 - right)), 1e-9);
  EXPECT_GT(bound.epsilon,
            lower_bound({.reading = Reading::rare_event, .threshold = 0.5}, separated(20), 0, 0.95).epsilon);
}

TEST(EpsilonBound, SidesAndWorldsAreTheSameSeenFromElsewhere) {
  const Trials trials = separated(50);
  const Trials swapped{trials.second, trials.first};
  for (const Reading reading : {Reading::rare_event, Reading::accuracy, Reading::gaussian}) {
    const double plain = lower_bound({reading, 0.5, true, true}, trials, 1e-6, 0.99).epsilon;
    EXPECT_GT(plain, 1);
    EXPECT_EQ(lower_bound({reading, 0.5, true, false}, swapped, 1e-6, 0.99).epsilon, plain);
    EXPECT_EQ(lower_bound({reading, 0.5, false, false}, trials, 1e-6, 0.99).epsilon, plain);
    // A test that looks the wrong way says nothing, rather than something negative.
    EXPECT_EQ(lower_bound({reading, 0.5, true, false}, trials, 1e-6, 0.99).epsilon, 0);
  }
}

TEST(EpsilonBound, ANegativeMuIsNone) {
  Trials trials;
  for (int i = 0; i < 100; ++i) {
    trials.first.push_back(i % 10);
    trials.second.push_back(i % 10 + 5);
  }
  const LowerBound bound = lower_bound({Reading::gaussian, 7, true, true}, trials, 1e-5, 0.95);
  EXPECT_EQ(*bound.mu, 0);
  EXPECT_EQ(bound.epsilon, 0);
}

TEST(EpsilonBound, TheThresholdLiesBetweenScores) {
  const WorldTest test = choose_test({{3, 4, 5}, {0, 1, 1.5}}, 20, 0, 0.95, Shape::unknown);
  EXPECT_GT(test.threshold, 1.5);
  EXPECT_LT(test.threshold, 3);
  EXPECT_EQ(test.above, test.favours_first);
}

// The Gaussian reading is offered for mechanisms that are declared so, and for no others.
TEST(EpsilonBound, ShapeIsNeverGuessed) {
  SeededStream stream(3);
  Trials trials{std::vector<double>(4000), std::vector<double>(4000)};
  testing::gaussian_sampler(1).draw(false, trials.first, stream);
  testing::gaussian_sampler(1).draw(true, trials.second, stream);
  EXPECT_EQ(choose_test(trials, 4000, 1e-5, 0.95, Shape::gaussian).reading, Reading::gaussian);
  EXPECT_NE(choose_test(trials, 4000, 1e-5, 0.95, Shape::unknown).reading, Reading::gaussian);
}

// Wrong with probability 1e-6 each.
TEST(EpsilonBound, SeesMostOfAGaussianAndOfAResponse) {
  SeededStream stream(4);
  const double mu = privacy::gaussian_mu(1, 1e-6);
  const double gaussian =
      audit_mechanism(testing::gaussian_sampler(mu), 200000, 1e-6, 1 - 1e-6, stream).epsilon;
  EXPECT_LE(gaussian, 1);
  EXPECT_GE(gaussian, 0.8);
  const double response = audit_mechanism(testing::response_sampler(2), 200000, 0, 1 - 1e-6, stream).epsilon;
  EXPECT_LE(response, 2);
  EXPECT_GE(response, 1.9);
}

TEST(EpsilonBound, LooksShareTheDoubt) {
  for (const std::uint64_t looks : {1U, 2U, 7U}) {
    double sum = 0;
    for (std::uint64_t look = 0; look < looks; ++look) sum += doubt_of_look(look, looks, 0.99);
    EXPECT_NEAR(sum, 0.01, 1e-15);
  }
  EXPECT_THROW((void)doubt_of_look(2, 2, 0.99), InvalidArgument);
}

TEST(EpsilonBound, RefusesWhatItCanNotVouchFor) {
  EXPECT_THROW((void)choose_test({{1}, {}}, 1, 0, 0.9, Shape::unknown), InvalidArgument);
  const WorldTest accuracy{.reading = Reading::accuracy};
  EXPECT_THROW((void)lower_bound(accuracy, {{1, 2}, {0}}, 0, 0.95), InvalidArgument);
  EXPECT_THROW((void)lower_bound(accuracy, separated(4), 0, 0.5), InvalidArgument);
  EXPECT_THROW((void)lower_bound(accuracy, separated(4), 0, 1), InvalidArgument);
}

}  // namespace
}  // namespace privet::audit
