#include "privet/nn/sage.hpp"

#include <gtest/gtest.h>

#include "privet/graph/normalize.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "small_cases.hpp"

namespace privet::nn::testing {
namespace {

tensor::SparseMatrix plain(const graph::Graph& graph) { return adjacency(graph, false); }

Network stack(const SageOptions& options) {
  Network network;
  network.add<SageConv>(6, 3, options);
  network.add<Activate>(3, tensor::Activation::tanh);
  network.add<SageConv>(3, 5, options);
  network.add<Activate>(5, tensor::Activation::tanh);
  network.add<SageConv>(5, 4, options);
  return network;
}

TEST(SageConv, AddsOwnAndNeighboursRows) {
  const tensor::SparseMatrix x = random_sparse_rows(9, 6, 2);
  const tensor::Matrix dense = dense_of(x);
  for (const MakePropagation& make : {MakePropagation(plain), MakePropagation(graph::row_mean)}) {
    const Propagation propagation(make(random_graph(9, 12, graph::Direction::directed, 1)));
    for (const std::size_t width : {std::size_t{3}, std::size_t{8}}) {
      Network network;
      network.add<SageConv>(6, width);
      const Parameters parameters = random_parameters(network, 3);
      tensor::Matrix expected = add_row(times(times(dense_of(propagation.forward), dense),
                                              learnt(network, parameters, "0.neighbor_weight")),
                                        learnt(network, parameters, "0.bias"));
      const tensor::Matrix own = times(dense, learnt(network, parameters, "0.root_weight"));
      for (std::size_t i = 0; i < own.size(); ++i) expected.values()[i] += own.values()[i];
      const Pass pass{.propagation = &propagation};
      expect_near(outputs(network, pass, parameters, tensor::SparseView(x)), expected, 1e-5);
      expect_near(outputs(network, pass, parameters, tensor::ConstMatrixView(dense)), expected, 1e-5);
    }
  }
}

TEST(SageConv, NormalizesRows) {
  const Propagation propagation(plain(random_graph(9, 12, graph::Direction::undirected, 1)));
  const tensor::Matrix x = random_rows(9, 6, 2);
  Network raw;
  raw.add<SageConv>(6, 4);
  Network unit;
  unit.add<SageConv>(6, 4, SageOptions{.normalize = true});
  const Parameters parameters = random_parameters(raw, 3);
  const Pass pass{.propagation = &propagation};
  tensor::Matrix expected = outputs(raw, pass, parameters, tensor::ConstMatrixView(x));
  for (std::size_t i = 0; i < 9; ++i) {
    double squares = 0;
    for (const float value : expected.row(i))
      squares += static_cast<double>(value) * static_cast<double>(value);
    for (float& value : expected.row(i))
      value = static_cast<float>(static_cast<double>(value) / std::sqrt(squares));
  }
  expect_near(outputs(unit, pass, parameters, tensor::ConstMatrixView(x)), expected, 1e-6);
}

TEST(SageConv, GradientsAreExact) {
  for (const bool root : {true, false}) {
    for (const bool bias : {true, false}) {
      SCOPED_TRACE(::testing::Message() << "root " << root << ", bias " << bias);
      const Network network = stack({.root_weight = root, .bias = bias});
      expect_exact_gradients(network, plain, false);
      expect_exact_gradients(network, plain, true);
      expect_exact_gradients(network, graph::row_mean, true);
    }
  }
}

TEST(SageConv, GradientsAreExactBehindRowsOfNormOne) {
  Network network;
  network.add<Linear>(6, 3);
  network.add<SageConv>(3, 5, SageOptions{.normalize = true});
  network.add<SageConv>(5, 4, SageOptions{.normalize = true});
  expect_exact_gradients(network, graph::row_mean, false);
  expect_exact_gradients(network, graph::row_mean, true);
}

TEST(SageConv, FollowsTheNumbersOfTheNodes) {
  expect_equivariant(stack({}), graph::row_mean);
  expect_equivariant(stack({.normalize = true}), plain);
}

TEST(SageConv, IsTheSameOnAnyNumberOfThreads) {
  expect_same_on_threads(stack({.normalize = true}), plain, false);
}

TEST(SageConv, StartsAsPyTorchDoes) {
  Network network;
  network.add<SageConv>(25, 10);
  SeededStream stream(4);
  const Parameters initial = network.initial_parameters(stream);
  const auto [least, most] = std::ranges::minmax(initial.learnt);
  EXPECT_GE(least, -0.2F);
  EXPECT_LE(most, 0.2F);
  // 510 numbers, all within 95%: once in 10^11.
  EXPECT_GT(std::max(-least, most), 0.19F);
  EXPECT_NE(initial.learnt.back(), 0.0F);
}

TEST(SageConv, HasNoGradientOfOneExample) { EXPECT_FALSE(SageConv(2, 3).mixes_examples().empty()); }

}  // namespace
}  // namespace privet::nn::testing
