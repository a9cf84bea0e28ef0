#include "privet/nn/branches.hpp"

#include <gtest/gtest.h>

#include "per_example.hpp"
#include "privet/base/error.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/star.hpp"

namespace privet::nn::testing {
namespace {

constexpr std::size_t kFeatures = 6;
constexpr std::size_t kWidth = 4;

template <typename L, typename... Arguments>
void on(Network& network, std::size_t columns, std::size_t first, Arguments... arguments) {
  network.add<OnColumns>(columns, first, std::make_shared<const L>(arguments...));
}

// Two branches, a sum of both kept as a residual, and a head: DPDGC's classifier in small.
Network branched(bool batch_norm, double dropout) {
  Network network;
  on<Linear>(network, kFeatures + kWidth, 0, kFeatures, kWidth);
  network.add<SumBeside>(kWidth);
  if (batch_norm) on<BatchNorm>(network, 3 * kWidth, 0, 2 * kWidth);
  if (dropout > 0) on<Dropout>(network, 3 * kWidth, 0, 2 * kWidth, dropout, std::uint64_t{1});
  on<Activate>(network, 3 * kWidth, 0, 2 * kWidth, tensor::Activation::selu);
  on<Linear>(network, 3 * kWidth, 0, 2 * kWidth, kWidth);
  network.add<AddHalves>(kWidth);
  network.add<Activate>(kWidth, tensor::Activation::tanh);
  network.add<Linear>(kWidth, 3);
  return network;
}

TEST(Branches, AreWhatTheyAreByHand) {
  const tensor::Matrix x = random_rows(9, kFeatures + kWidth, 1);
  const Network network = branched(false, 0);
  const Parameters parameters = random_parameters(network, 2);
  tensor::Matrix features(9, kFeatures);
  tensor::Matrix cached(9, kWidth);
  for (std::size_t i = 0; i < 9; ++i) {
    std::ranges::copy(x.row(i).first(kFeatures), features.row(i).begin());
    std::ranges::copy(x.row(i).subspan(kFeatures), cached.row(i).begin());
  }
  const tensor::Matrix own = add_row(times(features, learnt(network, parameters, "0.weight")),
                                     learnt(network, parameters, "0.bias"));
  tensor::Matrix joined(9, 2 * kWidth);
  for (std::size_t i = 0; i < 9; ++i) {
    std::ranges::copy(own.row(i), joined.row(i).begin());
    std::ranges::copy(cached.row(i), joined.row(i).begin() + kWidth);
  }
  tensor::activate(tensor::Activation::selu, joined, joined);
  tensor::Matrix sum =
      add_row(times(joined, learnt(network, parameters, "3.weight")), learnt(network, parameters, "3.bias"));
  for (std::size_t i = 0; i < sum.size(); ++i) sum.values()[i] += own.values()[i] + cached.values()[i];
  tensor::activate(tensor::Activation::tanh, sum, sum);
  expect_near(
      outputs(network, {}, parameters, tensor::ConstMatrixView(x)),
      add_row(times(sum, learnt(network, parameters, "6.weight")), learnt(network, parameters, "6.bias")),
      1e-5);
}

TEST(Branches, SparseRowsAreTheSameRows) {
  const tensor::SparseMatrix sparse = random_sparse_rows(9, kFeatures + kWidth, 3);
  const Network network = branched(false, 0);
  const Parameters parameters = random_parameters(network, 2);
  expect_near(outputs(network, {}, parameters, tensor::SparseView(sparse)),
              outputs(network, {}, parameters, tensor::ConstMatrixView(dense_of(sparse))), 1e-6);
}

TEST(Branches, GradientsAreExact) {
  const tensor::Matrix dense = random_rows(9, kFeatures + kWidth, 1);
  const tensor::SparseMatrix sparse = random_sparse_rows(9, kFeatures + kWidth, 3);
  const std::vector<std::int32_t> labels = {0, 1, 2, -1, 0, 1, 2, 0, 1};
  for (const bool batch_norm : {false, true}) {
    const Network network = branched(batch_norm, 0.3);
    const Parameters parameters = random_parameters(network, 2);
    for (const Input& input : {Input(tensor::ConstMatrixView(dense)), Input(tensor::SparseView(sparse))}) {
      expect_gradient_matches_differences(network, {.training = true, .seed = 5}, parameters, input, labels);
    }
  }
}

TEST(Branches, TheGradientOfEveryExampleIsKnown) {
  const tensor::Matrix dense = random_rows(9, kFeatures + kWidth, 1);
  const tensor::SparseMatrix sparse = random_sparse_rows(9, kFeatures + kWidth, 3);
  const tensor::SparseMatrix words = random_sparse_rows(9, kFeatures + kWidth, 3, true);
  const std::vector<std::int32_t> labels = {0, 1, 2, 1, 0, 1, 2, 0, 1};
  const Network plain = branched(false, 0);
  const Network dropping = branched(false, 0.3);
  const Parameters parameters = random_parameters(plain, 2);
  for (const Input& input : {Input(tensor::ConstMatrixView(dense)), Input(tensor::SparseView(sparse)),
                             Input(tensor::SparseView(words))}) {
    const Batch batch{.input = input, .labels = labels};
    expect_per_example_arithmetic(plain, parameters, batch, gradients_alone(plain, parameters, batch));
    expect_per_example_arithmetic(dropping, parameters, batch,
                                  gradients_singled_out(dropping, parameters, batch));
  }
}

// Norms of whole rows, which somebody worked out before, are not those of the columns that the layer reads.
TEST(Branches, KnownNormsOfWholeRowsAreNotUsed) {
  const tensor::Matrix x = random_rows(3, kFeatures + kWidth, 1);
  const Network network = branched(false, 0);
  const Parameters parameters = random_parameters(network, 2);
  const std::vector<double> known(3, 1000.0);
  Input input = tensor::ConstMatrixView(x);
  input.squared_norms = known.data();
  const Batch batch{.input = input, .labels = {0, 1, 2}};
  expect_per_example_arithmetic(network, parameters, batch, gradients_alone(network, parameters, batch));
}

TEST(Branches, BatchNormInABranchStillMixesExamples) {
  EXPECT_THROW(branched(true, 0).require_separate_examples(), Unsound);
  EXPECT_NO_THROW(branched(false, 0.5).require_separate_examples());
}

TEST(Branches, LayersThatDoNotFitAreRefused) {
  EXPECT_THROW(OnColumns(6, 3, std::make_shared<const Linear>(4, 2)), std::logic_error);
  EXPECT_THROW(OnColumns(6, 0, std::make_shared<const StarMean>(4)), std::logic_error);
}

}  // namespace
}  // namespace privet::nn::testing
