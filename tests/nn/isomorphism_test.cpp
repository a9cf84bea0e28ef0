#include "privet/nn/isomorphism.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "small_cases.hpp"

namespace privet::nn::testing {
namespace {

tensor::SparseMatrix plain(const graph::Graph& graph) { return adjacency(graph, false); }

Network stack(bool learn) {
  Network network;
  network.add<Linear>(6, 4);
  network.add<IsomorphismSum>(4, 0.25, learn);
  network.add<Linear>(4, 5);
  network.add<Activate>(5, tensor::Activation::tanh);
  network.add<Linear>(5, 3);
  network.add<IsomorphismSum>(3, -0.5, learn);
  network.add<Linear>(3, 3);
  return network;
}

TEST(IsomorphismSum, AddsNeighboursToOwnShare) {
  const Propagation propagation(plain(random_graph(9, 12, graph::Direction::directed, 1)));
  const tensor::Matrix x = random_rows(9, 4, 2);
  tensor::Matrix expected = times(dense_of(propagation.forward), x);
  for (std::size_t i = 0; i < x.size(); ++i) expected.values()[i] += 1.25F * x.values()[i];
  for (const bool learn : {false, true}) {
    Network network;
    network.add<IsomorphismSum>(4, 0.25, learn);
    SeededStream stream(3);
    const Parameters initial = network.initial_parameters(stream);
    EXPECT_EQ(initial.learnt.size(), learn ? 1U : 0U);
    expect_near(outputs(network, {.propagation = &propagation}, initial, tensor::ConstMatrixView(x)),
                expected, 1e-6);
  }
}

TEST(IsomorphismSum, GradientsAreExact) {
  for (const bool learn : {false, true}) {
    expect_exact_gradients(stack(learn), plain, false);
    expect_exact_gradients(stack(learn), plain, true);
  }
}

TEST(IsomorphismSum, LearnsItsShareAsFirstLayer) {
  Network network;
  network.add<IsomorphismSum>(4, 0.25, true);
  network.add<BatchNorm>(4);
  network.add<Linear>(4, 3);
  expect_exact_gradients(network, plain, false, true);
}

TEST(IsomorphismSum, FollowsTheNumbersOfTheNodes) { expect_equivariant(stack(true), plain); }

TEST(IsomorphismSum, IsTheSameOnAnyNumberOfThreads) { expect_same_on_threads(stack(true), plain, false); }

TEST(IsomorphismSum, RefusesSparseFeatures) {
  Network network;
  network.add<IsomorphismSum>(4);
  const Propagation propagation(plain(random_graph(9, 12, graph::Direction::directed, 1)));
  const tensor::SparseMatrix x = random_sparse_rows(9, 4, 2);
  try {
    (void)outputs(network, {.propagation = &propagation}, {}, tensor::SparseView(x));
    FAIL() << "sparse features were taken";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("dense"), std::string::npos);
  }
}

TEST(IsomorphismSum, HasNoGradientOfOneExampleEvenWithoutParameters) {
  EXPECT_THROW(stack(false).require_separate_examples(), Unsound);
}

}  // namespace
}  // namespace privet::nn::testing
