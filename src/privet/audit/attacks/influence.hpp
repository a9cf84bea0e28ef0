#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/learn/method.hpp"

namespace privet::audit {

/// How far a node's features move the scores of others, as LinkTeller asks (Wu, Long, Zhang and Li 2022): the
/// Euclidean norm of the derivative of v's scores, before the softmax, when the features of u grow by a
/// share.
///
/// LinkTeller takes a difference quotient of float32 scores, which is rounding noise for weak influences.
/// Here the derivative itself is carried forward in double precision, at the activations of the features as
/// they are; for networks of ReLU, which are piecewise linear, it is what the quotient tends to exactly. Only
/// rows that u can reach are touched, and a node that it can't reach has influence 0 and not nearly 0.

/// Nodes reached and the influence on each, in ascending order of the nodes.
using InfluenceRow = std::vector<std::pair<graph::NodeId, double>>;
/// 0 for a node that is not there.
double influence_on(const InfluenceRow& row, graph::NodeId node);

class InfluenceMap {
 public:
  /// Runs the network once on all nodes. InvalidArgument for a layer whose derivative is not known here.
  InfluenceMap(const methods::MessagePassing& model, const graph::Features& features);
  ~InfluenceMap();
  InfluenceMap(const InfluenceMap&) = delete;
  InfluenceMap& operator=(const InfluenceMap&) = delete;

  /// Why the derivative through this network is not known; empty where it is.
  static std::string obstacle(const nn::Network& network);

  /// Of u on everybody. Safe to call from several threads.
  [[nodiscard]] InfluenceRow of(graph::NodeId u) const;
  /// Of each of these, on all threads.
  [[nodiscard]] std::vector<InfluenceRow> of(const std::vector<graph::NodeId>& sources) const;
  /// Scores of all nodes in double precision, one row after the other.
  [[nodiscard]] const std::vector<double>& scores() const;

 private:
  struct Step;
  struct Front;
  void run_forward();
  void send(const Step& step, Front& front, std::vector<std::uint32_t>& place) const;

  tensor::SparseMatrix forward_;
  tensor::SparseMatrix backward_;
  tensor::SparseMatrix features_;
  std::vector<Step> steps_;
  std::vector<double> scores_;
};

/// The rows of the features as a sparse matrix. A data set without features is an InvalidArgument.
tensor::SparseMatrix sparse_features(const graph::Features& features);

}  // namespace privet::audit
