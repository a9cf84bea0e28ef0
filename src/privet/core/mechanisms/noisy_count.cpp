#include "privet/core/mechanisms/noisy_count.hpp"

#include "privet/core/mechanisms/geometric.hpp"

namespace privet::privacy {

std::int64_t noisy_count(const Secret<std::int64_t>& count, const Sensitivity& sensitivity, Epsilon epsilon,
                         std::string what, ReleaseLog& log, RandomStream& stream) {
  return GeometricMechanism::with_epsilon(sensitivity, epsilon).release(count, std::move(what), log, stream);
}

}  // namespace privet::privacy
