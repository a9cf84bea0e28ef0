#include "privet/cli/data_root.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"
#include "privet/graph/io/native.hpp"

namespace privet::cli {
namespace fs = std::filesystem;

std::optional<fs::path> data_root(const std::optional<std::string>& given) {
  if (given) {
    std::error_code error;
    if (!fs::is_directory(*given, error)) {
      throw IoError({.what = "is not a folder", .where = "--data-root " + *given});
    }
    return *given;
  }
  const char* from_environment = std::getenv("PRIVET_DATA");  // NOLINT(concurrency-mt-unsafe)
  if (from_environment != nullptr && *from_environment != '\0') return from_environment;
  return std::nullopt;
}

std::vector<std::string> dataset_names(const fs::path& root) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    if (fs::exists(entry.path() / "graph.npz", error)) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

graph::Dataset load_dataset(const std::string& name, const std::optional<std::string>& given_root) {
  std::error_code error;
  const std::optional<fs::path> root = data_root(given_root);
  const bool is_plain_name = name.find('/') == std::string::npos;
  if (root && is_plain_name && fs::exists(*root / name / "graph.npz", error)) {
    return graph::read_native(*root / name);
  }
  if (fs::exists(name, error)) return graph::read_native(name);
  if (!is_plain_name) {
    const fs::path path = name.ends_with('/') ? fs::path(name).parent_path() : fs::path(name);
    const std::string near = nearest(path.filename().string(), dataset_names(path.parent_path()));
    throw IoError({.what = "no such file or folder",
                   .where = name,
                   .remedy = near.empty()
                                 ? ""
                                 : fmt::format("did you mean '{}'?", (path.parent_path() / near).string())});
  }
  if (!root) {
    const std::string near = nearest(name, dataset_names("."));
    throw InvalidArgument(
        {.what = fmt::format("no data set '{}'", name),
         .where = "data",
         .remedy = near.empty()
                       ? "give a path, or name the folder of data sets with --data-root or PRIVET_DATA"
                       : fmt::format("did you mean '{}'?", near)});
  }
  std::vector<std::string> names = dataset_names(*root);
  if (nearest(name, names).empty()) {
    if (const std::string near = nearest(name, dataset_names(".")); !near.empty()) names = {near};
  }
  throw InvalidArgument({.what = fmt::format("no data set '{}' under {}", name, root->string()),
                         .where = "data",
                         .remedy = suggestion(name, names)});
}

}  // namespace privet::cli
