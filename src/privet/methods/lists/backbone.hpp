#pragma once

#include <memory>
#include <optional>
#include <string>

#include "privet/base/options.hpp"
#include "privet/graph/graph.hpp"
#include "privet/learn/dense_network.hpp"
#include "privet/methods/lists/link_posterior.hpp"
#include "privet/nn/layer.hpp"
#include "privet/nn/network.hpp"

namespace privet::methods {

/// What a server has made of the reports, in one of three forms.
struct Reconstruction {
  std::optional<graph::Graph> graph = {};                ///< edges
  std::optional<tensor::SparseMatrix> weights = {};      ///< edges with weights
  std::shared_ptr<const LinkPosterior> links = nullptr;  ///< a weight for every pair
};

/// The networks that learn on it: graph convolutions, GraphSAGE with means, graph attention with one head;
/// ReLU and dropout behind hidden layers, dropout of the features.
///
/// Weights for every pair are sent by tiles. As PyTorch Geometric's dense layers do, gcn sets the diagonal to
/// 1 and scales by D^-1/2 with sums of rows that count as at least 1; sage divides by such sums. gat needs
/// single edges.
struct Backbone {
  std::string kind = "gcn";
  std::uint64_t layers = 2;
  std::uint64_t width = 16;
  double dropout = 0.4;

  void declare(OptionTable& table);
  /// All of it: two that read the same are the same network.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] nn::Network network(std::size_t inputs, std::size_t outputs) const;
  /// InvalidArgument for gat, which has no weights for every pair.
  void require_soft() const;
  /// The same, where that is what was reconstructed.
  [[nodiscard]] nn::Propagation propagation(const Reconstruction& reconstruction) const;
};

}  // namespace privet::methods
