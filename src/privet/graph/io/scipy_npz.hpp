#pragma once

#include "privet/graph/dataset.hpp"
#include "privet/graph/io/read_options.hpp"
#include "privet/graph/io/source.hpp"

namespace privet::graph {

/// Reads an adjacency that scipy.sparse.save_npz wrote in CSR form (data, indices, indptr, shape, format),
/// with the files beside it that the options name; a node is a row of the matrix, and the i-th node of those
/// files. Entries stored with the value 0 are no edges; other values are left alone. A matrix in another form
/// is a DataError that says how to convert it.
Dataset read_scipy_npz(const Source& source, const ReadOptions& options = {}, ReadSummary* summary = nullptr);

}  // namespace privet::graph
