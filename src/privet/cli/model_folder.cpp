#include "privet/cli/model_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <initializer_list>

#include "privet/base/error.hpp"

namespace privet::cli {
namespace fs = std::filesystem;
namespace {

void refuse(const fs::path& folder, std::initializer_list<const char*> files, const std::string& remedy) {
  for (const char* file : files) {
    if (!fs::exists(folder / file)) continue;
    throw InvalidArgument(
        {.what = fmt::format("there is a {} in it", file), .where = folder.string(), .remedy = remedy});
  }
}

}  // namespace

void refuse_data_folder(const std::string& folder, const char* file, const char* where) {
  std::error_code error;
  if (fs::exists(fs::path(folder) / file, error) || !fs::exists(fs::path(folder) / "graph.npz", error))
    return;
  throw InvalidArgument({.what = fmt::format("'{}' holds a data set and no {}", folder, file),
                         .where = where,
                         .expected = "the folder of a model, which 'privet train --out' writes"});
}

void require_own_certificate(const methods::SavedModel& model, const privacy::Certificate& certificate,
                             const std::string& file) {
  if (model.certificate.empty() || model.certificate == privacy::certificate_digest(certificate)) return;
  throw DataError({.what = "is not the certificate of the model beside it",
                   .where = file,
                   .expected = "the folder as 'privet train' wrote it"});
}

void refuse_taken(const fs::path& folder, const std::string& remedy) {
  refuse(folder, {"model.json", "graph.npz", "released.npz"}, remedy);
}

void refuse_comparison(const fs::path& folder) {
  refuse(folder, {"runs.jsonl", "results.jsonl"}, "choose another folder, for a model");
}

}  // namespace privet::cli
