#pragma once

#include "privet/cli/arguments.hpp"

namespace privet::cli {

/// privet compare: methods x budgets x runs, as a table; or the cells of a configuration file beside the
/// numbers that papers print.
void declare_compare_command(Command& root);

}  // namespace privet::cli
