#pragma once

#include <string>

namespace privet::cli {

/// InvalidArgument, with where to turn, for a folder that holds a data set and not `file`, which a saved
/// model has ("model.json", "certificate.json"): people confuse the two.
void refuse_data_folder(const std::string& folder, const char* file, const char* where);

}  // namespace privet::cli
