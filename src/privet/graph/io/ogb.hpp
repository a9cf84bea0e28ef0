#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/graph/io/read_options.hpp"
#include "privet/graph/io/source.hpp"

namespace privet::graph {

/// A node-property data set of the Open Graph Benchmark (homogeneous, one graph, one label per node) as its
/// folder of CSV files, each gzip or plain:
///
///     raw/edge.csv.gz  raw/num-node-list.csv.gz  raw/num-edge-list.csv.gz
///     raw/node-feat.csv.gz  raw/node-label.csv.gz       (these two may be missing)
///     split/NAME/{train,valid,test}.csv.gz
///
/// Labels that are `nan` are unlabeled. Other files (node_year, mapping/) are left alone.
Dataset read_ogb(const std::filesystem::path& folder, const ReadOptions& options = {},
                 ReadSummary* summary = nullptr);

/// The folder that holds `raw/`: the one given, its parent when raw/ itself was given, or the only folder in
/// it that does (dataset/ above ogbn_arxiv/). Nothing when there is none.
std::optional<std::filesystem::path> find_ogb_folder(const std::filesystem::path& given);

/// The files of such a folder.
struct OgbFiles {
  struct SplitFiles {
    std::string name;
    Source train;
    Source validation;
    Source test;
  };
  std::string name;
  Source edges;
  Source node_count;
  std::optional<Source> edge_count;
  std::optional<Source> features;
  std::optional<Source> labels;
  std::vector<SplitFiles> splits;
};
Dataset read_ogb_files(const OgbFiles& files, const ReadOptions& options = {},
                       ReadSummary* summary = nullptr);

}  // namespace privet::graph
