#include "privet/nn/graph_conv.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "small_cases.hpp"

namespace privet::nn::testing {
namespace {

// Narrowing, widening and without bias, so that both orders of multiplication are on the way.
Network stack() {
  Network network;
  network.add<GraphConv>(6, 3);
  network.add<Activate>(3, tensor::Activation::tanh);
  network.add<GraphConv>(3, 5, false);
  network.add<Activate>(5, tensor::Activation::tanh);
  network.add<GraphConv>(5, 4);
  return network;
}

TEST(GraphConv, IsTheProductOfThree) {
  const Propagation propagation(
      graph::symmetric_with_loops(random_graph(9, 12, graph::Direction::directed, 1)));
  const tensor::SparseMatrix x = random_sparse_rows(9, 6, 2);
  for (const std::size_t width : {std::size_t{3}, std::size_t{8}}) {
    Network network;
    network.add<GraphConv>(6, width);
    const Parameters parameters = random_parameters(network, 3);
    const tensor::Matrix expected = add_row(
        times(times(dense_of(propagation.forward), dense_of(x)), learnt(network, parameters, "0.weight")),
        learnt(network, parameters, "0.bias"));
    const Pass pass{.propagation = &propagation};
    const tensor::Matrix dense = dense_of(x);
    expect_near(outputs(network, pass, parameters, tensor::SparseView(x)), expected, 1e-5);
    expect_near(outputs(network, pass, parameters, tensor::ConstMatrixView(dense)), expected, 1e-5);
  }
}

TEST(GraphConv, GradientsAreExact) {
  expect_exact_gradients(stack(), graph::symmetric_with_loops, false);
  expect_exact_gradients(stack(), graph::symmetric_with_loops, true);
}

TEST(GraphConv, WidensFirstInputs) {
  Network network;
  network.add<GraphConv>(3, 6);
  network.add<Activate>(6, tensor::Activation::tanh);
  network.add<GraphConv>(6, 2);
  expect_exact_gradients(network, graph::symmetric_with_loops, false);
  expect_exact_gradients(network, graph::symmetric_with_loops, true);
}

TEST(GraphConv, FollowsTheNumbersOfTheNodes) { expect_equivariant(stack(), graph::symmetric_with_loops); }

TEST(GraphConv, IsTheSameOnAnyNumberOfThreads) {
  expect_same_on_threads(stack(), graph::symmetric_with_loops, false);
}

TEST(GraphConv, StartsWithinGlorotsBounds) {
  Network network;
  network.add<GraphConv>(40, 20);
  SeededStream stream(4);
  const Parameters initial = network.initial_parameters(stream);
  const float bound = std::sqrt(6.0F / 60.0F);
  float largest = 0;
  double squares = 0;
  for (std::size_t i = 0; i < 800; ++i) {
    largest = std::max(largest, std::abs(initial.learnt[i]));
    squares += static_cast<double>(initial.learnt[i]) * static_cast<double>(initial.learnt[i]);
  }
  EXPECT_LE(largest, bound);
  EXPECT_GT(largest, 0.98F * bound);  // fails for one seed in 10^7
  // Variance bound^2 / 3 = 1/30; the mean of 800 squares has deviation 0.0011: six of them.
  EXPECT_NEAR(squares / 800, 1.0 / 30, 0.0065);
  for (std::size_t i = 800; i < 820; ++i) EXPECT_EQ(initial.learnt[i], 0.0F);
}

TEST(GraphConv, HasNoGradientOfOneExample) {
  EXPECT_NE(GraphConv(2, 3).mixes_examples().find("neighbours"), std::string::npos);
  EXPECT_THROW(stack().require_separate_examples(), Unsound);
}

TEST(GraphConv, NeedsAGraphOfItsSize) {
  const Network network = stack();
  const Parameters parameters = random_parameters(network, 3);
  const tensor::Matrix x = random_rows(5, 6, 1);
  EXPECT_THROW((void)outputs(network, {}, parameters, tensor::ConstMatrixView(x)), InvalidArgument);
  const Propagation larger(adjacency(random_graph(6, 9, graph::Direction::undirected, 2), true));
  EXPECT_THROW((void)outputs(network, {.propagation = &larger}, parameters, tensor::ConstMatrixView(x)),
               InvalidArgument);
}

}  // namespace
}  // namespace privet::nn::testing
