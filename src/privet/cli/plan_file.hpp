#pragma once

#include <filesystem>
#include <vector>

#include "privet/accounting/mechanism_options.hpp"

namespace privet::cli {

/// One mechanism of a plan. Without a number for its noise it is free: calibration gives it `weight` times
/// the common scale.
struct PlannedMechanism {
  privacy::MechanismOptions options;
  double weight = 1;
  bool free = false;
};

/// Reads a plan:
///
///     [[mechanism]]
///     kind = "gaussian"
///     sensitivity = 1.4143
///     stddev = 6.0
///
///     [[mechanism]]
///     kind = "subsampled-gaussian"
///     rate = 0.01
///     steps = 1000
///     weight = 2.0
std::vector<PlannedMechanism> read_plan(const std::filesystem::path& file);

}  // namespace privet::cli
