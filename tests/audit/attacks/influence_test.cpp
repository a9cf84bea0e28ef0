#include "privet/audit/attacks/influence.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/base/error.hpp"
#include "privet/graph/generate.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/nn/attention.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/graph_conv.hpp"
#include "privet/nn/isomorphism.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/propagate.hpp"
#include "privet/nn/sage.hpp"
#include "privet/nn/trainer.hpp"

namespace privet::audit {
namespace {

using graph::NodeId;

graph::Dataset small_graph() {
  return graph::make_dcsbm({.nodes = 80, .mean_degree = 4, .features = 15, .mean_words = 5}, 3);
}

methods::MessagePassing with_weights(nn::Network network, tensor::SparseMatrix adjacency) {
  SeededStream stream(5);
  nn::Parameters parameters = network.initial_parameters(stream);
  for (float& value : parameters.learnt) value += 0.1F * static_cast<float>(stream.uniform() - 0.5);
  for (float& value : parameters.statistics) value += 0.3F * static_cast<float>(stream.uniform());
  return {std::move(network), std::move(parameters), std::move(adjacency)};
}

graph::Features scaled(const graph::Features& features, NodeId node, double by) {
  const tensor::SparseMatrix sparse = sparse_features(features);
  tensor::Matrix dense(sparse.rows(), sparse.columns());
  for (std::size_t i = 0; i < sparse.rows(); ++i) {
    for (std::uint64_t e = sparse.offsets()[i]; e < sparse.offsets()[i + 1]; ++e)
      dense(i, sparse.column_indices()[e]) =
          static_cast<float>(static_cast<double>(sparse.value(e)) * (i == node ? by : 1));
  }
  return dense;
}

// Every influence of some nodes against the difference quotient of the same network's scores in double
// precision. The step is a power of two, so that features of 1 are scaled without rounding.
void expect_quotients(const methods::MessagePassing& model, const graph::Features& features) {
  constexpr double kStep = 0x1p-13;
  const InfluenceMap map(model, features);
  const std::size_t nodes = model.adjacency.rows();
  const std::size_t width = map.scores().size() / nodes;
  for (const NodeId u : {0U, 7U, 33U, 79U}) {
    const InfluenceRow row = map.of(u);
    const InfluenceMap up(model, scaled(features, u, 1 + kStep));
    const InfluenceMap down(model, scaled(features, u, 1 - kStep));
    double largest = 0;
    for (const auto& [v, influence] : row) largest = std::max(largest, influence);
    ASSERT_GT(largest, 0);
    for (NodeId v = 0; v < nodes; ++v) {
      double square = 0;
      for (std::size_t j = v * width; j < (v + 1) * width; ++j) {
        const double change = (up.scores()[j] - down.scores()[j]) / (2 * kStep);
        square += change * change;
      }
      EXPECT_NEAR(influence_on(row, v), std::sqrt(square), 1e-4 * std::sqrt(square) + 1e-9 * largest)
          << u << " on " << v;
    }
  }
}

// The scores of the double pass are those of the network in float32.
void expect_same_scores(const methods::MessagePassing& model, const graph::Features& features) {
  const InfluenceMap map(model, features);
  const nn::Propagation propagation(model.adjacency);
  const tensor::Matrix scores =
      nn::outputs_of(model.network, model.parameters, nn::all_rows(features), &propagation);
  ASSERT_EQ(map.scores().size(), scores.size());
  for (std::size_t k = 0; k < scores.size(); ++k)
    EXPECT_NEAR(map.scores()[k], static_cast<double>(scores.values()[k]), 1e-4);
}

TEST(InfluenceTest, GraphConvolutions) {
  const graph::Dataset data = small_graph();
  nn::Network network;
  network.add<nn::GraphConv>(15U, 8U);
  network.add<nn::Activate>(8U, tensor::Activation::relu);
  network.add<nn::Dropout>(8U, 0.5, 0U);
  network.add<nn::GraphConv>(8U, 6U);
  network.add<nn::Activate>(6U, tensor::Activation::tanh);
  network.add<nn::GraphConv>(6U, 3U);
  const auto model = with_weights(std::move(network), graph::symmetric_with_loops(data.graph));
  expect_same_scores(model, data.features);
  expect_quotients(model, data.features);
}

TEST(InfluenceTest, GraphSageWithNormsAndBatchNorm) {
  const graph::Dataset data = small_graph();
  nn::Network network;
  network.add<nn::Linear>(15U, 8U);
  network.add<nn::BatchNorm>(8U);
  network.add<nn::Activate>(8U, tensor::Activation::selu);
  network.add<nn::SageConv>(8U, 8U, nn::SageOptions{.normalize = true});
  network.add<nn::Activate>(8U, tensor::Activation::selu);
  network.add<nn::SageConv>(8U, 8U, nn::SageOptions{.root_weight = true});
  network.add<nn::NormalizeRows>(8U);
  network.add<nn::Linear>(8U, 3U);
  const auto model = with_weights(std::move(network), graph::row_mean(data.graph));
  expect_same_scores(model, data.features);
  expect_quotients(model, data.features);
}

TEST(InfluenceTest, IsomorphismSums) {
  const graph::Dataset data = small_graph();
  nn::Network network;
  network.add<nn::Linear>(15U, 8U);
  network.add<nn::IsomorphismSum>(8U, 0.25);
  network.add<nn::Linear>(8U, 3U);
  const auto model = with_weights(std::move(network), graph::plain_adjacency(data.graph));
  expect_same_scores(model, data.features);
  expect_quotients(model, data.features);
}

TEST(InfluenceTest, ConstantsThatTravel) {
  const graph::Dataset data = small_graph();
  nn::Network network;
  network.add<nn::Linear>(15U, 8U);
  network.add<nn::Propagate>(8U);
  network.add<nn::Activate>(8U, tensor::Activation::relu);
  network.add<nn::Linear>(8U, 3U);
  network.add<nn::Propagate>(3U);
  const auto model = with_weights(std::move(network), graph::symmetric_with_loops(data.graph));
  expect_same_scores(model, data.features);
  expect_quotients(model, data.features);
}

TEST(InfluenceTest, DirectedEdgesCarryOneWay) {
  graph::EdgeList edges;
  edges.add(0, 1);  // node 0 hears node 1
  const graph::Graph graph(3, std::move(edges), graph::Direction::directed);
  nn::Network network;
  network.add<nn::SageConv>(2U, 2U);
  const auto model = with_weights(std::move(network), graph::plain_adjacency(graph));
  tensor::Matrix features(3, 2);
  for (float& value : features.values()) value = 1;
  const InfluenceMap map(model, features);
  EXPECT_GT(influence_on(map.of(1), 0), 0);
  EXPECT_EQ(influence_on(map.of(0), 1), 0);
  EXPECT_EQ(influence_on(map.of(2), 0), 0);
}

TEST(InfluenceTest, AttentionIsNamedAsTheObstacle) {
  nn::Network network;
  network.add<nn::AttentionConv>(4U, nn::AttentionOptions{.heads = 1, .width = 2});
  EXPECT_EQ(InfluenceMap::obstacle(network), network.layer(0).name());
  tensor::Matrix features(1, 4);
  graph::EdgeList none;
  const auto model = with_weights(std::move(network), graph::symmetric_with_loops(graph::Graph(
                                                          1, std::move(none), graph::Direction::undirected)));
  EXPECT_THROW(InfluenceMap(model, features), InvalidArgument);
}

}  // namespace
}  // namespace privet::audit
