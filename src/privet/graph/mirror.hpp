#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "privet/graph/build_rows.hpp"
#include "privet/graph/graph.hpp"

namespace privet::graph {

/// Consecutive rows of the upper triangle of an adjacency matrix: `columns` row by row, ascending within a
/// row and above it.
struct UpperRows {
  NodeId first_row = 0;
  std::span<const std::uint32_t> lengths;  ///< one for each row
  std::span<const NodeId> columns;
};

/// Mirrors an upper triangle. The pieces follow one another from row 0 to the last without a gap; a piece
/// that does not, or a row that breaks the rules of UpperRows, is a DataError naming `where`.
///
/// Nothing is sorted: pairs that are taken by ascending row reach the rows of their columns in ascending
/// order. Beside the pieces and the result this takes four bytes per pair.
CompressedRows mirror(std::size_t nodes, std::span<const UpperRows> pieces, const std::string& where);

}  // namespace privet::graph
