#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/core/mechanisms/geometric.hpp"
#include "privet/core/sensitivity.hpp"
#include "privet/graph/graph.hpp"

namespace privet::methods {

/// The heart of a method alone: draws of what one of its mechanisms releases in either of two worlds, along
/// the direction in which they differ most. A million of them take seconds where whole runs take days.
///
/// An audit reads the data of both worlds without noise to find that direction: only the owner of the data
/// may run one, and its result is for the owner's eyes.
struct AuditSampler {
  std::string what;       ///< "noisy sums over neighbours, 2 hops"
  bool gaussian = false;  ///< Gaussian noise on a shifted number, by the way the mechanism is made
  std::uint64_t most_draws = UINT64_MAX;  ///< of each world that are worth their time: whole graphs are slow
  /// Fills `draws` with independent draws of the first world, or the second, from the mechanism's own code.
  std::function<void(bool second, std::span<double> draws, RandomStream& noise)> draw;
};

/// What a method can be asked to be audited on: a pair of neighbouring graphs, and the person in whom they
/// differ under units that are about one.
struct AuditPair {
  const graph::Graph& first;
  const graph::Graph& second;
  std::optional<graph::NodeId> person = {};
};

/// A value that is `shift` away from 0 in the first world and 0 in the second, released `times` times with
/// the mechanism's own noise; the draws are the releases' sum over the root of their number.
AuditSampler shifted_sampler(const privacy::GaussianMechanism& mechanism, double shift, std::uint64_t times,
                             const std::string& what);

/// Integers that are `moved` in the first world and 0 in the second, released `times` times with the
/// mechanism's own noise; the draws are the log-likelihood ratios of what comes out.
AuditSampler counts_sampler(const privacy::GeometricMechanism& mechanism, std::vector<std::int64_t> moved,
                            std::uint64_t times, const std::string& what);

/// The sampler of A X + noise, released `times` times, for rows X all alike and of norm `row_bound`: any rows
/// of that norm may come up, and these move together. A person who is replaced and whose rows are its own
/// turns its row round. The own row is left out where the unit does so.
AuditSampler neighbor_sums_sampler(const privacy::GaussianMechanism& mechanism,
                                   const privacy::NeighborSum& sum, std::uint64_t times,
                                   const AuditPair& pair);

}  // namespace privet::methods
