#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "privet/base/large_vector.hpp"
#include "privet/graph/graph.hpp"

namespace privet::graph {

/// The rows of an adjacency matrix: row i is neighbors[offsets[i] .. offsets[i + 1]), ascending.
struct CompressedRows {
  LargeVector<std::uint64_t> offsets;
  LargeVector<NodeId> neighbors;
};

/// Rows from edges in any order: sorted, without repeats and self-loops, and with both entries of every edge
/// if undirected. An id at or above `nodes` is a DataError naming `where`.
///
/// Edges are freed as they are placed. The outcome depends on neither their order nor the number of threads.
CompressedRows build_rows(std::size_t nodes, EdgeList edges, Direction direction, const std::string& where);

}  // namespace privet::graph
