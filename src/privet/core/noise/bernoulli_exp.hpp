#pragma once

#include <cstdint>

#include "privet/base/random.hpp"

namespace privet::privacy {

__extension__ typedef unsigned __int128 Wide;

/// Uniform on {0, ..., bound - 1}, exactly; `bound` is positive.
Wide below_wide(RandomStream& stream, Wide bound);

/// True with probability exp(-numerator / denominator), exactly: uniform integers and comparisons only, no
/// floating point (Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", 2020,
/// Algorithm 1). `denominator` is positive. About 3 draws for exponents up to 1, and at most 2 more per unit
/// above.
bool bernoulli_exp(RandomStream& stream, Wide numerator, Wide denominator);

}  // namespace privet::privacy
