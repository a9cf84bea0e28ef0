#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "privet/cli/arguments.hpp"

namespace privet::cli {

/// `privet report DIR`: the HTML report of what a folder holds.
void declare_report_command(Command& root);

/// What `compare` leaves beside its results: DIR/report.html; returns its path.
std::filesystem::path write_report(const std::filesystem::path& folder,
                                   const std::optional<std::string>& title = {});

}  // namespace privet::cli
