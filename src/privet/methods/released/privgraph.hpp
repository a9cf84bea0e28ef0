#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privet/methods/released/released_graph.hpp"

namespace privet::methods {

/// PrivGraph: a synthetic graph with the communities of the true one, and a network that learns on it.
///
/// 1. Nodes are put into groups of `group_size` at random; how many edges join any two groups, and lie in
///    each, is released; Louvain's method finds communities of groups.
/// 2. Every node moves to (about) the community of most of its neighbours (NeighborChoice).
/// 3. How many edges join any two communities is released, and how many neighbours every node has in its own.
/// 4. A graph with these numbers is drawn: inside a community each pair with probability d_i d_j / sum of d,
///    between two communities that many pairs, both ends drawn at random.
///
/// A third of epsilon each for 1, 2 and 3. An edge is in one number of step 1: L1 1. In step 3 it is in the
/// count between two communities, or in the degrees of two nodes: L1 2, with counts told twofold. The
/// published arithmetic is right; strict differs by its gate (FeatureGate). (The published code draws one end
/// of every edge between communities from the last community, which is no matter of privacy and not
/// followed.)
class PrivGraph final : public ReleasedGraph {
 public:
  [[nodiscard]] std::string name() const override { return "privgraph"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override { return {"edge"}; }
  [[nodiscard]] bool needs_delta() const override { return false; }
  [[nodiscard]] OptionTable options() override;
  [[nodiscard]] Plan plan(const Request& request, const privacy::PublicFacts& facts) const override;
  [[nodiscard]] Released release(const Request& request, const privacy::ProtectedDataset& data, Run& run,
                                 const Model* model) const override;

 private:
  std::uint64_t group_size_ = 20;
  double resolution_ = 1;
};

/// Edges between any two groups, and inside each: entry (a, b), a <= b, at b (b + 1) / 2 + a.
std::vector<std::int64_t> group_counts(const graph::Graph& graph, const std::vector<std::uint32_t>& group,
                                       std::uint32_t groups);
privacy::Sensitivity group_counts_sensitivity();

/// Twice the edges between any two communities, entry (a, b), a < b, at b (b - 1) / 2 + a; behind them how
/// many neighbours every node has in its own.
std::vector<std::int64_t> community_numbers(const graph::Graph& graph,
                                            const std::vector<std::uint32_t>& community,
                                            std::uint32_t communities);
privacy::Sensitivity community_numbers_sensitivity();

/// The nearest numbers that are not negative and have the same sum (none where that is negative): all are
/// lowered alike and cut off at 0.
std::vector<double> not_negative(std::span<const std::int64_t> noisy);

}  // namespace privet::methods
