#include "privet/methods/lists/learnt_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "local_cases.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/nn/message_passing.hpp"

namespace privet::methods::testing {
namespace {

tensor::Matrix random_rows(std::size_t rows, std::size_t columns, RandomStream& stream) {
  tensor::Matrix matrix(rows, columns);
  for (float& one : matrix.values()) one = static_cast<float>(stream.uniform() - 0.5);
  return matrix;
}

tensor::SparseMatrix with(const tensor::SparseMatrix& pattern, tensor::AlignedVector<float> values) {
  return {pattern.rows(),
          pattern.columns(),
          {pattern.offsets().begin(), pattern.offsets().end()},
          {pattern.column_indices().begin(), pattern.column_indices().end()},
          std::move(values)};
}

// The loss is the sum of errors times what arrives: its gradient against differences.
TEST(LearntWeights, GradientIsThatOfTheScaledGraph) {
  SeededStream stream(3);
  const graph::Dataset data = clustered_graph(20);
  const tensor::SparseMatrix pattern = graph::plain_adjacency(data.graph);
  for (const char* kind : {"gcn", "sage"}) {
    Backbone backbone;
    backbone.kind = kind;
    tensor::AlignedVector<float> values(pattern.entries());
    for (float& one : values) one = static_cast<float>(0.3 + stream.uniform());
    std::vector<tensor::Matrix> sent;
    std::vector<tensor::Matrix> errors;
    for (const std::size_t width : {std::size_t{3}, std::size_t{5}}) {
      sent.push_back(random_rows(20, width, stream));
      errors.push_back(random_rows(20, width, stream));
    }
    const auto loss = [&](const tensor::AlignedVector<float>& at) {
      const nn::Propagation along = backbone.propagation({.weights = with(pattern, at)});
      double sum = 0;
      for (std::size_t k = 0; k < sent.size(); ++k) {
        tensor::Matrix out(20, sent[k].columns());
        nn::send(along, sent[k], out);
        for (std::size_t i = 0; i < out.size(); ++i)
          sum += static_cast<double>(out.values()[i]) * static_cast<double>(errors[k].values()[i]);
      }
      return sum;
    };
    const std::vector<float> gradient =
        weight_gradient(with(pattern, values), backbone.kind == "gcn", sent, errors);
    ASSERT_EQ(gradient.size(), values.size());
    for (std::size_t e = 0; e < values.size(); e += 7) {
      constexpr float kStep = 1.0F / 64;
      tensor::AlignedVector<float> up = values;
      tensor::AlignedVector<float> down = values;
      up[e] += kStep;
      down[e] -= kStep;
      EXPECT_NEAR(static_cast<double>(gradient[e]), (loss(up) - loss(down)) / (2 * kStep), 2e-3)
          << kind << ' ' << e;
    }
  }
}

// Where errors of the first layer are missing, those of the last layers count.
TEST(LearntWeights, GradientTakesTheLastLayers) {
  SeededStream stream(3);
  const graph::Dataset data = clustered_graph(20);
  const tensor::SparseMatrix weights = graph::plain_adjacency(data.graph);
  const std::vector<tensor::Matrix> sent = {random_rows(20, 9, stream), random_rows(20, 4, stream)};
  const std::vector<tensor::Matrix> errors = {random_rows(20, 4, stream)};
  EXPECT_EQ(weight_gradient(weights, true, sent, errors), weight_gradient(weights, true, {sent[1]}, errors));
}

// Labels that follow from features and neighbours: edges between classes, which mislead, lose weight against
// those within. Weights stay in [0, 1] and symmetric where they are bounded.
TEST(LearntWeights, EdgesThatMisleadLoseWeight) {
  graph::DcsbmOptions options;
  options.nodes = 400;
  options.features = 60;
  const graph::Dataset data = graph::make_dcsbm(options, 5);
  graph::EdgeList edges;
  SeededStream stream(9);
  for (graph::NodeId i = 0; i < data.nodes(); ++i) {
    for (const graph::NodeId j : data.graph.neighbors(i)) edges.add(i, j);
    const auto j = static_cast<graph::NodeId>(stream.uniform() * static_cast<double>(data.nodes()));
    if (j != i) edges.add(i, j);
  }
  const graph::Graph noisy(data.nodes(), std::move(edges), graph::Direction::undirected, "test");
  for (const char* kind : {"gcn", "sage"}) {
    Backbone backbone;
    backbone.kind = kind;
    const tensor::SparseMatrix weights =
        learn_weights(noisy, data.features, data.classes, data.labels, backbone, {}, {}, stream);
    double sums[2] = {0, 0};
    double counts[2] = {0, 0};
    std::uint64_t e = 0;
    const tensor::SparseMatrix turned = weights.transposed();
    EXPECT_EQ(weights, turned);
    for (std::size_t i = 0; i < weights.rows(); ++i) {
      for (; e < weights.offsets()[i + 1]; ++e) {
        EXPECT_GE(weights.value(e), 0.0F);
        EXPECT_LE(weights.value(e), 1.0F);
        const bool same = data.labels[i] == data.labels[weights.column_indices()[e]];
        sums[same] += static_cast<double>(weights.value(e));
        counts[same] += 1;
      }
    }
    EXPECT_GT(sums[1] / counts[1], sums[0] / counts[0] + 0.1) << kind;
  }
}

}  // namespace
}  // namespace privet::methods::testing
