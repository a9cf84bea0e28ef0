#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

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

  /// DataError where there is none of that name and shape.
  [[nodiscard]] const tensor::Matrix& tensor(const std::string& name, std::size_t rows,
                                             std::size_t columns) const;
};

/// Writes model.safetensors and model.json into the folder, which is made if need be. `fingerprint` is the
/// blinded one of the data.
void save_model(const Model& model, const std::string& fingerprint, const std::filesystem::path& folder);

struct SavedModel {
  Model model;
  std::string fingerprint;
};
/// Reads them back; a damaged or foreign file is a DataError that names file and key.
SavedModel load_model(const std::filesystem::path& folder);

}  // namespace privet::methods
