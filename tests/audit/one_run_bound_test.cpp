#include "privet/audit/one_run_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/samplers.hpp"
#include "privet/audit/one_run.hpp"
#include "privet/base/binomial.hpp"
#include "privet/base/error.hpp"
#include "privet/privacy/accounting/gaussian_dp.hpp"

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
  EXPECT_GT(before, 3);
}

TEST(OneRunBound, RefusesWhatIsNoCount) {
  EXPECT_THROW((void)one_run_epsilon({.canaries = 1, .guesses = 2, .right = 1}, 0, 0.95), InvalidArgument);
  EXPECT_THROW((void)one_run_mu({.canaries = 3, .guesses = 2, .right = 3}, 0.95), InvalidArgument);
}

struct Drawn {
  CanaryScores scores;
  std::vector<bool> there;
};

// Canaries in directions of their own under Gaussian noise: each coin is seen through a mu-GDP channel.
Drawn draw(double mu, std::size_t canaries, std::uint64_t seed) {
  SeededStream stream(seed);
  Drawn drawn;
  std::vector<double>& scores = drawn.scores["score"];
  scores.resize(canaries);
  privacy::fill_gaussian(stream, scores);
  for (double& score : scores) {
    drawn.there.push_back((stream.bits() & 1) != 0);
    score += drawn.there.back() ? mu : 0;
  }
  return drawn;
}

// Under a true mu-GDP mechanism both bounds hold, and the Gaussian one says more. 300 audits at 95 %: 15
// wrong ones are expected at most, 32 come up with probability below 1e-4.
TEST(OneRunBound, HoldsUnderGaussianNoiseAndTheRefinementIsTighter) {
  constexpr double kDelta = 1e-5;
  for (const double mu : {0.5, 1.0, 2.0}) {
    const double epsilon = privacy::gaussian_epsilon(mu, kDelta);
    int wrong = 0;
    int wrong_plain = 0;
    double refined_sum = 0;
    double plain_sum = 0;
    for (std::uint64_t audit = 0; audit < 300; ++audit) {
      const Drawn drawn = draw(mu, 2000, 1000 * static_cast<std::uint64_t>(10 * mu) + audit);
      const double refined =
          one_run_lower_bound(drawn.scores, drawn.there, kDelta, 0.95, Shape::gaussian).epsilon;
      const double plain =
          one_run_lower_bound(drawn.scores, drawn.there, kDelta, 0.95, Shape::unknown).epsilon;
      wrong += refined > epsilon ? 1 : 0;
      wrong_plain += plain > epsilon ? 1 : 0;
      refined_sum += refined;
      plain_sum += plain;
    }
    RecordProperty("mu_" + std::to_string(mu), std::to_string(refined_sum / 300) + " against " +
                                                   std::to_string(plain_sum / 300) + " of " +
                                                   std::to_string(epsilon));
    EXPECT_LE(wrong, 32) << mu;
    EXPECT_LE(wrong_plain, 32) << mu;
    EXPECT_GT(refined_sum, 1.3 * plain_sum) << mu;
    EXPECT_GT(refined_sum / 300, 0.5 * epsilon) << mu;
  }
}

}  // namespace
}  // namespace privet::audit
