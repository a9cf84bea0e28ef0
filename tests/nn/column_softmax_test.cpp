#include "privet/nn/column_softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "per_example.hpp"
#include "privet/base/error.hpp"
#include "privet/nn/linear.hpp"

namespace privet::nn::testing {
namespace {

TEST(LogSoftmaxColumns, EveryColumnIsADistributionOverTheRows) {
  tensor::Matrix x = random_rows(9, 4, 1);
  for (float& value : x.values()) value *= 30;
  Network network;
  network.add<LogSoftmaxColumns>(4);
  const tensor::Matrix out = outputs(network, {}, {}, tensor::ConstMatrixView(x));
  for (std::size_t a = 0; a < 4; ++a) {
    double sum = 0;
    for (std::size_t i = 0; i < 9; ++i) {
      sum += std::exp(static_cast<double>(out(i, a)));
      EXPECT_NEAR(out(i, a) - out(0, a), x(i, a) - x(0, a), 2e-5);
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(LogSoftmaxColumns, LargeNumbersDoNotOverflow) {
  tensor::Matrix x(2, 1);
  x(0, 0) = 3000;
  x(1, 0) = -3000;
  Network network;
  network.add<LogSoftmaxColumns>(1);
  const tensor::Matrix out = outputs(network, {}, {}, tensor::ConstMatrixView(x));
  EXPECT_EQ(out(0, 0), 0);
  EXPECT_EQ(out(1, 0), -6000);
}

TEST(LogSoftmaxColumns, GradientsAreExact) {
  const tensor::Matrix x = random_rows(9, 5, 1);
  Network network;
  network.add<Linear>(5, 4);
  network.add<LogSoftmaxColumns>(4);
  expect_gradient_matches_differences(network, {}, random_parameters(network, 4), tensor::ConstMatrixView(x),
                                      random_labels(9, 4, 5));
}

TEST(LogSoftmaxColumns, HasNoGradientsOfSingleExamples) {
  Network network;
  network.add<Linear>(5, 4);
  EXPECT_NO_THROW(network.require_separate_examples());
  network.add<LogSoftmaxColumns>(4);
  EXPECT_THROW(network.require_separate_examples(), Unsound);
}

}  // namespace
}  // namespace privet::nn::testing
