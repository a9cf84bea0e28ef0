#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privet/graph/graph.hpp"
#include "privet/methods/caribou/caribou_plan.hpp"

namespace privet::methods {

/// CARIBOU's own numbers (Zheng et al. 2025), for `paper` rigor: nothing here is a guarantee, no strict plan
/// reads it. Both theorems take the smallest (and largest) degree of *the graph at hand*.

struct PublishedDegrees {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};
/// Looked up without noise.
PublishedDegrees degrees_of(const graph::Graph& graph);

/// Theorem 4: sqrt(2) C s (1 / ((m+1)(m+2)) + c(m) / sqrt(m+1) + 1 / sqrt((m+1)(m+2))), c(m) = m / sqrt(m+1)
/// - m / sqrt(m+2) for m > 3, else 3/2 - 3/sqrt(5).
double theorem_4(const privacy::ContractiveLayer& layer, const PublishedDegrees& degrees);

/// Theorem 5: 1 + (1 - s) C 2n/(n+1) + s C (sqrt(M) / ((m+1)(m+2)) + c(m) sqrt(M) / sqrt(m+1) + 1 /
/// sqrt(m+2)).
double theorem_5(const privacy::ContractiveLayer& layer, const PublishedDegrees& degrees,
                 std::uint64_t nodes);

/// The iteration with the published noise: sigma times Theorem 4 for the edge units, Theorem 5 for node. Its
/// event says what that noise costs in truth.
privacy::ContractiveHops published_iteration(const CaribouPlan& plan, const privacy::Unit& unit,
                                             const privacy::PublicFacts& facts,
                                             const PublishedDegrees& degrees);

/// What the paper claims and does not hold, for the unit.
std::vector<std::string> caribou_failed_claims(const privacy::Unit& unit);

}  // namespace privet::methods
