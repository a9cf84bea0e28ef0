#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privet/accounting/quantities.hpp"
#include "privet/base/random.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/core/unit.hpp"
#include "privet/graph/graph.hpp"

namespace privet::privacy {

/// Every node in turn joins (about) the group in which it has most neighbours, seeing where those before it
/// have gone: PrivGraph's adjustment of communities.
///
///   unit         edge
///   sensitivity  an edge is one neighbour in the choice of each of its two ends, and in no other
///   loss         epsilon, pure: half for each end (permute and flip, McKenna, Sheldon 2020, Theorem 1),
///                adaptively composed; the choices of all others have the same law given those before
///                them; PureEvent
///
/// Start and order are public or already released. A graph of another size, or one that failed, counts as one
/// without edges.
class NeighborChoice {
 public:
  /// `epsilon` from 2^-20 to 2^20. Unsound for other units.
  NeighborChoice(Unit unit, Epsilon epsilon);

  [[nodiscard]] Event event() const;

  /// The group of every node, below `groups`. `start` has the group of each; `order` has each node once.
  [[nodiscard]] std::vector<std::uint32_t> release(const Secret<graph::Graph>& graph,
                                                   std::vector<std::uint32_t> start, std::uint32_t groups,
                                                   const std::vector<graph::NodeId>& order, std::string what,
                                                   ReleaseLog& log, RandomStream& stream) const;

 private:
  Unit unit_;
  std::uint64_t numerator_;  // the exponent of one neighbour, over kDenominator
};

}  // namespace privet::privacy
