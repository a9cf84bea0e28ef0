#include "privet/nn/network.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "per_example.hpp"
#include "privet/base/error.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/star.hpp"

namespace privet::nn::testing {
namespace {

Network perceptron(bool bias = true) {
  Network network;
  network.add<Linear>(7, 5, bias);
  network.add<Activate>(5, tensor::Activation::selu);
  network.add<Linear>(5, 4, bias);
  network.add<NormalizeRows>(4);
  network.add<Linear>(4, 3, bias);
  return network;
}

std::vector<std::int32_t> labels(std::size_t count, std::size_t classes) {
  SeededStream stream(3);
  std::vector<std::int32_t> all(count);
  for (std::int32_t& label : all) label = static_cast<std::int32_t>(stream.below(classes));
  return all;
}

TEST(Network, GradientsAreExact) {
  const tensor::Matrix dense = random_rows(9, 7, 1);
  const tensor::SparseMatrix sparse = random_sparse_rows(9, 7, 2);
  const tensor::SparseMatrix words = random_sparse_rows(9, 7, 2, true);
  for (const bool bias : {true, false}) {
    const Network network = perceptron(bias);
    const Parameters parameters = random_parameters(network, 4);
    const auto targets = random_labels(9, 3, 5);
    expect_gradient_matches_differences(network, {}, parameters, tensor::ConstMatrixView(dense), targets);
    expect_gradient_matches_differences(network, {}, parameters, tensor::SparseView(words), targets);
    expect_gradient_matches_differences(network, {}, parameters, tensor::SparseView(sparse), targets);
  }
}

TEST(Network, KnowsTheGradientOfEveryExample) {
  const tensor::Matrix dense = random_rows(20, 7, 1);
  const tensor::SparseMatrix sparse = random_sparse_rows(20, 7, 2);
  const tensor::SparseMatrix words = random_sparse_rows(20, 7, 2, true);
  for (const bool bias : {true, false}) {
    const Network network = perceptron(bias);
    const Parameters parameters = random_parameters(network, 4);
    for (const Input& input : {Input(tensor::ConstMatrixView(dense)), Input(tensor::SparseView(sparse)),
                               Input(tensor::SparseView(words))}) {
      const Batch batch{.input = input, .labels = labels(20, 3)};
      expect_per_example_arithmetic(network, parameters, batch, gradients_alone(network, parameters, batch));
    }
  }
}

TEST(Network, KnowsTheGradientOfEveryExampleUnderDropout) {
  Network network;
  network.set_input_dropout(0.3);
  network.add<Linear>(7, 8);
  network.add<Activate>(8, tensor::Activation::tanh);
  network.add<Dropout>(8, 0.5, 1);
  network.add<Linear>(8, 3);
  const Parameters parameters = random_parameters(network, 4);
  const tensor::Matrix dense = random_rows(20, 7, 1);
  const tensor::SparseMatrix sparse = random_sparse_rows(20, 7, 2);
  for (const Input& input : {Input(tensor::ConstMatrixView(dense)), Input(tensor::SparseView(sparse))}) {
    const Batch batch{.input = input, .labels = labels(20, 3)};
    expect_per_example_arithmetic(network, parameters, batch,
                                  gradients_singled_out(network, parameters, batch));
    expect_gradient_matches_differences(network, batch.pass(), parameters, input, batch.labels);
  }
}

TEST(Network, InputDropoutDropsItsShareAndKeepsTheMean) {
  Network network;
  network.set_input_dropout(0.25);
  network.add<Linear>(10000, 1, false);
  Parameters parameters{tensor::AlignedVector<float>(10000, 1.0F), {}};
  tensor::Matrix ones(1, 10000);
  std::ranges::fill(ones.values(), 1.0F);
  const Input input = tensor::ConstMatrixView(ones);
  EXPECT_NEAR(outputs(network, {}, parameters, input)(0, 0), 10000.0, 0.5);
  // A sum of 10000 coins of 4/3: deviation 58; six of them, false alarm 2e-9.
  const double dropped = outputs(network, {.training = true, .seed = 1}, parameters, input)(0, 0);
  EXPECT_NEAR(dropped, 10000.0, 350.0);
  EXPECT_NE(dropped, outputs(network, {.training = true, .seed = 2}, parameters, input)(0, 0));
}

TEST(Network, InputDropoutKeepsOrScalesTheValuesOfSparseFeatures) {
  Network network;
  network.set_input_dropout(0.25);
  network.add<Linear>(7, 7, false);
  Parameters identity{tensor::AlignedVector<float>(49), {}};
  for (std::size_t i = 0; i < 7; ++i) identity.learnt[i * 8] = 1.0F;
  for (const bool all_ones : {false, true}) {
    const tensor::SparseMatrix x = random_sparse_rows(300, 7, 2, all_ones);
    const tensor::Matrix whole = dense_of(x);
    const tensor::Matrix out =
        outputs(network, {.training = true, .seed = 1}, identity, tensor::SparseView(x));
    std::size_t dropped = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (whole.values()[i] != 0 && out.values()[i] == 0) {
        ++dropped;
      } else {
        ASSERT_FLOAT_EQ(out.values()[i], whole.values()[i] / 0.75F);
      }
    }
    // About 730 coins of 1/4: deviation 12; six of them, false alarm 2e-9.
    EXPECT_NEAR(static_cast<double>(dropped), 0.25 * static_cast<double>(x.entries()), 72.0);
  }
}

TEST(Network, ABatchMayBeAnyChoiceOfRows) {
  const tensor::SparseMatrix all = random_sparse_rows(12, 7, 2);
  const tensor::Matrix dense = dense_of(all);
  const std::vector<std::size_t> chosen = {8, 3, 3, 1, 11};
  std::vector<std::uint64_t> begin;
  std::vector<std::uint64_t> end;
  tensor::Matrix copied(chosen.size(), 7);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    begin.push_back(all.offsets()[chosen[i]]);
    end.push_back(all.offsets()[chosen[i] + 1]);
    std::ranges::copy(dense.row(chosen[i]), copied.row(i).begin());
  }
  tensor::SparseView view(all);
  view.rows = chosen.size();
  view.begin = begin.data();
  view.end = end.data();
  const Network network = perceptron();
  const Parameters parameters = random_parameters(network, 4);
  expect_near(outputs(network, {}, parameters, view),
              outputs(network, {}, parameters, tensor::ConstMatrixView(copied)), 1e-5);
}

// Batches of changing size share one tape: what a larger one left behind must not shine through.
TEST(Network, ATapeForgetsLargerBatches) {
  const Network network = perceptron();
  const Parameters parameters = random_parameters(network, 4);
  const tensor::Matrix large = random_rows(30, 7, 1);
  const tensor::Matrix small = random_rows(4, 7, 2);
  const auto targets = labels(4, 3);
  Tape used;
  (void)total_loss(network, {}, parameters, tensor::ConstMatrixView(large), labels(30, 3), used);
  network.backward({}, parameters, tensor::ConstMatrixView(large), used);
  (void)total_loss(network, {}, parameters, tensor::ConstMatrixView(small), targets, used);
  network.backward({}, parameters, tensor::ConstMatrixView(small), used);
  std::vector<float> gradient(network.parameters());
  network.gradient({}, parameters, tensor::ConstMatrixView(small), used, gradient);
  EXPECT_EQ(gradient, analytic_gradient(network, {}, parameters, tensor::ConstMatrixView(small), targets));
}

TEST(Network, TakesAnEmptyBatch) {
  const Network network = perceptron();
  const Parameters parameters = random_parameters(network, 4);
  const tensor::Matrix none(0, 7);
  const Batch batch{.input = tensor::ConstMatrixView(none), .labels = {}};
  Tape tape;
  (void)total_loss(network, batch.pass(), parameters, batch.input, {}, tape);
  network.backward(batch.pass(), parameters, batch.input, tape);
  network.squared_norms(batch.pass(), batch.input, tape, {});
  network.scale_errors(batch.pass(), batch.input, {}, tape);
  std::vector<float> gradient(network.parameters(), 7.0F);
  network.gradient(batch.pass(), parameters, batch.input, tape, gradient);
  EXPECT_EQ(gradient, std::vector<float>(network.parameters()));
}

TEST(Network, IsTheSameOnAnyNumberOfThreads) {
  const Network network = perceptron();
  const Parameters parameters = random_parameters(network, 4);
  const tensor::SparseMatrix sparse = random_sparse_rows(3000, 7, 2);
  const Batch batch{.input = tensor::SparseView(sparse), .labels = labels(3000, 3)};
  const auto run = [&](std::size_t threads) {
    set_thread_count(threads);
    Tape tape;
    (void)total_loss(network, batch.pass(), parameters, batch.input, batch.labels, tape);
    network.backward(batch.pass(), parameters, batch.input, tape);
    std::vector<double> norms(network.groups() * batch.examples());
    network.squared_norms(batch.pass(), batch.input, tape, norms);
    std::vector<float> gradient(network.parameters());
    network.gradient(batch.pass(), parameters, batch.input, tape, gradient);
    return std::pair(norms, gradient);
  };
  const std::size_t threads = thread_count();
  const auto alone = run(1);
  const auto together = run(2);
  set_thread_count(threads);
  EXPECT_EQ(alone, together);
}

TEST(Network, NamesItsArrays) {
  const Network network = perceptron();
  const auto arrays = network.arrays();
  ASSERT_EQ(arrays.size(), 6U);
  EXPECT_EQ(arrays[0].name, "0.weight");
  EXPECT_EQ(arrays[3].name, "2.bias");
  EXPECT_EQ(arrays[3].offset, 7U * 5 + 5 + 5 * 4);
  EXPECT_EQ(network.parameters(), 7U * 5 + 5 + 5 * 4 + 4 + 4 * 3 + 3);
  EXPECT_EQ(network.groups(), 3U);
}

TEST(Network, RefusesWhatDoesNotFit) {
  Network network;
  network.add<Linear>(7, 5);
  EXPECT_THROW(network.add<Linear>(4, 3), std::logic_error);
  EXPECT_THROW(network.set_input_dropout(1), InvalidArgument);
  EXPECT_THROW(network.set_input_dropout(-0.1), InvalidArgument);
  const tensor::Matrix x = random_rows(3, 6, 1);
  EXPECT_THROW((void)outputs(network, {}, random_parameters(network, 1), tensor::ConstMatrixView(x)),
               InvalidArgument);
  Network narrow;
  narrow.add<Linear>(6, 4);
  Network wide;
  wide.add<Linear>(6, 5);
  EXPECT_THROW((void)outputs(wide, {}, random_parameters(narrow, 1), tensor::ConstMatrixView(x)),
               InvalidArgument);
}

TEST(Network, RefusesNormsOfMixedExamples) {
  Network network;
  network.add<Linear>(7, 5);
  network.add<BatchNorm>(5);
  network.add<Linear>(5, 3);
  const Parameters parameters = random_parameters(network, 1);
  const tensor::Matrix x = random_rows(6, 7, 1);
  const Batch batch{.input = tensor::ConstMatrixView(x), .labels = labels(6, 3)};
  Tape tape;
  (void)total_loss(network, batch.pass(), parameters, batch.input, batch.labels, tape);
  network.backward(batch.pass(), parameters, batch.input, tape);
  std::vector<double> norms(network.groups() * 6);
  EXPECT_THROW(network.squared_norms(batch.pass(), batch.input, tape, norms), Unsound);
}

}  // namespace
}  // namespace privet::nn::testing
