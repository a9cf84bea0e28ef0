#include "privet/core/mechanisms/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/base/error.hpp"

namespace privet::privacy {

double grid_below(double scale) {
  if (!(scale >= 0x1p-900 && scale <= 0x1p900)) {
    throw InvalidArgument({.what = fmt::format("{}", scale),
                           .where = "scale of the noise",
                           .expected = "a number that leaves room for finer steps in floating point"});
  }
  return std::ldexp(1.0, std::ilogb(scale) - 20);
}

std::int64_t to_steps(double value, double grid) noexcept {
  if (std::isnan(value)) return 0;
  const auto most = static_cast<double>(kMostSteps);
  return static_cast<std::int64_t>(std::nearbyint(std::clamp(value / grid, -most, most)));
}

}  // namespace privet::privacy
