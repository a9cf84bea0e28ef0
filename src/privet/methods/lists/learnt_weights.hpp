#pragma once

#include <cstdint>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/graph/graph.hpp"
#include "privet/learn/dense_network.hpp"
#include "privet/methods/lists/backbone.hpp"

namespace privet::methods {

/// How the weights of a noisy graph's edges are learnt together with a network (Lin et al. 2022, Solitude):
/// steps of the two in turn, the weights' along the gradient of
///
///   mean cross-entropy + closeness |W - A|_F + sparsity |W|_1
///
/// from W = A, the graph. Pairs that are not in the graph stay out of it: memory and time go with its edges.
struct WeightLearning {
  std::uint64_t epochs = 200;  ///< of both: every second one is a step of the weights
  double rate = 0.01;
  double closeness = 1e-3;
  double sparsity = 1e-6;
  /// Weights in [0, 1], the same for both entries of an edge. Otherwise they are free.
  bool bounded = true;
};

/// `labels` has -1 where a row is not for training. The backbone is gcn or sage: attention reads no weights.
tensor::SparseMatrix learn_weights(const graph::Graph& graph, const graph::Features& features,
                                   std::size_t classes, const std::vector<std::int32_t>& labels,
                                   const Backbone& backbone, const TrainingOptions& training,
                                   const WeightLearning& learning, RandomStream& stream);

/// The gradient, with respect to the weights, of a loss behind a network on backbone.propagation(weights),
/// where `sent` are the rows that each of its layers sent along the graph and `errors` the loss's gradients
/// with respect to what arrived, layer by layer; where there are fewer errors, of the last layers. Row sums
/// below 1 count as 1, and do not move.
std::vector<float> weight_gradient(const tensor::SparseMatrix& weights, bool convolution,
                                   const std::vector<tensor::Matrix>& sent,
                                   const std::vector<tensor::Matrix>& errors);

}  // namespace privet::methods
