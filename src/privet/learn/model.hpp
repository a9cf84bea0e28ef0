#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/tensor/safetensors.hpp"

namespace privet::methods {

/// What was learnt, as plain data: everything that may leave. Enough, with the method's code, to predict.
struct Model {
  std::string method;
  std::vector<std::pair<std::string, std::string>> options;
  std::string unit;
  std::optional<std::string> prepare = {};  ///< the steps that its data went through, where that is known
  std::size_t features = 0;                 ///< columns that a row must have
  std::vector<std::string> class_names;
  std::size_t classes = 0;
  std::vector<tensor::NamedMatrix> tensors;
  /// What the method made known of the edges, where that is a graph, with the names of the nodes: for who
  /// wants to go on from it with other tools. Nobody who predicts reads it.
  std::optional<graph::Dataset> released = {};

  /// DataError where there is none of that name and shape.
  [[nodiscard]] const tensor::Matrix& tensor(const std::string& name, std::size_t rows,
                                             std::size_t columns) const;
};

/// The stored split of a released graph: the roles that nodes had when it was made.
inline constexpr const char* kSplitOfModel = "model";

/// Puts a released graph into the model. The runner adds the names of the nodes and their roles, which are
/// public, and takes it out again where the claims of the release fail.
void hand_out(graph::Graph released, Model& model);

/// SHA-256 of everything in it that predictions are made from, in hexadecimal.
std::string digest_of(const Model& model);

/// Writes model.safetensors and model.json into the folder, which is made if need be. `fingerprint` is the
/// blinded one of the data, `certificate` the digest of what was certified of the model's making. A released
/// graph becomes released.npz, a data set of its own; model.json, which comes last, knows its digest.
void save_model(const Model& model, const std::string& fingerprint, const std::filesystem::path& folder,
                const std::string& certificate = {});

/// Removes what says that a model is in the folder, model.json first, and what could be taken for a part of
/// the next one. Links are removed, never what they point to. An IoError where something stays.
void forget_model(const std::filesystem::path& folder);

struct SavedModel {
  Model model;
  std::string fingerprint;
  std::string certificate;  ///< empty where nothing was said
};
/// Reads them back; a damaged or foreign file is a DataError that names file and key, and so are two files
/// that are not of one model, or that were edited. A released graph is checked where it is, and not read.
SavedModel load_model(const std::filesystem::path& folder);

}  // namespace privet::methods
