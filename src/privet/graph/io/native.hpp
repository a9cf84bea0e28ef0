#pragma once

#include <filesystem>

#include "privet/graph/dataset.hpp"
#include "privet/graph/io/read_options.hpp"
#include "privet/graph/io/source.hpp"

namespace privet::graph {

/// The native format: a folder with `graph.npz`, an archive of plain NumPy arrays. Types are exact.
///
/// | array | type and shape | |
/// | --- | --- | --- |
/// | num_nodes | int64 (1) | n |
/// | edges | int32 (E,2) | undirected edges, once each, u < v, sorted, no self-loops |
/// | edges_directed | int32 (D,2) | the raw directed edges, where there are such |
/// | graph_is_directed | uint8 (1) | 1: the graph itself is edges_directed (else absent) |
/// | features | float32 (n,F) | dense features; or the four arrays of compressed rows: |
/// | feat_indptr, feat_indices, feat_shape | int64 (n+1), int32 (nnz), int64 (2) | columns ascend in a row |
/// | feat_data | float32 (nnz) | absent when all entries are 1 |
/// | labels | int32 (n) | 0..C-1, or -1 for unlabeled; absent when there are none |
/// | num_classes | int64 (1) | C |
/// | train_mask_k, val_mask_k, test_mask_k | uint8 (n) | the split named k, all three and disjoint |
/// | class_name_bytes, class_name_offsets | uint8 (B), int64 (C+1) | names end to end, and where each begins
/// | | node_name_bytes, node_name_offsets | uint8 (B), int64 (n+1) | the same for nodes | | label_values |
/// int32 (C) | numbers behind the labels; read as class names where there are no others |
///
/// Other arrays are left alone (`local_info` of Facebook100). Repeats, self-loops, u >= v and unsorted rows
/// in `edges` are errors that name the row. Self-loops and repeats of edges_directed, which is kept as
/// published, are dropped in the Dataset and so are gone when it is written again.

/// `source` is the archive, or the folder that holds it as graph.npz. The data set is named after the folder,
/// or after the archive when that has another name.
Dataset read_native(const Source& source, ReadSummary* summary = nullptr);

/// Writes `folder`/graph.npz, making the folder if need be; equal data sets give equal bytes. The file
/// appears whole or not at all, and a folder made for it goes again when writing fails. A data set that the
/// format can't hold (a directed graph with another directed graph beside it, a split whose name is not
/// letters, digits, '_', '-' or '.') is an InvalidArgument.
void write_native(const Dataset& dataset, const std::filesystem::path& folder);
/// The same archive as a file of this name, in a folder that exists.
void write_native_file(const Dataset& dataset, const std::filesystem::path& file);

}  // namespace privet::graph
