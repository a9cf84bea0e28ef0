#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "privet/graph/graph.hpp"
#include "privet/tensor/safetensors.hpp"

namespace privet::methods {

/// What was learnt, as plain data: everything that may leave. Enough, with the method's code, to predict.
struct Model {
  std::string method;
  std::vector<std::pair<std::string, std::string>> options;
  std::string unit;
  std::size_t features = 0;  ///< columns that a row must have
  std::vector<std::string> class_names;
  std::size_t classes = 0;
  std::vector<tensor::NamedMatrix> tensors;
  /// What the method made known of the edges, where that is a graph: for who wants to go on from it with other
  /// tools. Nobody who predicts reads it, and no digest has it in.
  std::optional<graph::Graph> released = {};

  /// DataError where there is none of that name and shape.
  [[nodiscard]] const tensor::Matrix& tensor(const std::string& name, std::size_t rows,
                                             std::size_t columns) const;
};

/// SHA-256 of everything in it that predictions are made from, in hexadecimal.
std::string digest_of(const Model& model);

/// Writes model.safetensors and model.json into the folder, which is made if need be. `fingerprint` is the
/// blinded one of the data, `certificate` the digest of what was certified of the model's making. A released
/// graph becomes a data set of its own in the folder `released` within.
void save_model(const Model& model, const std::string& fingerprint, const std::filesystem::path& folder,
                const std::string& certificate = {});

struct SavedModel {
  Model model;
  std::string fingerprint;
  std::string certificate;  ///< empty where nothing was said
};
/// Reads them back; a damaged or foreign file is a DataError that names file and key, and so are two files
/// that are not of one model, or that were edited.
SavedModel load_model(const std::filesystem::path& folder);

}  // namespace privet::methods
