#include "privet/base/minimize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace privet {
namespace {

TEST(Minimize, FindsTheBottomOfAStretchedBowl) {
  const auto bowl = [](std::span<const double> x, std::span<double> gradient) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double weight = std::pow(10.0, static_cast<double>(i));
      const double off = x[i] - static_cast<double>(i);
      value += weight * off * off / 2;
      gradient[i] = weight * off;
    }
    return value;
  };
  const std::vector<double> x = minimize(bowl, std::vector<double>(5, 9.0), {.steps = 200});
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], static_cast<double>(i), 1e-5);
}

// Rosenbrock's valley, minimum at (1, 1): gradient descent needs thousands of steps.
TEST(Minimize, FollowsACurvedValley) {
  const auto valley = [](std::span<const double> x, std::span<double> gradient) {
    const double off = x[1] - x[0] * x[0];
    gradient[0] = -400 * x[0] * off - 2 * (1 - x[0]);
    gradient[1] = 200 * off;
    return 100 * off * off + (1 - x[0]) * (1 - x[0]);
  };
  const std::vector<double> x = minimize(valley, {-1.2, 1.0}, {.steps = 100, .decrease_tolerance = 0});
  EXPECT_NEAR(x[0], 1, 1e-4);
  EXPECT_NEAR(x[1], 1, 1e-4);
}

TEST(Minimize, NeverEndsHigherAndStaysWhereTheFunctionIsFinite) {
  const auto wall = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = -1 / x[0] + 1;
    return x[0] > 0 ? x[0] - std::log(x[0]) : std::numeric_limits<double>::quiet_NaN();
  };
  const std::vector<double> x = minimize(wall, {30.0}, {.steps = 100});
  EXPECT_NEAR(x[0], 1, 1e-4);
  EXPECT_EQ(minimize(wall, {30.0}, {.steps = 0}), std::vector<double>{30.0});
}

}  // namespace
}  // namespace privet
