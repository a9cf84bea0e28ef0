#pragma once

#include <string>

#include "privet/audit/audit.hpp"

namespace privet::report {

/// One line from 0 with the epsilon that was stated and the lower bound that was measured, as SVG: where the
/// measured one is to the right, the statement is refuted.
std::string bounds_figure(const audit::AuditReport& report);

}  // namespace privet::report
