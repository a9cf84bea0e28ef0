#include "privet/base/rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "privet/base/random.hpp"

namespace privet {
namespace {

TEST(Rounding, AnUpperBoundStaysOne) {
  EXPECT_EQ(rounded_up(2.25408465), "2.25409");
  EXPECT_EQ(rounded_up(0.5), "0.5");
  EXPECT_EQ(rounded_up(0), "0");
  EXPECT_EQ(rounded_up(9.9999999), "10");
  EXPECT_EQ(rounded_down(0.999998001), "0.999998");
  EXPECT_EQ(rounded_down(1.00000049), "1");
  EXPECT_EQ(rounded_up(0.999998, 4), "1");
  EXPECT_EQ(rounded_up(1.00001, 4), "1.001");
  EXPECT_EQ(rounded_down(3.99999, 3), "3.99");
  EXPECT_EQ(rounded_up(std::numeric_limits<double>::infinity()), "infinity");
}

TEST(Rounding, NeverOnTheWrongSide) {
  SeededStream stream(1);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::pow(10.0, 40 * stream.uniform() - 20);
    const double up = std::strtod(rounded_up(value).c_str(), nullptr);
    const double down = std::strtod(rounded_down(value).c_str(), nullptr);
    ASSERT_GE(up, value);
    ASSERT_LE(up, value * (1 + 2e-5));
    ASSERT_LE(down, value);
    ASSERT_GE(down, value * (1 - 2e-5));
  }
}

}  // namespace
}  // namespace privet
