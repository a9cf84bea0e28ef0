#include "privet/core/mechanisms/grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"

namespace privet::privacy {
namespace {

TEST(Grid, IsAPowerOfTwoWellBelowTheScale) {
  for (const double scale : {1e-200, 0.3, 1.0, 4.2247, 1e6, 1e200}) {
    const double grid = grid_below(scale);
    int exponent = 0;
    EXPECT_EQ(std::frexp(grid, &exponent), 0.5);
    EXPECT_LE(grid, scale * 0x1p-20);
    EXPECT_GT(grid, scale * 0x1p-21);
  }
  for (const double scale : {0.0, -1.0, 1e300, 1e-300, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW((void)grid_below(scale), InvalidArgument);
  }
}

TEST(Grid, StepsAreTotal) {
  EXPECT_EQ(to_steps(std::nan(""), 0.5), 0);
  EXPECT_EQ(to_steps(HUGE_VAL, 0.5), kMostSteps);
  EXPECT_EQ(to_steps(-HUGE_VAL, 0.5), -kMostSteps);
  EXPECT_EQ(to_steps(std::numeric_limits<double>::max(), 0x1p-1000), kMostSteps);
  EXPECT_EQ(to_steps(1.3, 0.5), 3);
  EXPECT_EQ(to_steps(-1.3, 0.5), -3);
  EXPECT_EQ(from_steps(to_steps(-1.5, 0.5), 0.5), -1.5);
}

// The claim on which the charged sensitivity rests: a coordinate moves by at most one step more than before.
TEST(Grid, RoundingMovesValuesApartByAtMostOneStep) {
  SeededStream stream(1);
  for (int i = 0; i < 100000; ++i) {
    const double a = 1000 * stream.uniform();
    const double b = a + stream.uniform() * std::pow(2.0, -static_cast<double>(stream.below(30)));
    const double apart = from_steps(to_steps(b, 0x1p-10) - to_steps(a, 0x1p-10), 0x1p-10);
    ASSERT_LE(std::abs(apart), std::abs(b - a) + 0x1p-10);
  }
}

}  // namespace
}  // namespace privet::privacy
