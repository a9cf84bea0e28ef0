#pragma once

#include <string>

#include "privet/audit/attacks/attacks.hpp"

namespace privet::report {

/// The curves of a report, the first of each attack on each target: false positive rate to the right from
/// 0.001 to 1 on a logarithmic scale, true positive rate upwards, and in grey what coins reach.
std::string attack_figure(const audit::AttackReport& report);

}  // namespace privet::report
