#include "privet/methods/lists/beta_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "privet/base/random.hpp"

namespace privet::methods {
namespace {

TEST(BetaModel, HasTheDegreesThatWereAskedFor) {
  SeededStream stream(1);
  std::vector<double> degrees(300);
  for (double& degree : degrees) degree = 1 + 30 * std::pow(stream.uniform(), 4);
  const std::vector<double> x = beta_model(degrees, 1000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (j != i) expected += x[i] * x[j] / (1 + x[i] * x[j]);
    }
    EXPECT_NEAR(expected, degrees[i], 1e-3 * degrees[i]);
  }
}

TEST(BetaModel, BringsDegreesIntoRange) {
  const std::vector<double> wild = {-5, 2, 3, 100, 2};
  const std::vector<double> tame = {1, 2, 3, 3, 2};
  EXPECT_EQ(beta_model(wild, 50), beta_model(tame, 50));
  for (const double one : beta_model(wild, 50)) EXPECT_TRUE(std::isfinite(one) && one > 0);
}

// Noise far above the degrees: half of everybody knows nobody, half knows everybody.
TEST(BetaModel, StaysFiniteWhereNoGraphHasTheDegrees) {
  std::vector<double> degrees(1000);
  for (std::size_t i = 0; i < degrees.size(); ++i) degrees[i] = i % 2 == 0 ? -500 : 5000;
  const std::vector<double> x = beta_model(degrees, 200);
  const double largest = *std::ranges::max_element(x);
  const double smallest = *std::ranges::min_element(x);
  EXPECT_GT(smallest, 0);
  EXPECT_TRUE(std::isfinite(static_cast<float>(largest * largest)));
  EXPECT_GT(static_cast<float>(smallest * smallest), 0);
}

}  // namespace
}  // namespace privet::methods
