#include "privet/proof/ledger/cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"

namespace privet::privacy {
namespace {

Cost up(double epsilon, double delta) { return cost_of(Epsilon(epsilon), Delta(delta)); }
Cost down(double epsilon, double delta) { return cap_of(Epsilon(epsilon), Delta(delta)); }

TEST(Cost, DecimalsAreExact) {
  EXPECT_EQ(up(0.1, 1e-7), (Cost{100'000, 100'000'000'000}));
  EXPECT_EQ(down(0.1, 1e-7), (Cost{100'000, 100'000'000'000}));
  EXPECT_EQ(up(1, 0), (Cost{1'000'000, 0}));
  EXPECT_EQ(up(1e9, 0.5), (Cost{1'000'000'000'000'000, 500'000'000'000'000'000}));
}

/// A budget can be spent to its end: in doubles ten times 0.1 is 0.9999999999999999, and in multiples of a
/// power of two ten rounded-up 10^-7 are more than 10^-6.
TEST(Cost, TenTenthsAreOne) {
  Cost sum;
  for (int i = 0; i < 10; ++i) sum = plus(sum, up(0.1, 1e-7));
  EXPECT_EQ(sum, down(1, 1e-6));
  EXPECT_EQ(what_is_left(down(1, 1e-6), sum), Cost{});
}

TEST(Cost, SpendingRoundsUpAndBudgetsDown) {
  EXPECT_EQ(up(0.1000001, 1.5e-18), (Cost{100'001, 2}));
  EXPECT_EQ(down(0.1000001, 1.5e-18), (Cost{100'000, 1}));
  // However little it is, it costs something.
  EXPECT_EQ(up(5e-324, 5e-324), (Cost{1, 1}));
  EXPECT_EQ(down(5e-324, 5e-324), (Cost{0, 0}));
  EXPECT_EQ(up(std::nextafter(1.0, 2.0), 0), (Cost{1'000'001, 0}));
  EXPECT_EQ(down(std::nextafter(1.0, 0.0), 0), (Cost{999'999, 0}));
  EXPECT_TRUE(is_cost(up(0, std::nextafter(1.0, 0.0))));
}

TEST(Cost, RoundingNeverFavoursTheSpender) {
  SeededStream stream(7);
  for (int i = 0; i < 100'000; ++i) {
    const double epsilon = std::exp(40 * stream.uniform() - 20);
    const double delta = std::exp(-45 * stream.uniform_positive());
    const double below_one = delta < 1 ? delta : 0.5;
    const Cost cost = up(epsilon, below_one);
    const Cost cap = down(epsilon, below_one);
    ASSERT_GE(cost.epsilon(), epsilon);
    ASSERT_GE(cost.delta(), below_one);
    ASSERT_LE(cap.epsilon(), epsilon);
    ASSERT_LE(cap.delta(), below_one);
    ASSERT_LE(cost.micro_epsilon - cap.micro_epsilon, 1);
    ASSERT_LE(cost.atto_delta - cap.atto_delta, 1);
  }
}

TEST(Cost, NumbersComeBackAsTheyWere) {
  for (const double value : {0.1, 0.3, 1.1, 2.718281, 1e-6}) {
    EXPECT_EQ(up(value, value / 10).epsilon(), value);
    EXPECT_EQ(down(0, value / 10).delta(), up(0, value / 10).delta());
  }
  EXPECT_EQ(up(0, 1.0996e-6).delta(), 1.0996e-6);
}

TEST(Cost, TextIsExact) {
  EXPECT_EQ(up(0.5, 1e-6).text(), "epsilon 0.5, delta 1e-06");
  EXPECT_EQ(up(0, 0).text(), "epsilon 0, delta 0");
  EXPECT_EQ(up(12, 0.25).text(), "epsilon 12, delta 0.25");
  EXPECT_EQ(up(1234.567891, 1.0996e-6).text(), "epsilon 1234.567891, delta 1.0996e-06");
  EXPECT_EQ(up(0.000001, 1e-18).text(), "epsilon 1e-06, delta 1e-18");
  EXPECT_EQ(up(1200, 0.001).text(), "epsilon 1200, delta 0.001");
}

TEST(Cost, BothPartsMustFit) {
  EXPECT_TRUE(fits({5, 5}, {5, 5}));
  EXPECT_FALSE(fits({6, 5}, {5, 5}));
  EXPECT_FALSE(fits({5, 6}, {5, 5}));
}

TEST(Cost, RefusesWhatWouldOverflow) {
  EXPECT_THROW(up(1.1e9, 0), InvalidArgument);
  EXPECT_THROW(down(1e300, 0), InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
