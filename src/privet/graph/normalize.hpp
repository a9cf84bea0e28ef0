#pragma once

#include "privet/graph/graph.hpp"
#include "privet/tensor/sparse_matrix.hpp"

namespace privet::graph {

/// Weighted adjacencies for message passing. d_i is the number of stored entries of row i, without loop.

/// D'^-1/2 (A + I) D'^-1/2 with D' = D + 1 (Kipf and Welling).
tensor::SparseMatrix symmetric_with_loops(const Graph& graph);

/// The same with a_i = max(d_i + 1, floor): spectral norm at most 1 and a public edge sensitivity on every
/// graph.
tensor::SparseMatrix symmetric_with_floor(const Graph& graph, double floor);

/// A itself: sums over the neighbours.
tensor::SparseMatrix plain_adjacency(const Graph& graph);

/// D^-1 A: the mean over the neighbours; rows without neighbours are zero.
tensor::SparseMatrix row_mean(const Graph& graph);

/// A / D for a public maximum degree D. The caller promises that no degree exceeds it: a larger one is a
/// DataError.
tensor::SparseMatrix sum_over_max_degree(const Graph& graph, std::size_t max_degree);

/// I + D^-1/2 A D^-1/2; a node without neighbours keeps its loop only (Eclipse on Twitch).
tensor::SparseMatrix identity_plus_symmetric(const Graph& graph);

}  // namespace privet::graph
