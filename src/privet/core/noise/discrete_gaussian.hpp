#pragma once

#include <cstdint>

#include "privet/base/random.hpp"
#include "privet/core/noise/discrete_laplace.hpp"

namespace privet::privacy {

/// On the integers: k with probability proportional to exp(-k^2 / (2 variance)). Exact: integer arithmetic
/// only, by rejection from discrete Laplace noise (Canonne, Kamath, Steinke 2020, Algorithm 3). The variance
/// is that of the formula; that of the noise is at most as large.
///
/// Variances up to 2^40 with denominators up to 2^10 keep the arithmetic within 128 bits; others are an
/// InvalidArgument.
std::int64_t discrete_gaussian(RandomStream& stream, Ratio variance);

/// The smallest variance at least `stddev`^2 that discrete_gaussian takes. `stddev` positive, up to 2^20.
Ratio variance_at_least(double stddev);

}  // namespace privet::privacy
