#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/core/sensitivity.hpp"
#include "privet/core/unit.hpp"

namespace privet::privacy {

/// Which of a public list of candidates is about the q-quantile of private numbers (a clip norm from gradient
/// norms, a degree bound from degrees).
///
///   unit         the caller's, with the number of values that one protected thing can change
///   sensitivity  of a candidate's score, minus the distance of its rank from q x count: `changed_values`,
///                since each value is at most one in any rank
///   loss         epsilon, pure, that of NoisyMax; PureEvent
struct QuantileQuery {
  double quantile = 0.5;             ///< in [0, 1]
  std::uint64_t count = 0;           ///< public number of values; at least 1
  std::uint64_t changed_values = 1;  ///< between neighbours of the unit; at least 1
  std::vector<double> candidates;    ///< public, finite, ascending, at least one
};

/// A candidate. A value that is not a number is above all candidates.
[[nodiscard]] double noisy_quantile(const Secret<std::vector<double>>& values, const QuantileQuery& query,
                                    const Unit& unit, Epsilon epsilon, std::string what, ReleaseLog& log,
                                    RandomStream& stream);

}  // namespace privet::privacy
