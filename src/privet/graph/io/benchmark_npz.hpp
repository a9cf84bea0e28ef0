#pragma once

#include "privet/graph/dataset.hpp"
#include "privet/graph/io/read_options.hpp"
#include "privet/graph/io/source.hpp"

namespace privet::graph {

/// Reads the npz files of gnn-benchmark (Shchur et al. 2018: Amazon, Coauthor, ...): the adjacency as
/// adj_data, adj_indices, adj_indptr, adj_shape (or adj_matrix.data, ...), features as attr_data, ... or a
/// dense attr_matrix, and `labels`, whose classes run to the largest. Arrays of pickled objects (class_names,
/// node_names) are left alone: a pickle can run code, and is never opened.
Dataset read_benchmark_npz(const Source& source, const ReadOptions& options = {},
                           ReadSummary* summary = nullptr);

}  // namespace privet::graph
