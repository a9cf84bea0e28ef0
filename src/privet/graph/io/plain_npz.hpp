#pragma once

#include "privet/graph/dataset.hpp"
#include "privet/graph/io/read_options.hpp"
#include "privet/graph/io/source.hpp"

namespace privet::graph {

/// Reads an npz file of plain arrays under the names that are usual for them (Planetoid as PyTorch Geometric
/// names it; the heterophilous graphs of Platonov et al. 2023):
///
/// * edges: `edge_index` (2,E), or `edges` (E,2); the other way round where the shape leaves no doubt
/// * features: `x`, `node_features`, `features` or `attr_matrix` (n,F)
/// * labels: `y`, `node_labels` or `labels` (n); -1 is unlabeled
/// * splits: train_mask, val_mask (or valid_mask) and test_mask (n), the split `public`; or (k,n) or (n,k),
/// also
///   named train_masks and so on, splits 0..k-1
/// * the number of nodes: `num_nodes`, or else the rows of features or labels
Dataset read_plain_npz(const Source& source, const ReadOptions& options = {}, ReadSummary* summary = nullptr);

}  // namespace privet::graph
