#include "privet/nn/batch_norm.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "small_cases.hpp"

namespace privet::nn::testing {
namespace {

constexpr double kEpsilon = 1e-5;

struct Moments {
  double mean = 0;
  double variance = 0;  // biased
};

Moments column_moments(const tensor::Matrix& x, std::size_t j) {
  Moments found;
  const auto rows = static_cast<double>(x.rows());
  for (std::size_t i = 0; i < x.rows(); ++i) found.mean += static_cast<double>(x(i, j)) / rows;
  for (std::size_t i = 0; i < x.rows(); ++i)
    found.variance += std::pow(static_cast<double>(x(i, j)) - found.mean, 2) / rows;
  return found;
}

TEST(BatchNorm, CentresAndScalesTheBatch) {
  tensor::Matrix x = random_rows(13, 3, 1);
  for (std::size_t i = 0; i < 13; ++i) x(i, 1) = 100 + 5 * x(i, 1);
  Network network;
  network.add<BatchNorm>(3);
  const Parameters parameters = random_parameters(network, 2);
  const tensor::Matrix scale = learnt(network, parameters, "0.scale");
  const tensor::Matrix shift = learnt(network, parameters, "0.shift");
  const tensor::Matrix out = outputs(network, {.training = true}, parameters, tensor::ConstMatrixView(x));
  for (std::size_t j = 0; j < 3; ++j) {
    const auto [mean, variance] = column_moments(x, j);
    for (std::size_t i = 0; i < 13; ++i) {
      const double unit = (static_cast<double>(x(i, j)) - mean) / std::sqrt(variance + kEpsilon);
      EXPECT_NEAR(out(i, j), unit * static_cast<double>(scale(0, j)) + static_cast<double>(shift(0, j)),
                  2e-5);
    }
  }
}

TEST(BatchNorm, RunningStatisticsFollowAsInPyTorch) {
  Network network;
  network.add<BatchNorm>(2);
  SeededStream stream(3);
  Parameters parameters = network.initial_parameters(stream);
  ASSERT_EQ(parameters.statistics.size(), 4U);
  std::array<Moments, 2> running = {Moments{0, 1}, Moments{0, 1}};
  Tape tape;
  for (std::size_t step = 0; step < 20; ++step) {
    const tensor::Matrix x = random_rows(7 + step, 2, 10 + step);
    (void)network.forward({.training = true}, parameters, tensor::ConstMatrixView(x), tape);
    network.update_statistics(tape, parameters);
    const auto rows = static_cast<double>(x.rows());
    for (std::size_t j = 0; j < 2; ++j) {
      const Moments batch = column_moments(x, j);
      running[j].mean += 0.1 * (batch.mean - running[j].mean);
      running[j].variance += 0.1 * (batch.variance * rows / (rows - 1) - running[j].variance);
    }
  }
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(parameters.statistics[j], running[j].mean, 1e-6);
    EXPECT_NEAR(parameters.statistics[2 + j], running[j].variance, 1e-6);
  }
  const tensor::Matrix x = random_rows(5, 2, 50);
  const tensor::Matrix out = outputs(network, {}, parameters, tensor::ConstMatrixView(x));
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(
          out(i, j),
          (static_cast<double>(x(i, j)) - running[j].mean) / std::sqrt(running[j].variance + kEpsilon), 1e-5);
    }
  }
}

TEST(BatchNorm, GradientsAreExact) {
  for (const bool training : {true, false}) {
    SCOPED_TRACE(training ? "training" : "evaluation");
    Network network;
    network.add<Linear>(5, 6);
    network.add<BatchNorm>(6);
    network.add<Activate>(6, tensor::Activation::tanh);
    network.add<Linear>(6, 4);
    network.add<BatchNorm>(4);
    Parameters parameters = random_parameters(network, 4);
    SeededStream stream(6);
    for (float& number : parameters.statistics) number += static_cast<float>(stream.uniform());
    const tensor::Matrix dense = random_rows(9, 5, 1);
    const tensor::SparseMatrix sparse = random_sparse_rows(9, 5, 2);
    for (const Input& input : {Input(tensor::ConstMatrixView(dense)), Input(tensor::SparseView(sparse))}) {
      expect_gradient_matches_differences(network, {.training = training}, parameters, input,
                                          random_labels(9, 4, 5));
    }
  }
}

TEST(BatchNorm, TakesABatchOfOne) {
  Network network;
  network.add<BatchNorm>(2);
  SeededStream stream(3);
  Parameters parameters = network.initial_parameters(stream);
  const tensor::Matrix x = random_rows(1, 2, 1);
  Tape tape;
  const auto out = network.forward({.training = true}, parameters, tensor::ConstMatrixView(x), tape);
  EXPECT_EQ(out.row(0)[0], 0.0F);
  network.update_statistics(tape, parameters);
  for (const float number : parameters.statistics) EXPECT_TRUE(std::isfinite(number));
}

TEST(BatchNorm, HasNoGradientOfOneExample) {
  Network network;
  network.add<BatchNorm>(2);
  EXPECT_THROW(network.require_separate_examples(), Unsound);
}

}  // namespace
}  // namespace privet::nn::testing
