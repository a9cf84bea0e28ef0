#include "privet/nn/channels.hpp"

#include <gtest/gtest.h>

#include "per_example.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"

namespace privet::nn::testing {
namespace {

Network stack() {
  Network network;
  network.add<Linear>(5, 6);
  network.add<Channels>(3, 2, 4);
  network.add<NormalizeRows>(12);
  network.add<Activate>(12, tensor::Activation::selu);
  network.add<Linear>(12, 3);
  return network;
}

TEST(Channels, AreLinearLayersSideBySide) {
  Network network;
  network.add<Channels>(2, 3, 2);
  const Parameters parameters = random_parameters(network, 4);
  const tensor::Matrix x = random_rows(7, 6, 1);
  const tensor::Matrix out = outputs(network, {}, parameters, tensor::ConstMatrixView(x));
  for (std::size_t c = 0; c < 2; ++c) {
    tensor::Matrix part(7, 3);
    tensor::Matrix found(7, 2);
    for (std::size_t i = 0; i < 7; ++i) {
      for (std::size_t j = 0; j < 3; ++j) part(i, j) = x(i, 3 * c + j);
      for (std::size_t j = 0; j < 2; ++j) found(i, j) = out(i, 2 * c + j);
    }
    const std::string number = std::to_string(c);
    expect_near(found,
                add_row(times(part, learnt(network, parameters, "0.weight" + number)),
                        learnt(network, parameters, "0.bias" + number)),
                1e-6);
  }
}

TEST(Channels, GradientsAreExact) {
  const tensor::Matrix x = random_rows(9, 5, 1);
  const Network network = stack();
  expect_gradient_matches_differences(network, {}, random_parameters(network, 4), tensor::ConstMatrixView(x),
                                      random_labels(9, 3, 5));
}

TEST(Channels, TheGradientOfEveryExampleIsKnown) {
  const tensor::Matrix x = random_rows(9, 5, 1);
  const Network network = stack();
  const Parameters parameters = random_parameters(network, 4);
  const Batch batch{.input = tensor::ConstMatrixView(x), .labels = {0, 1, 1, 2, 0, 2, 1, 0, 2}};
  expect_per_example_arithmetic(network, parameters, batch, gradients_alone(network, parameters, batch));
}

TEST(Channels, ThreadsChangeNothing) {
  const auto no_edges = [](const graph::Graph& graph) { return adjacency(graph, false); };
  expect_same_on_threads(stack(), no_edges, true);
}

}  // namespace
}  // namespace privet::nn::testing
