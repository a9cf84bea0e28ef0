#pragma once

#include "privet/cli/arguments.hpp"

namespace privet::cli {

/// privet audit: tries to refute what a method claims.
void declare_audit_command(Command& root);

}  // namespace privet::cli
