#pragma once

#include "privet/cli/arguments.hpp"

namespace privet::cli {

/// --threads N: how many threads to use; results do not depend on it.
void declare_threads(Command& command);

}  // namespace privet::cli
