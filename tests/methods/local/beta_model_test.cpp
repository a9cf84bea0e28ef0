#include "privet/methods/local/beta_model.hpp"

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

}  // namespace
}  // namespace privet::methods
