#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privet/audit/attacks/attack_result.hpp"
#include "privet/graph/dataset.hpp"
#include "privet/learn/method.hpp"

namespace privet::audit {

/// LiRA (Carlini et al. 2022) for the membership of nodes: is the target surer of this node's label than
/// models that did not learn from it?
///
/// The graph and the features of everybody are the same in training and in every question, for members and
/// others alike; a member is somebody whose label was used. So nothing but the label tells the worlds apart.
/// The statistic is ln p - ln(1 - p) of the node's label.

/// What models say about one node: the statistic of every shadow, and whether it had learnt from the node.
struct ShadowStatistics {
  std::vector<std::vector<double>> statistic = {};  ///< one row per shadow, one column per node asked about
  std::vector<std::vector<bool>> member = {};
};

enum class LiraKind { online, offline };

/// The score of every node, larger for members. Means are each node's own; variances are of everybody
/// together unless every node has been in and out at least 32 times (few numbers tell a mean but no
/// variance): those of models that learnt from the node and of models that did not, each from its own
/// deviations from its own means. (The reference code takes the former for both.) Online: log of the
/// likelihood ratio. Offline: how far above models that did not learn from the node, in standard deviations.
/// A node that no shadow had left out, or online none had learnt, has score 0.
std::vector<double> lira_scores(const ShadowStatistics& shadows, std::span<const double> target,
                                LiraKind kind);

/// Trains target and shadows, each on a random half of the same people: twice as many as `split` trains on,
/// or all who have labels. Two results, "online" and "offline".
std::vector<AttackResult> lira(const methods::Method& method, const methods::Request& request,
                               const graph::Dataset& dataset, const graph::Split& split,
                               std::uint64_t shadows, const RandomStream& root);

}  // namespace privet::audit
