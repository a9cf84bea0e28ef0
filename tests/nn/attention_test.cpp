#include "privet/nn/attention.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "small_cases.hpp"

namespace privet::nn::testing {
namespace {

using Score = AttentionOptions::Score;

tensor::SparseMatrix with_loops(const graph::Graph& graph) { return adjacency(graph, true); }

// Eleven wide heads: a full group of eight numbers and a rest.
Network stack(Score score, double dropout = 0) {
  Network network;
  network.add<AttentionConv>(
      5, AttentionOptions{.heads = 2, .width = 11, .score = score, .dropout = dropout, .place = 1});
  network.add<Activate>(22, tensor::Activation::tanh);
  network.add<AttentionConv>(
      22, AttentionOptions{
              .heads = 3, .width = 4, .score = score, .concatenate = false, .dropout = dropout, .place = 2});
  return network;
}

struct Case {
  Score score;
  bool concatenate;
};

TEST(AttentionConv, IsASoftmaxOverNeighbours) {
  constexpr std::size_t kHeads = 3;
  constexpr std::size_t kWidth = 4;
  const Propagation propagation(with_loops(random_graph(9, 14, graph::Direction::directed, 1)));
  const tensor::Matrix edges = dense_of(propagation.forward);
  const tensor::SparseMatrix x = random_sparse_rows(9, 6, 2);
  for (const auto& [score, concatenate] :
       {Case{Score::additive, true}, Case{Score::additive, false}, Case{Score::dot_product, true}}) {
    Network network;
    network.add<AttentionConv>(
        6, AttentionOptions{.heads = kHeads, .width = kWidth, .score = score, .concatenate = concatenate});
    const Parameters parameters = random_parameters(network, 3);
    const tensor::Matrix h = times(dense_of(x), learnt(network, parameters, "0.weight"));
    const bool additive = score == Score::additive;
    const tensor::Matrix source = additive ? learnt(network, parameters, "0.source") : tensor::Matrix();
    const tensor::Matrix target = additive ? learnt(network, parameters, "0.target") : tensor::Matrix();

    tensor::Matrix expected(9, network.outputs());
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t head = 0; head < kHeads; ++head) {
        std::vector<double> weights(9);
        double sum = 0;
        for (std::size_t j = 0; j < 9; ++j) {
          if (edges(i, j) == 0) continue;
          double value = 0;
          for (std::size_t c = 0; c < kWidth; ++c) {
            const double from = h(j, head * kWidth + c);
            const double to = h(i, head * kWidth + c);
            value += additive ? source(head, c) * from + target(head, c) * to : from * to / std::sqrt(kWidth);
          }
          if (additive && value < 0) value *= 0.2;
          sum += weights[j] = std::exp(value);
        }
        for (std::size_t j = 0; j < 9; ++j) {
          for (std::size_t c = 0; c < kWidth; ++c) {
            const double share = weights[j] / sum * static_cast<double>(h(j, head * kWidth + c));
            float& to = expected(i, concatenate ? head * kWidth + c : c);
            to += static_cast<float>(concatenate ? share : share / kHeads);
          }
        }
      }
    }
    expected = add_row(expected, learnt(network, parameters, "0.bias"));
    const Pass pass{.propagation = &propagation};
    const tensor::Matrix dense = dense_of(x);
    expect_near(outputs(network, pass, parameters, tensor::SparseView(x)), expected, 1e-5);
    expect_near(outputs(network, pass, parameters, tensor::ConstMatrixView(dense)), expected, 1e-5);
  }
}

TEST(AttentionConv, GradientsAreExact) {
  for (const Score score : {Score::additive, Score::dot_product}) {
    SCOPED_TRACE(score == Score::additive ? "additive" : "dot product");
    expect_exact_gradients(stack(score), with_loops, false);
    // Parameters at which no score crosses the kink of LeakyReLU within a step of the differences.
    expect_exact_gradients(stack(score), with_loops, true, false, 36);
  }
}

TEST(AttentionConv, GradientsAreExactUnderDropout) {
  for (const Score score : {Score::additive, Score::dot_product}) {
    SCOPED_TRACE(score == Score::additive ? "additive" : "dot product");
    expect_exact_gradients(stack(score, 0.4), with_loops, false, true);
  }
}

TEST(AttentionConv, CarriesErrorsToEarlierLayers) {
  for (const Score score : {Score::additive, Score::dot_product}) {
    Network network;
    network.add<Linear>(6, 4);
    network.add<Activate>(4, tensor::Activation::tanh);
    network.add<AttentionConv>(4, AttentionOptions{.heads = 2, .width = 3, .score = score, .bias = false});
    network.add<Linear>(6, 3);
    expect_exact_gradients(network, with_loops, true);
  }
}

TEST(AttentionConv, DropsCoefficientsOnlyWhileTrainingAndBySeed) {
  const Network network = stack(Score::additive, 0.5);
  const Propagation propagation(with_loops(random_graph(30, 60, graph::Direction::undirected, 1)));
  const tensor::Matrix x = random_rows(30, 5, 2);
  const Parameters parameters = random_parameters(network, 3);
  const auto run = [&](bool training, std::uint64_t seed) {
    return outputs(network, {.training = training, .seed = seed, .propagation = &propagation}, parameters,
                   tensor::ConstMatrixView(x));
  };
  EXPECT_EQ(run(false, 1), run(false, 2));
  EXPECT_EQ(run(true, 1), run(true, 1));
  EXPECT_NE(run(true, 1), run(true, 2));
  EXPECT_EQ(run(false, 1), outputs(stack(Score::additive), {.propagation = &propagation}, parameters,
                                   tensor::ConstMatrixView(x)));
}

TEST(AttentionConv, DroppedCoefficientsKeepTheirMean) {
  Network network;
  network.add<AttentionConv>(3, AttentionOptions{.width = 2, .dropout = 0.5});
  const Propagation propagation(with_loops(random_graph(8, 12, graph::Direction::undirected, 1)));
  const tensor::Matrix x = random_rows(8, 3, 2);
  const Parameters parameters = random_parameters(network, 3);
  const tensor::Matrix whole =
      outputs(network, {.propagation = &propagation}, parameters, tensor::ConstMatrixView(x));
  constexpr std::size_t kPasses = 4000;
  std::vector<double> mean(whole.size());
  for (std::size_t s = 0; s < kPasses; ++s) {
    const tensor::Matrix out = outputs(network, {.training = true, .seed = s, .propagation = &propagation},
                                       parameters, tensor::ConstMatrixView(x));
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(out.values()[i]) / kPasses;
  }
  // An output deviates by at most max |h| < 2, its mean of 4000 by 0.032: six deviations, 16 outputs, false
  // alarm below 1e-7.
  for (std::size_t i = 0; i < mean.size(); ++i)
    EXPECT_NEAR(mean[i], static_cast<double>(whole.values()[i]), 0.19);
}

TEST(AttentionConv, IgnoresTheWeightsOfEntries) {
  const graph::Graph graph = random_graph(10, 15, graph::Direction::directed, 1);
  const tensor::SparseMatrix ones = with_loops(graph);
  const auto offsets = ones.offsets();
  const auto columns = ones.column_indices();
  const Propagation plain(ones);
  const Propagation weighted(tensor::SparseMatrix(10, 10, {offsets.begin(), offsets.end()},
                                                  {columns.begin(), columns.end()},
                                                  tensor::AlignedVector<float>(ones.entries(), 3.0F)));
  const Network network = stack(Score::additive);
  const Parameters parameters = random_parameters(network, 3);
  const tensor::Matrix x = random_rows(10, 5, 2);
  EXPECT_EQ(outputs(network, {.propagation = &plain}, parameters, tensor::ConstMatrixView(x)),
            outputs(network, {.propagation = &weighted}, parameters, tensor::ConstMatrixView(x)));
}

TEST(AttentionConv, SurvivesLargeScores) {
  Network network;
  network.add<AttentionConv>(2, AttentionOptions{.width = 2, .score = Score::dot_product});
  const Propagation propagation(with_loops(random_graph(8, 12, graph::Direction::undirected, 1)));
  tensor::Matrix x = random_rows(8, 2, 2);
  for (float& value : x.values()) value *= 1e6F;
  const Parameters parameters = random_parameters(network, 3);
  const tensor::Matrix out =
      outputs(network, {.propagation = &propagation}, parameters, tensor::ConstMatrixView(x));
  for (const float value : out.values()) EXPECT_TRUE(std::isfinite(value));
}

TEST(AttentionConv, FollowsTheNumbersOfTheNodes) {
  expect_equivariant(stack(Score::additive), with_loops);
  expect_equivariant(stack(Score::dot_product), with_loops);
}

TEST(AttentionConv, IsTheSameOnAnyNumberOfThreads) {
  expect_same_on_threads(stack(Score::additive, 0.3), with_loops, true);
  expect_same_on_threads(stack(Score::dot_product), with_loops, false);
}

TEST(AttentionConv, NeedsLoops) {
  const Network network = stack(Score::additive);
  const Propagation bare(adjacency(random_graph(8, 12, graph::Direction::undirected, 1), false));
  const tensor::Matrix x = random_rows(8, 5, 2);
  EXPECT_THROW((void)outputs(network, {.propagation = &bare}, random_parameters(network, 3),
                             tensor::ConstMatrixView(x)),
               InvalidArgument);
}

TEST(AttentionConv, RefusesOptionsThatMakeNoSense) {
  EXPECT_THROW(AttentionConv(3, AttentionOptions{.heads = 0, .width = 2}), InvalidArgument);
  EXPECT_THROW(AttentionConv(3, AttentionOptions{}), InvalidArgument);
  EXPECT_THROW(AttentionConv(3, AttentionOptions{.width = 2, .dropout = 1}), InvalidArgument);
}

TEST(AttentionConv, HasNoGradientOfOneExample) {
  EXPECT_THROW(stack(Score::additive).require_separate_examples(), Unsound);
}

}  // namespace
}  // namespace privet::nn::testing
