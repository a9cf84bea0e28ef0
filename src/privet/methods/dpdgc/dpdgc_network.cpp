#include "privet/methods/dpdgc/dpdgc_network.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "privet/base/error.hpp"
#include "privet/learn/private_rows.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/branches.hpp"
#include "privet/nn/examples.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/projection.hpp"

namespace privet::methods {
namespace {

constexpr double kProjectionGain = 6;  // R is orthogonal times sqrt(6 / width)

// Layers on the first columns of rows that carry `beside` more.
class Builder {
 public:
  Builder(const ClassifierShape& shape, nn::Network& network) : shape_(shape), network_(network) {}

  void linear(std::size_t inputs, std::size_t outputs, std::size_t beside) {
    add(std::make_shared<const nn::Linear>(inputs, outputs), inputs, beside);
  }
  void activate(std::size_t width, std::size_t beside) {
    if (shape_.batch_norm) add(std::make_shared<const nn::BatchNorm>(width), width, beside);
    if (shape_.dropout > 0)
      add(std::make_shared<const nn::Dropout>(width, shape_.dropout, network_.layers()), width, beside);
    add(std::make_shared<const nn::Activate>(width, tensor::Activation::selu), width, beside);
  }

 private:
  void add(std::shared_ptr<const nn::Layer> layer, std::size_t inputs, std::size_t beside) {
    if (beside == 0) {
      network_.add(std::move(layer));
    } else {
      network_.add<nn::OnColumns>(inputs + beside, std::size_t{0}, std::move(layer));
    }
  }
  const ClassifierShape& shape_;
  nn::Network& network_;
};

void require_features(const ClassifierShape& shape) {
  if (shape.features > 0) return;
  throw DataError({.what = "the data set has no features",
                   .where = "features",
                   .expected = "at least one column",
                   .remedy = "add features"});
}

}  // namespace

nn::Network embedding_network(std::size_t nodes, std::size_t width, std::size_t classes, bool batch_norm,
                              RandomStream& stream) {
  nn::Network network;
  network.add<nn::Linear>(nodes, width);
  if (batch_norm) network.add<nn::BatchNorm>(width);
  network.add<nn::Activate>(width, tensor::Activation::selu);
  network.add<nn::Projection>(nn::orthogonal_projection(
      width, classes, std::sqrt(kProjectionGain / static_cast<double>(width)), stream));
  return network;
}

nn::Network linkx_network(const ClassifierShape& shape) {
  require_features(shape);
  const std::size_t width = shape.embedding;
  nn::Network network;
  Builder build(shape, network);
  build.linear(shape.features, width, width);
  for (std::uint64_t i = 1; i < shape.feature_layers; ++i) {
    build.activate(width, width);
    build.linear(width, width, width);
  }
  network.add<nn::SumBeside>(width);
  build.activate(2 * width, width);
  build.linear(2 * width, width, width);
  build.activate(width, width);
  build.linear(width, width, width);
  network.add<nn::AddHalves>(width);
  build.activate(width, 0);
  build.linear(width, shape.classes, 0);
  return network;
}

nn::Network linear_network(const ClassifierShape& shape) {
  require_features(shape);
  nn::Network network;
  network.add<nn::Linear>(shape.features + shape.embedding, shape.classes);
  return network;
}

graph::Features list_rows(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (const graph::NodeId node : nodes) {
    const auto row = graph.neighbors(node);
    columns.insert(columns.end(), row.begin(), row.end());
    offsets.push_back(columns.size());
  }
  return tensor::SparseMatrix(nodes.size(), graph.nodes(), std::move(offsets), std::move(columns), {});
}

graph::Features joined_rows(const graph::Features& features, const tensor::Matrix& embedding,
                            const std::vector<graph::NodeId>& nodes, double feature_norm) {
  const std::size_t width = embedding.columns();
  const std::size_t columns = graph::feature_columns(features);
  const std::vector<std::int32_t> no_labels(embedding.rows(), graph::kUnlabeled);
  const graph::Features own = scaled_rows(nn::examples_of(features, no_labels, nodes).features, feature_norm);
  if (const auto* dense = std::get_if<tensor::Matrix>(&own)) {
    tensor::Matrix joined(nodes.size(), columns + width);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::ranges::copy(dense->row(i), joined.row(i).begin());
      std::ranges::copy(embedding.row(nodes[i]), joined.row(i).subspan(columns).begin());
    }
    return joined;
  }
  const auto& sparse = std::get<tensor::SparseMatrix>(own);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> indices;
  tensor::AlignedVector<float> values;
  indices.reserve(sparse.entries() + nodes.size() * width);
  values.reserve(sparse.entries() + nodes.size() * width);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::uint64_t k = sparse.offsets()[i]; k < sparse.offsets()[i + 1]; ++k) {
      indices.push_back(sparse.column_indices()[k]);
      values.push_back(sparse.value(k));
    }
    for (std::size_t j = 0; j < width; ++j) {
      indices.push_back(static_cast<std::uint32_t>(columns + j));
      values.push_back(embedding.row(nodes[i])[j]);
    }
    offsets.push_back(indices.size());
  }
  return tensor::SparseMatrix(nodes.size(), columns + width, std::move(offsets), std::move(indices),
                              std::move(values));
}

nn::Examples list_examples(const graph::Graph& graph, const std::vector<std::int32_t>& labels,
                           const std::vector<graph::NodeId>& nodes) {
  nn::Examples examples;
  examples.features = list_rows(graph, nodes);
  for (const graph::NodeId node : nodes) examples.labels.push_back(labels[node]);
  nn::know_norms(examples);
  return examples;
}

nn::Examples joined_examples(const graph::Features& features, const std::vector<std::int32_t>& labels,
                             const tensor::Matrix& embedding, const std::vector<graph::NodeId>& nodes,
                             double feature_norm) {
  nn::Examples examples;
  examples.features = joined_rows(features, embedding, nodes, feature_norm);
  for (const graph::NodeId node : nodes) examples.labels.push_back(labels[node]);
  nn::know_norms(examples);
  return examples;
}

std::vector<graph::NodeId> everybody(std::size_t nodes) {
  std::vector<graph::NodeId> all(nodes);
  std::iota(all.begin(), all.end(), graph::NodeId{0});
  return all;
}

graph::Graph sampled_columns(const graph::Graph& graph, std::uint64_t most, std::uint64_t seed) {
  const SeededStream seeded(seed);
  const graph::Graph turned = graph.transposed();
  graph::EdgeList kept;
  for (std::size_t j = 0; j < graph.nodes(); ++j) {
    const auto column = static_cast<graph::NodeId>(j);
    const auto members = turned.neighbors(column);
    std::vector<graph::NodeId> chosen(members.begin(), members.end());
    if (chosen.size() > most) {
      const std::unique_ptr<RandomStream> own = seeded.fork("column", j);
      for (std::uint64_t i = 0; i < most; ++i)
        std::swap(chosen[i], chosen[i + own->below(chosen.size() - i)]);
      chosen.resize(most);
    }
    for (const graph::NodeId i : chosen) kept.add(i, column);
  }
  return {graph.nodes(), std::move(kept), graph::Direction::directed, "sampled columns"};
}

}  // namespace privet::methods
