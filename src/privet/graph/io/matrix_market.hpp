#pragma once

#include "privet/graph/dataset.hpp"
#include "privet/graph/io/read_options.hpp"
#include "privet/graph/io/source.hpp"

namespace privet::graph {

/// Reads an adjacency in Matrix Market coordinate form (pattern, real or integer; general or symmetric), gzip
/// or not, with the files beside it that the options name; a node is a row of the matrix, and the i-th node
/// of those files. Entries with the value 0 are no edges; other values are left alone. Faults are a DataError
/// naming the line.
Dataset read_matrix_market(const Source& source, const ReadOptions& options = {},
                           ReadSummary* summary = nullptr);

}  // namespace privet::graph
