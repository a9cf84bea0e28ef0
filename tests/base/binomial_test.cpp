#include "privet/base/binomial.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/base/error.hpp"

namespace privet {
namespace {

double mass_by_logs(std::uint64_t k, std::uint64_t n, double p) {
  const auto a = static_cast<double>(k);
  const auto b = static_cast<double>(n);
  return std::exp(std::lgamma(b + 1) - std::lgamma(a + 1) - std::lgamma(b - a + 1) + a * std::log(p) +
                  (b - a) * std::log1p(-p));
}

TEST(Binomial, MassAndTailAreTheDefinition) {
  for (const double p : {0.01, 0.3, 0.9}) {
    double tail = 0;
    for (std::uint64_t k = 41; k-- > 0;) {
      EXPECT_NEAR(binomial_mass(k, 40, p), mass_by_logs(k, 40, p), 1e-12);
      tail += mass_by_logs(k, 40, p);
      EXPECT_NEAR(binomial_tail(k, 40, p), tail, 1e-12);
    }
  }
  EXPECT_EQ(binomial_tail(5, 4, 0.5), 0);
}

// At the bound the chance of what was seen, or more, is the doubt: what Clopper and Pearson ask for.
TEST(Binomial, BoundsAreWhereTheTailIsTheDoubt) {
  for (const std::uint64_t hits : {1U, 3U, 20U, 39U}) {
    for (const double doubt : {0.025, 1e-6}) {
      EXPECT_NEAR(binomial_tail(hits, 40, probability_at_least(hits, 40, doubt)), doubt, 1e-9 + 1e-6 * doubt);
      EXPECT_NEAR(1 - binomial_tail(hits + 1, 40, probability_at_most(hits, 40, doubt)), doubt,
                  1e-9 + 1e-6 * doubt);
    }
  }
}

TEST(Binomial, NothingAndEverythingSeen) {
  EXPECT_EQ(probability_at_least(0, 10, 0.05), 0);
  EXPECT_EQ(probability_at_most(10, 10, 0.05), 1);
  EXPECT_EQ(probability_at_least(0, 0, 0.05), 0);
  EXPECT_EQ(probability_at_most(0, 0, 0.05), 1);
  // 1 - doubt^(1/n), in closed form.
  EXPECT_NEAR(probability_at_most(0, 1000, 0.025), 1 - std::pow(0.025, 1e-3), 1e-12);
  EXPECT_NEAR(probability_at_least(1000, 1000, 0.025), std::pow(0.025, 1e-3), 1e-12);
}

TEST(Binomial, RefusesWhatIsNoCount) {
  EXPECT_THROW((void)probability_at_least(2, 1, 0.05), InvalidArgument);
  EXPECT_THROW((void)probability_at_most(0, 1, 0), InvalidArgument);
  EXPECT_THROW((void)probability_at_most(0, 1, 1), InvalidArgument);
}

}  // namespace
}  // namespace privet
