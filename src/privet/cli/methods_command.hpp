#pragma once

#include "privet/cli/arguments.hpp"

namespace privet::cli {

/// privet methods [NAME]: what there is, and the options of one.
void declare_methods_command(Command& root);

}  // namespace privet::cli
