#pragma once

#include "privet/cli/arguments.hpp"

namespace privet::cli {

/// `privet account` and `privet calibrate`: the accountants as a calculator, forwards and backwards.
void declare_account_command(Command& root);
void declare_calibrate_command(Command& root);

}  // namespace privet::cli
