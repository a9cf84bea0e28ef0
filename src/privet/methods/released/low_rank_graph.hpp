#pragma once

#include <cstdint>

#include "privet/graph/graph.hpp"
#include "privet/tensor/matrix.hpp"

namespace privet::methods {

/// The undirected graph of the `keep` largest entries of L R^T + R L^T above the diagonal; ties go to the
/// lower row, then the lower column. For a symmetric L R^T these are its own entries.
///
/// The product is made in tiles against a threshold that rises as larger entries are found: memory goes with
/// the rows and the entries kept, never with the square of the rows.
graph::Graph graph_of_largest(const tensor::Matrix& left, const tensor::Matrix& right, std::uint64_t keep);

/// How many entries above the diagonal of the symmetric product L R^T come before the entry (row, column), in
/// the same order; counting stops at `enough`.
std::uint64_t rank_of_entry(const tensor::Matrix& left, const tensor::Matrix& right, graph::NodeId row,
                            graph::NodeId column, std::uint64_t enough);

}  // namespace privet::methods
