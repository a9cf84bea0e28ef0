#include "privet/nn/propagate.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "small_cases.hpp"

namespace privet::nn::testing {
namespace {

Network stack() {
  Network network;
  network.add<Linear>(6, 3);
  network.add<Propagate>(3);
  network.add<Activate>(3, tensor::Activation::tanh);
  network.add<Linear>(3, 5);
  network.add<Propagate>(5);
  return network;
}

TEST(Propagate, SendsTheConstantsAlong) {
  const Propagation propagation(
      graph::symmetric_with_loops(random_graph(9, 12, graph::Direction::directed, 1)));
  const tensor::SparseMatrix x = random_sparse_rows(9, 6, 2);
  Network network;
  network.add<Linear>(6, 4);
  network.add<Propagate>(4);
  const Parameters parameters = random_parameters(network, 3);
  const tensor::Matrix expected = times(dense_of(propagation.forward),
                                        add_row(times(dense_of(x), learnt(network, parameters, "0.weight")),
                                                learnt(network, parameters, "0.bias")));
  const Pass pass{.propagation = &propagation};
  expect_near(outputs(network, pass, parameters, tensor::SparseView(x)), expected, 1e-5);
}

TEST(Propagate, GradientsAreExact) {
  expect_exact_gradients(stack(), graph::symmetric_with_loops, false);
  expect_exact_gradients(stack(), graph::symmetric_with_loops, true);
}

TEST(Propagate, FollowsTheNumbersOfTheNodes) { expect_equivariant(stack(), graph::symmetric_with_loops); }

TEST(Propagate, IsNotForSingleExamples) { EXPECT_FALSE(Propagate(3).mixes_examples().empty()); }

}  // namespace
}  // namespace privet::nn::testing
