#pragma once

#include <cmath>

namespace privet::privacy {

/// Where a function with a single valley is least, between `low` and `high`, to within 1 %: golden sections
/// of the logarithm.
template <typename Function>
double minimiser(Function function, double low = 1e-9, double high = 1e12) {
  constexpr double kGolden = 0.6180339887498949;
  double a = std::log(low);
  double b = std::log(high);
  double x = b - kGolden * (b - a);
  double y = a + kGolden * (b - a);
  double at_x = function(std::exp(x));
  double at_y = function(std::exp(y));
  while (b - a > 0.02) {
    if (at_x <= at_y) {
      b = y;
      y = x;
      at_y = at_x;
      x = b - kGolden * (b - a);
      at_x = function(std::exp(x));
    } else {
      a = x;
      x = y;
      at_x = at_y;
      y = a + kGolden * (b - a);
      at_y = function(std::exp(y));
    }
  }
  return std::exp((a + b) / 2);
}

}  // namespace privet::privacy
