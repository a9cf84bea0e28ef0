#include "privet/core/noise/discrete_laplace.hpp"

#include "privet/core/noise/bernoulli_exp.hpp"

namespace privet::privacy {

std::uint64_t geometric(RandomStream& stream, Ratio rate) {
  // x = u + denominator v is geometric with exp(-1/denominator): u within a unit of the exponent, v whole
  // units.
  std::uint64_t within = 0;
  do {
    within = stream.below(rate.denominator);
  } while (!bernoulli_exp(stream, within, rate.denominator));
  std::uint64_t units = 0;
  while (bernoulli_exp(stream, 1, 1)) ++units;
  return (within + rate.denominator * units) / rate.numerator;
}

std::int64_t discrete_laplace(RandomStream& stream, Ratio rate) {
  while (true) {
    const bool negative = stream.bits() >> 63 != 0;
    const auto size = static_cast<std::int64_t>(geometric(stream, rate));
    // Zero would be drawn with either sign.
    if (negative && size == 0) continue;
    return negative ? -size : size;
  }
}

std::int64_t rounded_laplace(RandomStream& stream, std::uint64_t half_steps) {
  const bool negative = stream.bits() >> 63 != 0;
  const auto size = static_cast<std::int64_t>((geometric(stream, {1, half_steps}) + 1) / 2);
  return negative ? -size : size;
}

}  // namespace privet::privacy
