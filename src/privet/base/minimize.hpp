#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace privet {

/// A smooth function: returns its value at x and writes its gradient there.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct MinimizeOptions {
  std::uint64_t steps = 60;
  std::size_t memory = 10;            ///< pairs of steps and gradients from which the curvature is guessed
  double gradient_tolerance = 1e-6;   ///< stop where no slope is larger
  double decrease_tolerance = 1e-10;  ///< stop where a step gains less than this share of the value
};

/// Walks downhill from `x` by the limited-memory BFGS method (Nocedal and Wright, Numerical Optimization,
/// algorithm 7.5, with backtracking to sufficient decrease). Returns the last point, whose value is never
/// above that of the first. A value that is not finite counts as too far.
std::vector<double> minimize(const SmoothFunction& function, std::vector<double> x,
                             const MinimizeOptions& options = {});

}  // namespace privet
