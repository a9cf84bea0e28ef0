#pragma once

#include "privet/cli/arguments.hpp"

namespace privet::cli {

/// `privet data list|info|make|convert`.
void declare_data_command(Command& root);

}  // namespace privet::cli
