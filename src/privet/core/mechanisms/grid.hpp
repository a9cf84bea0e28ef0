#pragma once

#include <cstdint>

namespace privet::privacy {

/// Real values leave a mechanism as multiples of a public power of two, so that the low bits of a floating
/// point number carry nothing (Mironov, "On significance of the least significant bits", 2012).
///
/// The scheme: the private value is rounded to the grid first; noise that has itself been rounded to the grid
/// is added in integers. For a value on the grid, adding noise and then rounding is the same as adding
/// rounded noise, so the result is a function of (rounded value + ideal noise): post-processing of the ideal
/// mechanism. What rounding costs is paid in the sensitivity: a coordinate that is the same in both data sets
/// stays the same, and each of the m that differ moves by at most one step more, which adds at most
/// grid x sqrt(m) in L2 and grid x m in L1.

/// The power of two from 2^-21 to 2^-20 times `scale`. InvalidArgument where the scale is outside 2^-900 to
/// 2^900.
double grid_below(double scale);

/// Steps beyond this are cut off: a public bound, and cutting off brings no two values further apart.
inline constexpr std::int64_t kMostSteps = std::int64_t{1} << 51;

/// The value in grid steps, rounded to nearest. Total: what is not a number counts as 0, and infinities and
/// everything beyond kMostSteps as +-kMostSteps.
std::int64_t to_steps(double value, double grid) noexcept;

/// The value of so many steps, exactly.
inline double from_steps(std::int64_t steps, double grid) noexcept {
  return static_cast<double>(steps) * grid;
}

}  // namespace privet::privacy
