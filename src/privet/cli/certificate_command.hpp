#pragma once

#include "privet/cli/arguments.hpp"

namespace privet::cli {

/// `privet certificate FILE`: prints a certificate and checks it against its own releases.
void declare_certificate_command(Command& root);

}  // namespace privet::cli
