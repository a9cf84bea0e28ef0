#include "privet/core/mechanisms/noisy_histogram.hpp"

#include "privet/core/mechanisms/geometric.hpp"

namespace privet::privacy {

std::vector<std::int64_t> noisy_histogram(const Secret<std::vector<std::int64_t>>& counts, std::size_t bins,
                                          const Sensitivity& sensitivity, Epsilon epsilon, std::string what,
                                          ReleaseLog& log, RandomStream& stream) {
  return GeometricMechanism::with_epsilon(sensitivity, epsilon)
      .release(counts, bins, std::move(what), log, stream);
}

}  // namespace privet::privacy
