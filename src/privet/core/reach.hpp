#pragma once

#include <cstdint>
#include <variant>

#include "privet/accounting/affected_examples.hpp"
#include "privet/core/unit.hpp"
#include "privet/graph/graph.hpp"

namespace privet::privacy {

/// A count with the reason where there is none.
struct NoBound {
  const char* what;
  const char* remedy;
};
template <typename Count>
using Bounded = std::variant<Count, NoBound>;

/// A number of edges of an undirected graph and of entries of a directed one.
struct EdgeCounts {
  std::uint64_t undirected = 0;
  std::uint64_t directed = 0;
  [[nodiscard]] std::uint64_t in(graph::Direction direction) const {
    return direction == graph::Direction::directed ? directed : undirected;
  }
};

/// How far one change of a unit reaches in a graph: what the sensitivities are made of
/// (docs/privacy/units.md). All are upper bounds over every pair of neighbours.
struct Reach {
  /// Rows of A X that differ while X stays, other than the protected node's own where the unit leaves that
  /// out.
  Bounded<std::uint64_t> rows;
  /// How many other rows one node's row of X is added to, in either of the two; 0 where X is public.
  Bounded<std::uint64_t> listeners;
  /// By how much the number of edges can differ.
  Bounded<EdgeCounts> edges;
  /// Edges that one graph has between two classes and the other has not.
  Bounded<EdgeCounts> class_edges;
  /// Examples made of node i's features, label and row of A times rows of nobody.
  Bounded<AffectedExamples> one_hop_examples;
};

Reach reach_of(const Unit& unit);

}  // namespace privet::privacy
