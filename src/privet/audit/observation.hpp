#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "privet/audit/neighbors.hpp"
#include "privet/learn/method.hpp"

namespace privet::audit {

/// What an adversary who knows both worlds sees of one released model: a few named numbers, chosen so that
/// the difference between the worlds moves them. Names that one run lacks count as 0.
///
/// The adversary has the model (everything that leaves), knows both data sets, and looks at nothing else.
/// Where the unit leaves the protected person's own row out of the guarantee, that row of every tensor with
/// one row per node is blanked first: seeing it is no violation.
using Observation = std::map<std::string, double>;

/// The numbers:
///
///     sum(E, W)   for tensors E, W of one row per node and equal width: how far the rows of E lean towards
///                 holding the changed entries of A W. 1 where E = A W of the first world, 0 of the second,
///                 whatever constant was added to all rows. "features" may stand for W.
///     row(E)      the cosine of the two ends' rows of E
///     own(k)      logit of the probability that the model gives the person's label of world k, from the
///                 person's features of world k (LiRA's statistic)
///     label(i)    the same of each end of the changed edge, where features and labels are public
Observation observe(const methods::Method& method, methods::Model model, const NeighborPair& pair,
                    const privacy::Unit& unit);

/// How far rows of E lean towards holding further entries of A W, beyond those of the graph that is known and
/// a constant that was added to all rows.
class Lean {
 public:
  Lean(const tensor::Matrix& released, const tensor::Matrix& summed, const graph::Graph& known,
       std::optional<graph::NodeId> left_out = {});

  /// What is left of row `row` of E, times row `column` of W.
  [[nodiscard]] double along(graph::NodeId row, graph::NodeId column) const;
  /// The square of row `column` of W: `along` over it is 1 if the entry is in the sum, and 0 if not.
  [[nodiscard]] double square(graph::NodeId column) const;

 private:
  const tensor::Matrix& summed_;
  std::vector<double> left_;  // one row per node
};

/// sum(E, W) of the changed entries; `known` is the graph of the second world.
double lean(const tensor::Matrix& released, const tensor::Matrix& summed, const graph::Graph& known,
            const std::vector<ChangedEntry>& changed, std::optional<graph::NodeId> left_out);

/// ln p - ln(1 - p) of the probability that the model gives every node's label in this data; 0 for a node
/// without one. Empty where there are no labels, or where scores are made from protected edges.
std::vector<double> label_logits(const methods::Method& method, const methods::Model& model,
                                 const graph::Dataset& dataset, const privacy::Unit& unit);

/// Zeroes the node's row of every tensor with one row per node.
void blank_own_row(methods::Model& model, std::size_t nodes, graph::NodeId node);

/// Of two rows; 0 where one is zero.
double cosine(std::span<const float> a, std::span<const float> b);

}  // namespace privet::audit
