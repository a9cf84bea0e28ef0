#pragma once

#include <cstdint>

#include "privet/base/random.hpp"

namespace privet::privacy {

/// A positive ratio of integers, so that noise with this parameter can be drawn without rounding.
struct Ratio {
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;
  [[nodiscard]] double value() const noexcept {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
};

/// The largest denominator the samplers below take: their sums then stay below 2^63 except with probability
/// exp(-2^22).
inline constexpr std::uint64_t kLargestDenominator = std::uint64_t{1} << 40;

/// On 0, 1, 2, ...: at least j with probability exp(-j rate). Exact (integer arithmetic; Canonne, Kamath,
/// Steinke 2020, Algorithm 2).
std::uint64_t geometric(RandomStream& stream, Ratio rate);

/// On the integers: k with probability proportional to exp(-|k| rate). Exact, as above.
std::int64_t discrete_laplace(RandomStream& stream, Ratio rate);

/// Continuous Laplace noise of scale `half_steps`/2, rounded to the nearest integer. Exact, as above: the
/// size of Laplace noise is exponential, counted in half steps it is geometric, and half steps 2k-1 and 2k
/// round to k. `half_steps` from 1 to kLargestDenominator.
std::int64_t rounded_laplace(RandomStream& stream, std::uint64_t half_steps);

}  // namespace privet::privacy
