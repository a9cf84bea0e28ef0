#pragma once

#include "privet/cli/arguments.hpp"

namespace privet::cli {

/// `privet ledger init|show|verify|budget|admit`: what has been spent on a data set over its life.
void declare_ledger_command(Command& root);

}  // namespace privet::cli
