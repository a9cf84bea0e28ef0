#include "privet/audit/one_run_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/one_run_audits.hpp"
#include "privet/base/binomial.hpp"
#include "privet/base/error.hpp"

namespace privet::audit {
namespace {

TEST(OneRunBound, WithoutDeltaItIsABinomialTail) {
  const Guesses seen{.canaries = 100, .guesses = 50, .right = 45};
  const double q = std::exp(1.0) / (1 + std::exp(1.0));
  EXPECT_NEAR(one_run_p_value(seen, 1, 0), binomial_tail(45, 50, q), 1e-12);
}

// The maximum over i, spelled out.
TEST(OneRunBound, DeltaCostsTheWorstOfAllSums) {
  const Guesses seen{.canaries = 200, .guesses = 30, .right = 25};
  const double q = 1 / (1 + std::exp(-0.5));
  double worst = 0;
  for (std::uint64_t i = 1; i <= seen.right; ++i) {
    double between = 0;
    for (std::uint64_t k = seen.right - i; k < seen.right; ++k) between += binomial_mass(k, 30, q);
    worst = std::max(worst, between / static_cast<double>(i));
  }
  EXPECT_NEAR(one_run_p_value(seen, 0.5, 1e-4), binomial_tail(25, 30, q) + 2 * 200 * 1e-4 * worst, 1e-12);
}

TEST(OneRunBound, EpsilonIsWhereTheChanceIsTheDoubt) {
  const Guesses seen{.canaries = 1000, .guesses = 1000, .right = 900};
  const double epsilon = one_run_epsilon(seen, 1e-6, 0.95);
  EXPECT_NEAR(one_run_p_value(seen, epsilon, 1e-6), 0.05, 1e-6);
  EXPECT_LT(epsilon, std::log(9.0));
  EXPECT_GT(epsilon, 1.8);
  EXPECT_EQ(one_run_epsilon({.canaries = 10, .guesses = 10, .right = 5}, 0, 0.95), 0);
  EXPECT_EQ(one_run_mu({.canaries = 10, .guesses = 10, .right = 0}, 0.95), 0);
}

TEST(OneRunBound, MoreRightGuessesRefuteMore) {
  double before = 0;
  for (std::uint64_t right = 550; right <= 1000; right += 50) {
    const double mu = one_run_mu({.canaries = 1000, .guesses = 1000, .right = right}, 0.95);
    EXPECT_GE(mu, before);
    before = mu;
  }
  EXPECT_GT(before, 2);  // all right: less than 5.5, which 1000 independent runs would show
}

TEST(OneRunBound, RefusesWhatIsNoCount) {
  EXPECT_THROW((void)one_run_epsilon({.canaries = 1, .guesses = 2, .right = 1}, 0, 0.95), InvalidArgument);
  EXPECT_THROW((void)one_run_mu({.canaries = 3, .guesses = 2, .right = 3}, 0.95), InvalidArgument);
}

// 20 audits at 95 % with each mu: 1 wrong one is expected at most, 7 come up with probability below 1e-4.
// one_run_slow_test.cpp has more.
TEST(OneRunBound, HoldsUnderGaussianNoise) {
  for (const double mu : {0.5, 2.0}) {
    const testing::OneRunAudits audits = testing::audit_gaussian(mu, 20, 1000);
    EXPECT_LT(audits.wrong, 7) << mu;
    EXPECT_LT(audits.wrong_plain, 7) << mu;
    EXPECT_GT(audits.refined, audits.plain) << mu;
  }
}

}  // namespace
}  // namespace privet::audit
