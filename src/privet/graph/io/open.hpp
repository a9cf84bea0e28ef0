#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/graph/io/read_options.hpp"

namespace privet::graph {

/// Opens a data set of any format that Privet reads.
///
/// A folder is native when it holds graph.npz, and of the Open Graph Benchmark when it or the one folder in
/// it holds raw/edge.csv.gz. A zip archive is one of the npz formats, told by the names of its arrays. A text
/// (gzip or not) that begins with `%%MatrixMarket` is a matrix; any other text is an edge list. Pickles
/// (.pkl, the `ind.*` files of Planetoid, torch's .pt) can run code when opened and are refused with a word
/// on how to convert them. Files beside the data (options.features, labels, nodes) go with edge lists and
/// matrices alone.
Dataset open_dataset(const std::filesystem::path& path, const ReadOptions& options = {},
                     ReadSummary* summary = nullptr);

/// The format that open_dataset would read `path` as.
Format detect_format(const std::filesystem::path& path);

/// "native", "edge-list", "scipy", "matrix-market", "benchmark-npz", "plain-npz", "ogb", "auto".
std::string_view to_string(Format format) noexcept;
/// All of these names.
std::vector<std::string> format_names();
/// An InvalidArgument for any other name, with the nearest one.
Format parse_format(std::string_view name);

}  // namespace privet::graph
