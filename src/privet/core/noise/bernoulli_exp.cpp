#include "privet/core/noise/bernoulli_exp.hpp"

#include <bit>

namespace privet::privacy {
namespace {

// exp(-p) for p = numerator/denominator in [0, 1]: stop at the first failure of coins p/1, p/2, p/3, ...; it
// comes at an odd place with probability 1 - p + p^2/2 - p^3/6 + ... A coin of p/k is a coin of p and one of
// 1/k.
bool bernoulli_exp_small(RandomStream& stream, Wide numerator, Wide denominator) {
  std::uint64_t place = 1;
  while (below_wide(stream, denominator) < numerator && (place == 1 || stream.below(place) == 0)) ++place;
  return place % 2 == 1;
}

}  // namespace

Wide below_wide(RandomStream& stream, Wide bound) {
  if (bound >> 64 == 0) return stream.below(static_cast<std::uint64_t>(bound));
  const auto high = static_cast<std::uint64_t>((bound - 1) >> 64);
  const std::uint64_t mask = high == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(high);
  while (true) {
    const Wide candidate = static_cast<Wide>(stream.bits() & mask) << 64 | stream.bits();
    if (candidate < bound) return candidate;
  }
}

bool bernoulli_exp(RandomStream& stream, Wide numerator, Wide denominator) {
  for (; numerator > denominator; numerator -= denominator) {
    if (!bernoulli_exp_small(stream, 1, 1)) return false;
  }
  return bernoulli_exp_small(stream, numerator, denominator);
}

}  // namespace privet::privacy
