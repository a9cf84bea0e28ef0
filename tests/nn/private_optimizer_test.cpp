#include "privet/nn/private_optimizer.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/graph_conv.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/tensor/rows.hpp"
#include "random_examples.hpp"

namespace privet::nn {
namespace {

constexpr std::size_t kExamples = 40;
constexpr std::size_t kFeatures = 9;
constexpr std::size_t kClasses = 3;

Examples some_examples(std::size_t count = kExamples) {
  return testing::random_examples(count, kFeatures, kClasses, 1);
}

Network small_network() {
  Network network;
  network.add<Linear>(kFeatures, 5);
  network.add<Activate>(5, tensor::Activation::tanh);
  network.add<Linear>(5, kClasses);
  return network;
}

PrivateTraining training_with(double clip, double noise, privacy::Sampling sampling,
                              std::uint64_t population = kExamples) {
  return {.unit = privacy::Unit::record(privacy::Adjacency::replace),
          .affected = {.added = 0, .replaced = 1},
          .clipping = {{clip}},
          .noise_multiplier = noise,
          .sampling = sampling,
          .population = population,
          .steps = 20};
}

std::vector<float> plain_gradient(const Network& network, const Parameters& parameters,
                                  const Examples& examples) {
  Tape tape;
  const Input input = all_rows(examples.features);
  const Pass pass{.training = true};
  const auto logits = network.forward(pass, parameters, input, tape);
  std::vector<float> losses(examples.count());
  tensor::softmax_cross_entropy(logits, examples.labels, network.output_error(pass, input, tape), losses);
  network.backward(pass, parameters, input, tape);
  std::vector<float> gradient(network.parameters());
  network.gradient(pass, parameters, input, tape, gradient);
  return gradient;
}

TEST(PrivateOptimizer, WithoutNoiseAndClippingIsThePlainOne) {
  const Network network = small_network();
  const Examples examples = some_examples();
  SeededStream stream(3);
  Parameters plain = network.initial_parameters(stream);
  Parameters noisy = plain;
  OptimizerOptions options;
  options.learning_rate = 0.01;
  // No gradient here reaches norm 100, and noise of 1e-9 clip norms is below float's rounding of the sum.
  PrivateOptimizer optimizer(network, training_with(100, 1e-9, privacy::PoissonSampling{1}), options);
  Optimizer reference(options, network.parameters(), 20);
  const privacy::Secret<Examples> secret(some_examples());
  privacy::ReleaseLog log;
  for (int step = 0; step < 20; ++step) {
    optimizer.step(secret, noisy, "step", log, stream);
    reference.step(plain_gradient(network, plain, examples), 1.0 / kExamples, plain.learnt);
  }
  for (std::size_t i = 0; i < plain.learnt.size(); ++i)
    ASSERT_NEAR(plain.learnt[i], noisy.learnt[i], 2e-4) << "parameter " << i;
  EXPECT_EQ(log.releases().size(), 1U);
  EXPECT_EQ(log.releases()[0].times, 20U);
  EXPECT_EQ(log.total(), optimizer.training().event());
  EXPECT_THROW(optimizer.step(secret, noisy, "step", log, stream), std::logic_error) << "not paid for";
}

TEST(PrivateOptimizer, NoiseHasTheStandardDeviationOfThePlan) {
  Network network;
  network.add<Linear>(kFeatures, 500, false);
  PrivateTraining training = training_with(2, 3, privacy::FixedSizeSampling{kExamples, 8});
  training.steps = 1;
  OptimizerOptions options;
  options.kind = OptimizerOptions::Kind::sgd;
  options.learning_rate = 1;
  PrivateOptimizer optimizer(network, training, options);
  Examples blank = some_examples();
  std::get<tensor::Matrix>(blank.features) = tensor::Matrix(kExamples, kFeatures);  // gradients of zero
  const privacy::Secret<Examples> secret(std::move(blank));
  Parameters parameters{tensor::AlignedVector<float>(network.parameters()), {}};
  privacy::ReleaseLog log;
  SeededStream stream(4);
  optimizer.step(secret, parameters, "step", log, stream);
  double squares = 0;
  for (const float value : parameters.learnt)
    squares += static_cast<double>(value) * static_cast<double>(value);
  const double expected = log.releases()[0].noise_stddev / 8;  // the step divides by the batch
  // Chi-square with 4500 degrees of freedom: 5% is 4.7 standard deviations, false alarm below 1e-5.
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(parameters.learnt.size())), expected, 0.05 * expected);
  EXPECT_GE(log.releases()[0].noise_stddev, 3 * 2);
}

TEST(PrivateOptimizer, EmptyBatchesAndSecretsOfAnotherSizeAreStepsOfNoise) {
  const Network network = small_network();
  SeededStream stream(5);
  Parameters parameters = network.initial_parameters(stream);
  const Parameters before = parameters;
  PrivateOptimizer optimizer(network, training_with(1, 1, privacy::PoissonSampling{1e-9}), {});
  const privacy::Secret<Examples> secret(some_examples());
  privacy::ReleaseLog log;
  optimizer.step(secret, parameters, "step", log, stream);
  EXPECT_NE(parameters.learnt, before.learnt);
  const privacy::Secret<Examples> other(some_examples(7));
  EXPECT_NO_THROW(optimizer.step(other, parameters, "step", log, stream));
  for (const float value : parameters.learnt) ASSERT_TRUE(std::isfinite(value));
}

// What is released, with the noise frozen: members that are not there move nothing, not even a rounding,
// wherever they stand in the batch.
TEST(PrivateOptimizer, BlankMembersMoveNoRelease) {
  constexpr std::uint64_t kMany = 1200;  // small pieces
  const Network network = small_network();
  SeededStream stream(31);
  const Parameters initial = network.initial_parameters(stream);
  const Examples all = some_examples(kMany);
  // Everybody is in the batch; the secret of those without the blank is as large, its last member is blank.
  const auto released = [&](const Examples& examples) {
    PrivateOptimizer optimizer(network, training_with(1, 1e-3, privacy::PoissonSampling{1}, kMany), {});
    Parameters parameters = initial;
    privacy::ReleaseLog log;
    SeededStream noise(32);
    optimizer.step(privacy::Secret<Examples>(examples), parameters, "sum", log, noise);
    return parameters.learnt;
  };
  for (const std::size_t gone : {0U, 1U, 7U, 8U, 100U, 511U, 1198U, 1199U}) {
    Examples blank = all;
    blank.labels[gone] = graph::kUnlabeled;
    std::ranges::fill(std::get<tensor::Matrix>(blank.features).row(gone), 0.0F);
    Examples without = all;
    auto& rows = std::get<tensor::Matrix>(without.features);
    for (std::size_t i = gone; i + 1 < kMany; ++i) {
      std::ranges::copy(rows.row(i + 1), rows.row(i).begin());
      without.labels[i] = without.labels[i + 1];
    }
    without.labels.back() = graph::kUnlabeled;
    EXPECT_EQ(released(blank), released(without)) << gone;
  }
}

TEST(PrivateOptimizer, RefusesNetworksThatMixExamples) {
  Network network;
  network.add<Linear>(kFeatures, 4);
  network.add<BatchNorm>(4);
  network.add<Linear>(4, kClasses);
  try {
    PrivateOptimizer optimizer(network, training_with(1, 1, privacy::PoissonSampling{0.5}), {});
    FAIL() << "batch norm was taken";
  } catch (const Unsound& error) {
    EXPECT_NE(std::string(error.what()).find("batch norm"), std::string::npos);
  }
  Network convolution;
  convolution.add<GraphConv>(kFeatures, kClasses);
  EXPECT_THROW(PrivateOptimizer(convolution, training_with(1, 1, privacy::PoissonSampling{0.5}), {}),
               Unsound);
}

TEST(PrivateOptimizer, ThreadsChangeNothing) {
  const auto run = [](std::size_t threads) {
    set_thread_count(threads);
    Network network;
    network.add<Linear>(kFeatures, 600);
    network.add<Activate>(600, tensor::Activation::selu);
    network.add<Dropout>(600, 0.3, 0);
    network.add<Linear>(600, kClasses);
    SeededStream stream(6);
    Parameters parameters = network.initial_parameters(stream);
    PrivateOptimizer optimizer(network, training_with(1, 1, privacy::PoissonSampling{0.5}), {});
    const privacy::Secret<Examples> secret(some_examples());
    privacy::ReleaseLog log;
    for (int step = 0; step < 5; ++step) optimizer.step(secret, parameters, "step", log, stream);
    return parameters.learnt;
  };
  const std::size_t threads = thread_count();
  const auto one = run(1);
  const auto two = run(2);
  set_thread_count(threads);
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace privet::nn
