#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privet/core/plain_value.hpp"
#include "privet/core/sensitivity.hpp"
#include "privet/core/unit.hpp"
#include "privet/graph/graph.hpp"

namespace privet::privacy {

/// Whom every node hears: compressed rows, ascending, nobody hears itself. The star of a node is the node and
/// those whom it hears; its tree of two layers has their stars below.
struct HeardLists {
  std::vector<std::uint64_t> offsets;  ///< nodes + 1
  std::vector<graph::NodeId> members;

  [[nodiscard]] std::size_t nodes() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::span<const graph::NodeId> of(graph::NodeId node) const {
    return std::span(members).subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
  bool operator==(const HeardLists&) const = default;
};
template <>
inline constexpr bool is_plain_value<HeardLists> = true;

/// Caps of a subgraph sampler.
struct SubgraphCaps {
  std::uint64_t heard = 7;      ///< most that one node hears, K_in
  std::uint64_t listeners = 7;  ///< most who hear one node, K_out; under the unit node this is the promise D
  std::uint64_t layers = 1;     ///< of message passing behind the lists

  bool operator==(const SubgraphCaps&) const = default;
};

/// Cuts a graph down to lists of bounded length such that one change of the unit changes a bounded number of
/// training subgraphs, and says how many.
///
///   unit         record: the row of a node is its own list, and nobody else's changes with it. node:D
///   sensitivity  `affected()`: loss terms that differ between neighbours, by whatever key
///   loss         none: lists are not released; a clipped sum over them is (clipped_sum.hpp)
///
/// record. Node v keeps the `heard` entries of its list with the smallest hash1(v, .); node u then keeps the
/// `listeners` receivers that kept it with the smallest hash2(u, .). Both hashes are public. Blanking v
/// changes its own term; those of its at most K_out listeners, who hear other features; and frees a place at
/// each of the K_in whom it heard, which one newcomer takes: 1 + K_out + K_in. Replacing it also evicts one
/// listener at each of K_in new places: 1 + K_out + 2 K_in. Behind r layers all who hear a changed node
/// follow: sum_{j<=r} K_out^j + K_in sum_{j<r} K_out^j, and 2 K_in for a replacement.
///
/// node:D. Node v keeps the `heard` entries of its row with the smallest hash1(v, .), and nothing is done to
/// columns: the promise bounds them, and a cap on them would let places be refilled in other rows. Only nodes
/// that are joined with v, before or after, have another row: 1 + sum_{1<=j<=r} D^j terms for add-remove, and
/// 1 + 2 sum_{1<=j<=r} D^j for a replacement. Holds for aggregation that is normalised by a node's own list.
///
/// docs/privacy/mechanisms.md#subgraph-sampler has the argument step by step.
class SubgraphSampler {
 public:
  /// Unsound for other units. InvalidArgument for a cap of 0, more than 8 layers, or a bound on the affected
  /// terms beyond 2^40.
  SubgraphSampler(Unit unit, SubgraphCaps caps);

  [[nodiscard]] const Unit& unit() const noexcept { return unit_; }
  [[nodiscard]] const SubgraphCaps& caps() const noexcept { return caps_; }

  /// Loss terms that one change of the unit can change, of `population` training nodes, each of which is the
  /// root of one. A root whose record is blanked adds nothing: it is there or not; all others are replaced.
  [[nodiscard]] AffectedExamples affected(std::uint64_t population) const;

  /// `receives[v]`: whether v needs a list; a public function of roles and layers. One layer needs lists of
  /// training nodes only, more layers those of all. The key is public.
  [[nodiscard]] HeardLists sample(const graph::Graph& graph, const std::vector<std::uint8_t>& receives,
                                  std::uint64_t key) const;

 private:
  Unit unit_;
  SubgraphCaps caps_;
};
template <>
inline constexpr bool is_plain_value<SubgraphSampler> = true;

/// Every node's own list, cut down to the `most` entries with the smallest keyed hash: a function of that
/// list alone.
HeardLists capped_lists(const graph::Graph& graph, std::uint64_t most, std::uint64_t key);

/// Lists as a directed graph, turned round: row u has everybody whose list names u.
graph::Graph named_by(const HeardLists& lists);

/// The rows of a graph as they are, of those who receive: for asking a network, where nobody is cut off.
HeardLists whole_rows(const graph::Graph& graph, const std::vector<std::uint8_t>& receives);

}  // namespace privet::privacy
