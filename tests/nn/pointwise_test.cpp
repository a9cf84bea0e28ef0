#include "privet/nn/pointwise.hpp"

#include <gtest/gtest.h>

#include "per_example.hpp"
#include "privet/base/error.hpp"
#include "privet/nn/linear.hpp"

namespace privet::nn::testing {
namespace {

double reference(tensor::Activation activation, double x) {
  switch (activation) {
    case tensor::Activation::relu:
      return std::max(x, 0.0);
    case tensor::Activation::selu:
      // Constants of Klambauer et al., section 2.
      return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
    case tensor::Activation::tanh:
      return std::tanh(x);
    case tensor::Activation::none:
      break;
  }
  return x;
}

constexpr std::array kActivations = {tensor::Activation::none, tensor::Activation::relu,
                                     tensor::Activation::selu, tensor::Activation::tanh};

TEST(Activate, IsItsFunction) {
  tensor::Matrix x = random_rows(9, 5, 1);
  for (float& value : x.values()) value *= 4;
  for (const tensor::Activation activation : kActivations) {
    Network network;
    network.add<Activate>(5, activation);
    const tensor::Matrix out = outputs(network, {}, {}, tensor::ConstMatrixView(x));
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(out.values()[i], reference(activation, static_cast<double>(x.values()[i])), 2e-6);
  }
}

TEST(Activate, GradientsAreExact) {
  const tensor::Matrix x = random_rows(9, 5, 1);
  for (const tensor::Activation activation : kActivations) {
    SCOPED_TRACE(Activate(3, activation).name());
    Network network;
    network.add<Linear>(5, 6);
    network.add<Activate>(6, activation);
    network.add<Linear>(6, 4);
    network.add<Activate>(4, activation);
    expect_gradient_matches_differences(network, {}, random_parameters(network, 4),
                                        tensor::ConstMatrixView(x), random_labels(9, 4, 5));
  }
}

TEST(Dropout, DropsItsShareAndScalesTheRest) {
  tensor::Matrix x(200, 50);
  std::ranges::fill(x.values(), 2.0F);
  Network network;
  network.add<Dropout>(50, 0.3, 1);
  const tensor::Matrix out = outputs(network, {.training = true, .seed = 4}, {}, tensor::ConstMatrixView(x));
  std::size_t dropped = 0;
  for (const float value : out.values()) {
    if (value == 0) {
      ++dropped;
    } else {
      ASSERT_FLOAT_EQ(value, 2.0F / 0.7F);
    }
  }
  // 10000 coins of 0.3: deviation 46; six of them, false alarm 2e-9.
  EXPECT_NEAR(static_cast<double>(dropped), 3000.0, 275.0);
  EXPECT_EQ(outputs(network, {.seed = 4}, {}, tensor::ConstMatrixView(x)), x);
}

TEST(Dropout, MasksDependOnSeedAndPlaceAlone) {
  const tensor::Matrix x = random_rows(20, 5, 1);
  const auto run = [&](std::uint64_t seed, std::uint64_t place) {
    Network network;
    network.add<Dropout>(5, 0.5, place);
    return outputs(network, {.training = true, .seed = seed}, {}, tensor::ConstMatrixView(x));
  };
  EXPECT_EQ(run(1, 1), run(1, 1));
  EXPECT_NE(run(1, 1), run(2, 1));
  EXPECT_NE(run(1, 1), run(1, 2));
}

TEST(Dropout, GradientsAreExact) {
  const tensor::Matrix x = random_rows(9, 5, 1);
  for (const bool training : {true, false}) {
    Network network;
    network.add<Linear>(5, 6);
    network.add<Dropout>(6, 0.4, 1);
    network.add<Activate>(6, tensor::Activation::tanh);
    network.add<Dropout>(6, 0.4, 2);
    network.add<Linear>(6, 4);
    expect_gradient_matches_differences(network, {.training = training, .seed = 8},
                                        random_parameters(network, 4), tensor::ConstMatrixView(x),
                                        random_labels(9, 4, 5));
  }
}

TEST(Dropout, RefusesRatesThatMakeNoSense) {
  EXPECT_THROW(Dropout(3, 1, 0), InvalidArgument);
  EXPECT_THROW(Dropout(3, -0.1, 0), InvalidArgument);
  EXPECT_THROW(Dropout(3, std::nan(""), 0), InvalidArgument);
}

TEST(NormalizeRows, MakesNormsOneAndLeavesZeros) {
  tensor::Matrix x = random_rows(6, 5, 1);
  std::ranges::fill(x.row(2), 0.0F);
  Network network;
  network.add<NormalizeRows>(5);
  const tensor::Matrix out = outputs(network, {}, {}, tensor::ConstMatrixView(x));
  for (std::size_t i = 0; i < 6; ++i) {
    double squares = 0;
    double along = 0;
    double original = 0;
    for (std::size_t j = 0; j < 5; ++j) {
      squares += static_cast<double>(out(i, j)) * static_cast<double>(out(i, j));
      along += static_cast<double>(out(i, j)) * static_cast<double>(x(i, j));
      original += static_cast<double>(x(i, j)) * static_cast<double>(x(i, j));
    }
    EXPECT_NEAR(squares, i == 2 ? 0.0 : 1.0, 1e-6);
    EXPECT_NEAR(along, std::sqrt(original), 1e-6);
  }
}

TEST(NormalizeRows, GradientsAreExact) {
  const tensor::Matrix x = random_rows(9, 5, 1);
  Network network;
  network.add<Linear>(5, 6);
  network.add<NormalizeRows>(6);
  network.add<Linear>(6, 4);
  network.add<NormalizeRows>(4);
  expect_gradient_matches_differences(network, {}, random_parameters(network, 4), tensor::ConstMatrixView(x),
                                      random_labels(9, 4, 5));
}

// No gradient comes back through a row of zeros, and above all nothing that is not a number.
TEST(NormalizeRows, ZeroRowsSendNothingBack) {
  Network network;
  network.add<Linear>(5, 4, false);
  network.add<NormalizeRows>(4);
  const tensor::Matrix zeros(3, 5);
  const auto gradient = analytic_gradient(network, {}, random_parameters(network, 4),
                                          tensor::ConstMatrixView(zeros), {0, 1, 2});
  for (const float g : gradient) EXPECT_EQ(g, 0.0F);
}

}  // namespace
}  // namespace privet::nn::testing
