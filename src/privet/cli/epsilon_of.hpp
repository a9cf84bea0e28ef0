#pragma once

#include <string>

#include "privet/accounting/event.hpp"
#include "privet/accounting/quantities.hpp"

namespace privet::cli {

/// The accountant of that name, as certificates and ledgers ask for it.
double epsilon_of(const privacy::Event& event, privacy::Delta delta, const std::string& accountant);

}  // namespace privet::cli
