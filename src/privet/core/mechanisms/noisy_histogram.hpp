#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/core/sensitivity.hpp"

namespace privet::privacy {

/// Private counts of `bins` public bins with discrete Laplace noise on each, empty ones included: unit,
/// sensitivity (L1 over all bins together) and loss are GeometricMechanism's, for the whole histogram at
/// once. Bins found in the data would be a release of their own; here they are fixed beforehand.
[[nodiscard]] std::vector<std::int64_t> noisy_histogram(const Secret<std::vector<std::int64_t>>& counts,
                                                        std::size_t bins, const Sensitivity& sensitivity,
                                                        Epsilon epsilon, std::string what, ReleaseLog& log,
                                                        RandomStream& stream);

}  // namespace privet::privacy
