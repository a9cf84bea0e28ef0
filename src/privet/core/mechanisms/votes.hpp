#pragma once

#include <cstdint>
#include <vector>

#include "privet/core/mechanisms/fixed_point.hpp"
#include "privet/core/plain_value.hpp"
#include "privet/graph/graph.hpp"
#include "privet/tensor/matrix.hpp"

namespace privet::privacy {

/// Sums that count votes along edges, in fixed point like neighbor_sums, or in whole steps: what
/// GaussianMechanism and GeometricMechanism release for `ballot`. Their sensitivities are
/// pair_sum_sensitivity, pair_count_sensitivity and own_list_sum_sensitivity.

/// A public rule that says with which weights the two ends of a pair hear each other. It sees the two ids and
/// public groups only, so what it says of one pair is the same in every graph: adding or removing an edge
/// leaves all other edges as they were. Between groups a and b an end in a hears the one in b with
/// weights[a][b]; ends of one group hear each other with weights[a][a], or, with `ties_by_key`, one of them
/// hears with weight 1 and the other not at all, as a keyed hash of the *pair* picks. All of this holds for
/// every key: the key may be known.
struct VoteRule {
  std::vector<std::uint8_t> groups;  ///< of every node: below the number of groups
  std::vector<std::vector<double>> weights;
  bool ties_by_key = false;
  std::uint64_t key = 0;

  /// With what weight `i` hears `j`.
  [[nodiscard]] double weight(graph::NodeId i, graph::NodeId j) const;
  /// The norm of the two weights of a pair, at most: what one edge can say, in row bounds.
  [[nodiscard]] double loudest() const;
  /// The sum of the two weights of a pair, at most.
  [[nodiscard]] double loudest_together() const;
};
template <>
inline constexpr bool is_plain_value<VoteRule> = true;

/// What is one term of a sum of votes, as the unit of protection counts.
enum class Term {
  pair,   ///< two nodes joined by at least one entry: the unit edge
  entry,  ///< an entry of the adjacency matrix: the unit directed-edge
};

/// Row i = sum over terms that join i and some j of the row x_j, scaled to norm at most the row bound, times
/// the weight with which i hears j. `x` and the rule have a row for every node (std::logic_error).
FixedPointMatrix vote_sums(const graph::Graph& graph, const tensor::Matrix& x, const VoteRule& rule,
                           Term term, const RowRounding& rounding);

/// The same for memberships (memberships.hpp, nodes x columns): row i = sum of those of j times the weight
/// with which i hears j, in steps, each rounded down. One term moves what both ends hear by at most
/// loudest_together() memberships in L1.
std::vector<std::int64_t> vote_counts(const graph::Graph& graph,
                                      const std::vector<std::uint32_t>& memberships, std::size_t columns,
                                      const VoteRule& rule, Term term);

/// Whose labels are counted by whom, from public roles, and how much one list may say.
struct OwnLists {
  std::vector<std::uint8_t> sends;     ///< of every node: 1 where its label is used
  std::vector<std::uint8_t> receives;  ///< of every node: 1 where votes are wanted
  double list_bound = 1;               ///< sum of the squared weights of one list, at most
};
template <>
inline constexpr bool is_plain_value<OwnLists> = true;

/// Row i, column c: the weights of the senders of class c that have i on their own list (their row of the
/// graph). A list of m receivers has weights min(1, sqrt(list_bound / m)), rounded towards zero: a function
/// of that list and public roles alone. A sender whose label is not a class adds nothing.
FixedPointMatrix own_list_votes(const graph::Graph& graph, const std::vector<std::int32_t>& labels,
                                std::size_t classes, const OwnLists& lists, double grid);

}  // namespace privet::privacy
