#include "privet/nn/trainer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "privet/nn/column_softmax.hpp"
#include "privet/nn/linear.hpp"
#include "random_examples.hpp"

namespace privet::nn {
namespace {

TrainingResult trained(const Network& network, std::uint64_t epochs, Selection selection,
                       const Examples& validation) {
  TrainerOptions options;
  options.epochs = epochs;
  options.selection = selection;
  options.optimizer.learning_rate = 0.3;
  SeededStream weights(1);
  SeededStream order(2);
  return Trainer(network, options)
      .fit(testing::random_examples(30, 4, 3, 5), validation, network.initial_parameters(weights), order);
}

TEST(Trainer, KeepsTheEpochThatIsAskedFor) {
  Network network;
  network.add<Linear>(4, 3);
  const Examples validation = testing::random_examples(40, 4, 3, 6);
  // The parameters of every epoch, by stopping there: a plain run has no epoch to choose.
  double least = HUGE_VAL;
  double most = 0;
  std::uint64_t least_at = 0;
  std::uint64_t most_at = 0;
  for (std::uint64_t epoch = 1; epoch <= 25; ++epoch) {
    const TrainingResult plain = trained(network, epoch, Selection::accuracy, {});
    EXPECT_EQ(plain.best_epoch, epoch);
    const tensor::Matrix outputs = outputs_of(network, plain.parameters, all_rows(validation.features));
    const double loss = mean_loss(outputs, validation.labels);
    const double right = accuracy(outputs, validation.labels);
    if (loss < least) least = loss, least_at = epoch;
    if (right > most) most = right, most_at = epoch;
  }
  ASSERT_NE(least_at, most_at);
  const TrainingResult lowest = trained(network, 25, Selection::loss, validation);
  EXPECT_EQ(lowest.best_epoch, least_at);
  EXPECT_EQ(lowest.validation_loss, least);
  const TrainingResult best = trained(network, 25, Selection::accuracy, validation);
  EXPECT_EQ(best.best_epoch, most_at);
  EXPECT_EQ(best.validation_accuracy, most);
  EXPECT_FALSE(best.validation_loss);
}

TEST(Trainer, MeanLossByHand) {
  const tensor::Matrix even(2, 4);
  const std::vector<std::int32_t> labels = {2, -1};
  EXPECT_NEAR(mean_loss(even, labels), std::log(4.0), 1e-6);
  EXPECT_EQ(mean_loss(even, std::vector<std::int32_t>{-1, -1}), 0);
}

TEST(Trainer, MeanLossOfLogarithmsIsTheirOwn) {
  tensor::Matrix logarithms(3, 2);
  logarithms(0, 1) = -1.5F;
  logarithms(1, 0) = -4;
  logarithms(2, 0) = -100;
  const std::vector<std::int32_t> labels = {1, 0, -1};
  EXPECT_EQ(mean_loss(logarithms, labels, Loss::likelihood), 2.75);
}

// The loss that the published code of HPGR minimises on soft graphs: scores compete with those that other
// nodes have for the class. Its gradient by hand, in one step of plain descent from zero weights.
TEST(Trainer, OneStepAgainstTheOtherRows) {
  Network network;
  network.add<Linear>(1, 2);
  network.add<LogSoftmaxColumns>(2);
  TrainerOptions options;
  options.epochs = 1;
  options.loss = Loss::likelihood;
  options.optimizer = {.kind = OptimizerOptions::Kind::sgd, .learning_rate = 1};
  tensor::Matrix x(3, 1);
  x(0, 0) = 1;
  x(1, 0) = 2;
  x(2, 0) = 6;
  SeededStream stream(1);
  Parameters zero = network.initial_parameters(stream);
  std::ranges::fill(zero.learnt, 0.0F);
  const Propagation none(tensor::SparseMatrix(3, 3, {0, 0, 0, 0}, {}, {}));
  const TrainingResult result =
      Trainer(network, options)
          .fit_on_graph(graph::Features(x), none, {0, -1, 1}, {-1, -1, -1}, zero, stream);
  // Of class a with one labelled row l: sum over the rows of (1/3) x_i, less x_l; the mean over two labels.
  EXPECT_NEAR(result.parameters.learnt[0], -(3.0 - 1) / 2, 1e-6);
  EXPECT_NEAR(result.parameters.learnt[1], -(3.0 - 6) / 2, 1e-6);
  EXPECT_NEAR(result.final_loss, std::log(3.0), 1e-6);
}

}  // namespace
}  // namespace privet::nn
