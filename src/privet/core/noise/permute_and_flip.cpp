#include "privet/core/noise/permute_and_flip.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "privet/core/noise/bernoulli_exp.hpp"

namespace privet::privacy {

std::size_t permute_and_flip(RandomStream& coins, std::span<const std::int64_t> scores,
                             std::uint64_t numerator, std::uint64_t denominator) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::int64_t best = *std::ranges::max_element(scores);
  for (std::size_t i = scores.size(); i > 0; --i) {
    std::swap(order[i - 1], order[coins.below(i)]);
    const std::size_t candidate = order[i - 1];
    const auto behind = static_cast<Wide>(best - scores[candidate]);
    if (bernoulli_exp(coins, behind * numerator, denominator)) return candidate;
  }
  throw std::logic_error("the best candidate is taken with certainty");
}

}  // namespace privet::privacy
