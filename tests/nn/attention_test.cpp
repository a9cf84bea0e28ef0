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
AttentionOptions first(Score score, double dropout = 0) {
  return {.heads = 2, .width = 11, .score = score, .dropout = dropout, .place = 1};
}
AttentionOptions second(Score score, double dropout = 0) {
  return {.heads = 3, .width = 4, .score = score, .concatenate = false, .dropout = dropout, .place = 2};
}

Network stack(Score score, double dropout = 0) {
  Network network;
  network.add<AttentionConv>(5, first(score, dropout));
  network.add<Activate>(22, tensor::Activation::tanh);
  network.add<AttentionConv>(22, second(score, dropout));
  return network;
}

using Rows = std::vector<std::vector<double>>;

Rows rows_of(const tensor::Matrix& matrix) {
  Rows rows;
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    rows.emplace_back(matrix.row(i).begin(), matrix.row(i).end());
  return rows;
}

// The layer as the papers write it, in double precision. `numbers` are weight, source, target, bias.
Rows reference(const AttentionOptions& options, const double* numbers, const Rows& x, const Rows& edges) {
  const bool additive = options.score == Score::additive;
  const std::size_t n = x.size();
  const std::size_t inputs = x[0].size();
  const std::size_t width = options.width;
  const std::size_t hidden = options.heads * width;
  const double* source = numbers + inputs * hidden;
  const double* target = source + hidden;
  const double* bias = additive ? target + hidden : source;
  Rows h(n, std::vector<double>(hidden));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < inputs; ++k) {
      for (std::size_t c = 0; c < hidden; ++c) h[i][c] += x[i][k] * numbers[k * hidden + c];
    }
  }
  const std::size_t outputs = options.concatenate ? hidden : width;
  Rows out(n, std::vector<double>(bias, bias + outputs));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t begin = 0; begin < hidden; begin += width) {
      std::vector<double> weights(n);
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        if (edges[i][j] == 0) continue;
        double score = 0;
        for (std::size_t c = begin; c < begin + width; ++c) {
          score += additive ? source[c] * h[j][c] + target[c] * h[i][c]
                            : h[i][c] * h[j][c] / std::sqrt(static_cast<double>(width));
        }
        if (additive && score < 0) score *= 0.2;
        sum += weights[j] = std::exp(score);
      }
      const double share = options.concatenate ? 1.0 : 1.0 / static_cast<double>(options.heads);
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t c = 0; c < width; ++c)
          out[i][options.concatenate ? begin + c : c] += share * weights[j] / sum * h[j][begin + c];
      }
    }
  }
  return out;
}

TEST(AttentionConv, IsASoftmaxOverNeighbours) {
  const Propagation propagation(with_loops(random_graph(9, 14, graph::Direction::directed, 1)));
  const tensor::SparseMatrix x = random_sparse_rows(9, 6, 2);
  const tensor::Matrix dense = dense_of(x);
  for (const Score score : {Score::additive, Score::dot_product}) {
    for (const AttentionOptions& options : {first(score), second(score)}) {
      Network network;
      network.add<AttentionConv>(6, options);
      const Parameters parameters = random_parameters(network, 3);
      const std::vector<double> numbers(parameters.learnt.begin(), parameters.learnt.end());
      const Rows rows =
          reference(options, numbers.data(), rows_of(dense), rows_of(dense_of(propagation.forward)));
      tensor::Matrix expected(9, network.outputs());
      for (std::size_t i = 0; i < 9; ++i) {
        for (std::size_t j = 0; j < rows[i].size(); ++j) expected(i, j) = static_cast<float>(rows[i][j]);
      }
      const Pass pass{.propagation = &propagation};
      expect_near(outputs(network, pass, parameters, tensor::SparseView(x)), expected, 1e-5);
      expect_near(outputs(network, pass, parameters, tensor::ConstMatrixView(dense)), expected, 1e-5);
    }
  }
}

// Loss of stack() in double precision. Differences of it need steps so small that scores do not cross the
// kink of LeakyReLU on the way, as they do with the steps that float32 needs.
double reference_loss(Score score, const std::vector<double>& numbers, const Rows& x, const Rows& edges,
                      const std::vector<std::int32_t>& labels) {
  Rows inner = reference(first(score), numbers.data(), x, edges);
  for (std::vector<double>& row : inner) {
    for (double& value : row) value = std::tanh(value);
  }
  const std::size_t vectors = score == Score::additive ? 2 : 0;
  const Rows logits = reference(second(score), numbers.data() + (5 + vectors) * 22 + 22, inner, edges);
  double loss = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (labels[i] < 0) continue;
    double sum = 0;
    for (const double logit : logits[i]) sum += std::exp(logit);
    loss += std::log(sum) - logits[i][static_cast<std::size_t>(labels[i])];
  }
  return loss;
}

void expect_reference_gradient(Score score, graph::Direction direction, bool sparse) {
  const Network network = stack(score);
  const Propagation propagation(with_loops(random_graph(11, 16, direction, 31)));
  const tensor::SparseMatrix features = random_sparse_rows(11, 5, 33);
  const tensor::Matrix dense = sparse ? dense_of(features) : random_rows(11, 5, 32);
  const auto labels = random_labels(11, 4, 35);
  const Parameters parameters = random_parameters(network, 34);
  const std::vector<float> gradient = analytic_gradient(
      network, {.propagation = &propagation}, parameters,
      sparse ? Input(tensor::SparseView(features)) : Input(tensor::ConstMatrixView(dense)), labels);
  const Rows x = rows_of(dense);
  const Rows edges = rows_of(dense_of(propagation.forward));
  std::vector<double> numbers(parameters.learnt.begin(), parameters.learnt.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    constexpr double kStep = 1e-6;
    const double saved = numbers[i];
    numbers[i] = saved + kStep;
    const double above = reference_loss(score, numbers, x, edges, labels);
    numbers[i] = saved - kStep;
    const double below = reference_loss(score, numbers, x, edges, labels);
    numbers[i] = saved;
    ASSERT_NEAR(static_cast<double>(gradient[i]), (above - below) / (2 * kStep), 2e-5) << "parameter " << i;
  }
}

TEST(AttentionConv, GradientsAreExact) {
  for (const Score score : {Score::additive, Score::dot_product}) {
    for (const graph::Direction direction : {graph::Direction::undirected, graph::Direction::directed}) {
      for (const bool sparse : {false, true}) {
        SCOPED_TRACE(::testing::Message() << (score == Score::additive ? "additive" : "dot product")
                                          << (direction == graph::Direction::directed ? ", directed" : "")
                                          << (sparse ? ", sparse" : ""));
        expect_reference_gradient(score, direction, sparse);
      }
    }
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
