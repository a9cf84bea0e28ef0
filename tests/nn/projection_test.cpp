#include "privet/nn/projection.hpp"

#include <gtest/gtest.h>

#include "per_example.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"

namespace privet::nn::testing {
namespace {

Network embedding(std::size_t nodes) {
  SeededStream stream(3);
  Network network;
  network.add<Linear>(nodes, 8);
  network.add<Activate>(8, tensor::Activation::selu);
  network.add<Projection>(orthogonal_projection(8, 3, 0.5, stream));
  return network;
}

TEST(Projection, HasOrthogonalColumnsOfTheScale) {
  SeededStream stream(3);
  const tensor::Matrix p = orthogonal_projection(8, 3, 0.5, stream);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < 8; ++i) sum += static_cast<double>(p(i, a)) * static_cast<double>(p(i, b));
      EXPECT_NEAR(sum, a == b ? 0.25 : 0.0, 1e-6);
    }
  }
}

TEST(Projection, IsNotLearntAndHandsErrorsBack) {
  const Network network = embedding(11);
  EXPECT_EQ(network.groups(), 1U);
  EXPECT_EQ(network.parameters(), 11U * 8 + 8);
  const tensor::SparseMatrix rows = random_sparse_rows(9, 11, 2, true);
  expect_gradient_matches_differences(network, {}, random_parameters(network, 4), tensor::SparseView(rows),
                                      {0, 1, 2, -1, 0, 1, 2, 0, 1});
}

// The squared norm of a row of an adjacency is its degree, so that of an example is (degree + 1) |error|^2.
TEST(Projection, TheGradientOfEveryExampleBehindAnAdjacencyIsKnown) {
  const Network network = embedding(11);
  const tensor::SparseMatrix rows = adjacency(random_graph(11, 20, graph::Direction::undirected, 5), false);
  const Parameters parameters = random_parameters(network, 4);
  const Batch batch{.input = tensor::SparseView(rows), .labels = {0, 1, 2, 1, 0, 1, 2, 0, 1, 2, 0}};
  expect_per_example_arithmetic(network, parameters, batch, gradients_alone(network, parameters, batch));
  Tape tape;
  (void)total_loss(network, batch.pass(), parameters, batch.input, batch.labels, tape);
  network.backward(batch.pass(), parameters, batch.input, tape);
  std::vector<double> norms(11);
  network.squared_norms(batch.pass(), batch.input, tape, norms);
  for (std::size_t i = 0; i < 11; ++i) {
    double error = 0;
    for (std::size_t j = 0; j < 8; ++j)
      error += std::pow(static_cast<double>(tape.slots[0].error.values()[i * 8 + j]), 2);
    EXPECT_NEAR(norms[i], (static_cast<double>(rows.row_columns(i).size()) + 1) * error, 1e-9 + 1e-6 * error);
  }
}

}  // namespace
}  // namespace privet::nn::testing
