#include "privet/nn/linear.hpp"

#include <gtest/gtest.h>

#include "per_example.hpp"

namespace privet::nn::testing {
namespace {

TEST(Linear, IsAProductAndABias) {
  const tensor::SparseMatrix sparse = random_sparse_rows(9, 6, 2);
  const tensor::SparseMatrix words = random_sparse_rows(9, 6, 2, true);
  for (const tensor::SparseMatrix& x : {sparse, words}) {
    const tensor::Matrix dense = dense_of(x);
    Network network;
    network.add<Linear>(6, 4);
    const Parameters parameters = random_parameters(network, 3);
    const tensor::Matrix expected =
        add_row(times(dense, learnt(network, parameters, "0.weight")), learnt(network, parameters, "0.bias"));
    expect_near(outputs(network, {}, parameters, tensor::SparseView(x)), expected, 1e-6);
    expect_near(outputs(network, {}, parameters, tensor::ConstMatrixView(dense)), expected, 1e-6);
  }
}

TEST(Linear, ReadsSomeColumnsOfAWiderMatrix) {
  const tensor::Matrix wide = random_rows(9, 11, 2);
  tensor::Matrix narrow(9, 6);
  for (std::size_t i = 0; i < 9; ++i) std::ranges::copy(wide.row(i).subspan(3, 6), narrow.row(i).begin());
  const tensor::ConstMatrixView view = tensor::ConstMatrixView(wide).column_range(3, 6);
  Network network;
  network.add<Linear>(6, 4);
  const Parameters parameters = random_parameters(network, 3);
  expect_near(outputs(network, {}, parameters, view),
              outputs(network, {}, parameters, tensor::ConstMatrixView(narrow)), 1e-6);
  const auto labels = random_labels(9, 4, 5);
  const auto of_view = analytic_gradient(network, {}, parameters, view, labels);
  const auto of_copy = analytic_gradient(network, {}, parameters, tensor::ConstMatrixView(narrow), labels);
  for (std::size_t i = 0; i < of_view.size(); ++i) EXPECT_NEAR(of_view[i], of_copy[i], 1e-5F);
}

TEST(Linear, StartsAsItIsTold) {
  for (const Initialization kind :
       {Initialization::uniform, Initialization::lecun_normal, Initialization::orthogonal}) {
    Network network;
    network.add<Linear>(16, 9, true, kind);
    SeededStream stream(5);
    const Parameters initial = network.initial_parameters(stream);
    const tensor::Matrix weight = learnt(network, initial, "0.weight");
    const tensor::Matrix bias = learnt(network, initial, "0.bias");
    EXPECT_EQ(kind == Initialization::uniform, bias(0, 3) != 0.0F);
    if (kind == Initialization::uniform) {
      for (const float value : initial.learnt) EXPECT_LE(std::abs(value), 0.25F);
    }
    if (kind == Initialization::lecun_normal) {
      double squares = 0;
      for (const float value : weight.values())
        squares += static_cast<double>(value) * static_cast<double>(value);
      // 144 squares of variance 1/16: a chi-square of 144 is within 62 to 266 but for 1e-8.
      EXPECT_GT(squares * 16, 62);
      EXPECT_LT(squares * 16, 266);
    }
    if (kind == Initialization::orthogonal) {
      for (std::size_t a = 0; a < 9; ++a) {
        for (std::size_t b = 0; b < 9; ++b) {
          double sum = 0;
          for (std::size_t i = 0; i < 16; ++i)
            sum += static_cast<double>(weight(i, a)) * static_cast<double>(weight(i, b));
          EXPECT_NEAR(sum, a == b ? 1.0 : 0.0, 1e-6);
        }
      }
    }
  }
}

// Rows of norm zero and errors of norm zero must not hide in a tolerance.
TEST(Linear, NormsOfExamplesAreExactAtTheEdges) {
  Network network;
  network.add<Linear>(2, 2);
  const Parameters parameters{tensor::AlignedVector<float>(6), {}};
  tensor::Matrix x(3, 2);
  x(1, 0) = 3;
  x(1, 1) = 4;
  x(2, 0) = 3;
  const Batch batch{.input = tensor::ConstMatrixView(x), .labels = {0, 1, -1}};
  Tape tape;
  (void)total_loss(network, batch.pass(), parameters, batch.input, batch.labels, tape);
  network.backward(batch.pass(), parameters, batch.input, tape);
  std::vector<double> norms(3);
  network.squared_norms(batch.pass(), batch.input, tape, norms);
  // At zero logits the error is (-1/2, 1/2), of squared norm 1/2: times |x|^2 + 1.
  EXPECT_NEAR(norms[0], 0.5, 1e-6);
  EXPECT_NEAR(norms[1], 13.0, 1e-5);
  EXPECT_EQ(norms[2], 0.0);
}

}  // namespace
}  // namespace privet::nn::testing
