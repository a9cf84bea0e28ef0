#pragma once

#include <filesystem>
#include <string>

#include "privet/learn/model.hpp"
#include "privet/proof/certificate.hpp"

namespace privet::cli {

/// InvalidArgument, with where to turn, for a folder that holds a data set and not `file`, which a saved
/// model has ("model.json", "certificate.json"): people confuse the two.
void refuse_data_folder(const std::string& folder, const char* file, const char* where);

/// InvalidArgument for a folder that holds a model, a data set or a released graph.
void refuse_taken(const std::filesystem::path& folder, const std::string& remedy);
/// The same for one that holds a comparison, which could not go on beside a model.
void refuse_comparison(const std::filesystem::path& folder);

/// DataError where the model says that it was made under another certificate: files of two folders.
void require_own_certificate(const methods::SavedModel& model, const privacy::Certificate& certificate,
                             const std::string& file);

}  // namespace privet::cli
