#pragma once

#include <string>

namespace privet {

/// A positive number in six significant digits that is never below (rounded_up) or above (rounded_down) it:
/// an upper bound stays one when it is printed. "infinity" for infinity.
std::string rounded_up(double value);
std::string rounded_down(double value);

}  // namespace privet
