#pragma once

#include <cstdint>
#include <string>

#include "privet/base/random.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/core/sensitivity.hpp"

namespace privet::privacy {

/// A private count with discrete Laplace noise: unit, sensitivity and loss are GeometricMechanism's. The
/// result may be negative; cutting it off at a public bound afterwards costs nothing.
[[nodiscard]] std::int64_t noisy_count(const Secret<std::int64_t>& count, const Sensitivity& sensitivity,
                                       Epsilon epsilon, std::string what, ReleaseLog& log,
                                       RandomStream& stream);

}  // namespace privet::privacy
