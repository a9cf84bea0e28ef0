#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/nn/examples.hpp"
#include "privet/nn/network.hpp"

namespace privet::methods {

/// The two networks of DPDGC (Chien et al. 2023, section 5 and appendix K) and the rows that they read.

/// DP-Emb: row i of A -> W, b -> SELU -> R, where R is orthogonal, drawn once and never learnt. The first
/// array of its parameters is W, a row for every node, the second b.
nn::Network embedding_network(std::size_t nodes, std::size_t width, std::size_t classes, bool batch_norm,
                              RandomStream& stream);

struct ClassifierShape {
  std::size_t features = 0;
  std::size_t embedding = 0;  ///< columns of the embedding, behind those of the features
  std::size_t classes = 0;
  std::uint64_t feature_layers = 2;  ///< linear layers on the features alone
  double dropout = 0;
  bool batch_norm = false;
};
/// Features through layers of their own, joined with the embedding, two layers on both, both added again, a
/// linear head (LINKX, Lim et al. 2021). DataError for a data set without features.
nn::Network linkx_network(const ClassifierShape& shape);
/// One linear layer on both: what carries most under noise.
nn::Network linear_network(const ClassifierShape& shape);

/// Rows of A of the nodes named, as features.
graph::Features list_rows(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes);

/// [x | z] for the nodes named: feature rows of norm `feature_norm` (0 leaves them) beside those of the
/// embedding.
graph::Features joined_rows(const graph::Features& features, const tensor::Matrix& embedding,
                            const std::vector<graph::NodeId>& nodes, double feature_norm);

/// The same as examples with the labels of those nodes, their norms worked out.
nn::Examples list_examples(const graph::Graph& graph, const std::vector<std::int32_t>& labels,
                           const std::vector<graph::NodeId>& nodes);
nn::Examples joined_examples(const graph::Features& features, const std::vector<std::int32_t>& labels,
                             const tensor::Matrix& embedding, const std::vector<graph::NodeId>& nodes,
                             double feature_norm);

/// 0 to nodes - 1.
std::vector<graph::NodeId> everybody(std::size_t nodes);

/// The graph with at most `most` entries per column: a full one keeps a random choice of them (Algorithm 2,
/// line 4). Not a stable cut: one node less in a full column lets another one in
/// (docs/methods/dpdgc.md#paper).
graph::Graph sampled_columns(const graph::Graph& graph, std::uint64_t most, std::uint64_t seed);

}  // namespace privet::methods
