#include "privet/cli/model_folder.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "privet/base/error.hpp"

namespace privet::cli {
namespace fs = std::filesystem;

void refuse_data_folder(const std::string& folder, const char* file, const char* where) {
  std::error_code error;
  if (fs::exists(fs::path(folder) / file, error) || !fs::exists(fs::path(folder) / "graph.npz", error))
    return;
  throw InvalidArgument({.what = fmt::format("'{}' holds a data set and no {}", folder, file),
                         .where = where,
                         .expected = "the folder of a model, which 'privet train --out' writes"});
}

}  // namespace privet::cli
