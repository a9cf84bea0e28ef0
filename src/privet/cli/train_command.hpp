#pragma once

#include "privet/cli/arguments.hpp"

namespace privet::cli {

/// privet train: one method, one data set, one budget.
void declare_train_command(Command& root);

}  // namespace privet::cli
