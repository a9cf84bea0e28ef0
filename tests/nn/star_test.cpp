#include "privet/nn/star.hpp"

#include <gtest/gtest.h>

#include "per_example.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"

namespace privet::nn::testing {
namespace {

// Stars of 1, 4, 2, 7 and 3 nodes.
const std::vector<std::uint32_t> kStars = {0, 1, 5, 7, 14, 17};

Network stack(bool bias) {
  Network network;
  network.add<Linear>(6, 5, bias);
  network.add<Activate>(5, tensor::Activation::tanh);
  network.add<Linear>(5, 4, bias);
  network.add<StarMean>(4);
  network.add<Activate>(4, tensor::Activation::tanh);
  network.add<Linear>(4, 3, bias);
  return network;
}

TEST(StarMean, IsTheMeanOfEveryStar) {
  const tensor::Matrix x = random_rows(17, 4, 1);
  Network network;
  network.add<StarMean>(4);
  const tensor::Matrix out = outputs(network, {.example_rows = kStars}, {}, tensor::ConstMatrixView(x));
  ASSERT_EQ(out.rows(), 5U);
  for (std::size_t e = 0; e < 5; ++e) {
    for (std::size_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (std::size_t i = kStars[e]; i < kStars[e + 1]; ++i) sum += static_cast<double>(x(i, j));
      EXPECT_NEAR(out(e, j), sum / (kStars[e + 1] - kStars[e]), 1e-6);
    }
  }
}

TEST(StarMean, GradientsAreExact) {
  const tensor::Matrix dense = random_rows(17, 6, 1);
  const tensor::SparseMatrix sparse = random_sparse_rows(17, 6, 2);
  const Network network = stack(true);
  const Parameters parameters = random_parameters(network, 4);
  for (const Input& input : {Input(tensor::ConstMatrixView(dense)), Input(tensor::SparseView(sparse))}) {
    expect_gradient_matches_differences(network, {.example_rows = kStars}, parameters, input,
                                        {0, 1, -1, 2, 0});
  }
}

TEST(StarMean, TheGradientOfEveryStarIsKnown) {
  const tensor::Matrix dense = random_rows(17, 6, 1);
  const tensor::SparseMatrix sparse = random_sparse_rows(17, 6, 2);
  const tensor::SparseMatrix words = random_sparse_rows(17, 6, 2, true);
  for (const bool bias : {true, false}) {
    const Network network = stack(bias);
    const Parameters parameters = random_parameters(network, 4);
    for (const Input& input : {Input(tensor::ConstMatrixView(dense)), Input(tensor::SparseView(sparse)),
                               Input(tensor::SparseView(words))}) {
      const Batch batch{.input = input, .example_rows = kStars, .labels = {0, 1, 1, 2, 0}};
      expect_per_example_arithmetic(network, parameters, batch, gradients_alone(network, parameters, batch));
    }
  }
}

TEST(StarMean, TheGradientOfEveryStarIsKnownUnderDropout) {
  Network network;
  network.set_input_dropout(0.3);
  network.add<Linear>(6, 5);
  network.add<Dropout>(5, 0.4, 1);
  network.add<StarMean>(5);
  network.add<Dropout>(5, 0.4, 2);
  network.add<Linear>(5, 3);
  const Parameters parameters = random_parameters(network, 4);
  const tensor::SparseMatrix sparse = random_sparse_rows(17, 6, 2);
  const Batch batch{.input = tensor::SparseView(sparse), .example_rows = kStars, .labels = {0, 1, 1, 2, 0}};
  expect_per_example_arithmetic(network, parameters, batch,
                                gradients_singled_out(network, parameters, batch));
}

// Rows that nearly cancel: the norm of the sum is far below the sum of the norms.
TEST(StarMean, NormsCountHowRowsOfAStarAddUp) {
  Network network;
  network.add<Linear>(2, 2, false);
  network.add<StarMean>(2);
  const Parameters parameters{tensor::AlignedVector<float>(4), {}};
  tensor::Matrix x(2, 2);
  x(0, 0) = 1;
  x(1, 0) = -1;
  x(1, 1) = 0.5F;
  const Batch batch{.input = tensor::ConstMatrixView(x), .example_rows = {0, 2}, .labels = {0}};
  Tape tape;
  (void)total_loss(network, batch.pass(), parameters, batch.input, batch.labels, tape);
  network.backward(batch.pass(), parameters, batch.input, tape);
  std::vector<double> norms(1);
  network.squared_norms(batch.pass(), batch.input, tape, norms);
  // The mean row is (0, 1/4), the error (-1/2, 1/2): 1/16 x 1/2.
  EXPECT_NEAR(norms[0], 1.0 / 32, 1e-7);
}

TEST(StarMean, WithoutStarsEveryRowIsOne) {
  const tensor::Matrix x = random_rows(5, 6, 1);
  const Network network = stack(true);
  const Parameters parameters = random_parameters(network, 4);
  const std::vector<std::uint32_t> single = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(outputs(network, {}, parameters, tensor::ConstMatrixView(x)),
            outputs(network, {.example_rows = single}, parameters, tensor::ConstMatrixView(x)));
}

}  // namespace
}  // namespace privet::nn::testing
