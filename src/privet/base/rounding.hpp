#pragma once

#include <string>

namespace privet {

/// A positive number in so many significant digits that is never below (rounded_up) or above (rounded_down)
/// it: an upper bound stays one when it is printed. "infinity" for infinity.
std::string rounded_up(double value, int digits = 6);
std::string rounded_down(double value, int digits = 6);

}  // namespace privet
