#pragma once

#include "privet/report/folder.hpp"
#include "privet/report/section.hpp"

namespace privet::report {

/// An audit: its verdict, the lower bound that was measured beside the upper bound that was stated, drawn on
/// one line, what was done and how much it could have shown.
Section audit_section(const AuditFile& file, std::size_t number);

/// Attacks: areas under curves with intervals and references, and the curves.
Section attack_section(const AttackFile& file, std::size_t number);

}  // namespace privet::report
