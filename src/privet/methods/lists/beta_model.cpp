#include "privet/methods/lists/beta_model.hpp"

#include <algorithm>
#include <cmath>

#include "privet/base/parallel.hpp"
#include "privet/tensor/odds.hpp"

namespace privet::methods {

std::vector<double> beta_model(std::span<const double> degrees, std::uint64_t iterations) {
  const std::size_t n = degrees.size();
  const double most = std::max(1.0, static_cast<double>(n) - 2);
  // Degrees that no graph has drive odds to 0 and beyond all bounds: kept where products of two are floats.
  constexpr double kLeast = 1e-15;
  constexpr double kMost = 1e15;
  std::vector<double> x(n, 1.0);
  std::vector<float> inverse(n);
  std::vector<double> next(n);
  for (std::uint64_t step = 0; step < iterations; ++step) {
    for (std::size_t i = 0; i < n; ++i) inverse[i] = static_cast<float>(1 / x[i]);
    parallel_for(n, 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto own = static_cast<float>(x[i]);
        const double others =
            tensor::sum_of_reciprocals(own, inverse) - static_cast<double>(1 / (inverse[i] + own));
        next[i] = std::clamp(std::clamp(degrees[i], 1.0, most) / others, kLeast, kMost);
      }
    });
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) moved = std::max(moved, std::abs(next[i] - x[i]) / x[i]);
    x.swap(next);
    if (moved < 1e-6) break;
  }
  return x;
}

}  // namespace privet::methods
