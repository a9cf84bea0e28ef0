#include "privet/base/rounding.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace privet {
namespace {

double value_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// So many digits of `value`, moved by one in the last if they lie on the wrong side of it.
std::string rounded(double value, int digits, int direction) {
  if (std::isinf(value)) return "infinity";
  const std::string nearest = fmt::format("{:.{}g}", value, digits);
  const double error = value_of(nearest) - value;
  if (value <= 0 || error * direction >= 0) return nearest;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - (digits - 1));
  return fmt::format("{:.{}g}", value_of(nearest) + direction * unit, digits);
}

}  // namespace

std::string rounded_up(double value, int digits) { return rounded(value, digits, 1); }
std::string rounded_down(double value, int digits) { return rounded(value, digits, -1); }

}  // namespace privet
