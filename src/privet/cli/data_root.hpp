#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "privet/graph/dataset.hpp"

namespace privet::cli {

/// Where data sets are looked for by name: the folder given, else the environment's PRIVET_DATA, else none.
std::optional<std::filesystem::path> data_root(const std::optional<std::string>& given);

/// Names of the folders under the root that hold a graph.npz, sorted.
std::vector<std::string> dataset_names(const std::filesystem::path& root);

/// Reads a data set by name (under the root) or by path. An unknown name gets the nearest, also
/// of those in the current folder, and an unknown path the nearest beside it.
graph::Dataset load_dataset(const std::string& name, const std::optional<std::string>& root);

}  // namespace privet::cli
