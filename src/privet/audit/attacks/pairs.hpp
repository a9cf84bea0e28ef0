#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/graph/dataset.hpp"

namespace privet::audit {

/// The pairs of nodes about which an attack on edges is asked.

struct CandidatePair {
  graph::NodeId first = 0;   ///< drawn first
  graph::NodeId second = 0;  ///< its neighbour, or drawn after it
  bool joined = false;       ///< in the original graph, in either direction
};

enum class PairChoice {
  balanced,  ///< edges (a uniform node with neighbours, then a uniform neighbour) and as many pairs that are
             ///< not
  all,       ///< all pairs among some nodes: as rare as edges are
  low,       ///< all pairs among nodes of low degree
  high,      ///< all pairs among nodes of high degree
};
/// "balanced", "all", "low", "high"; an unknown name is an InvalidArgument with the nearest.
PairChoice parse_pair_choice(const std::string& name);
std::string name(PairChoice choice);

/// Degrees up to `low` and from `high` on.
struct DegreeLimits {
  std::size_t low = 0;
  std::size_t high = 0;
};
/// LinkTeller's own for the data sets it names (Cora 3 and 4, CiteSeer 3 and 3, PubMed 10 and 10, Twitch 5,
/// in PTBR 10, and 10); elsewhere the quartiles of the degrees.
DegreeLimits degree_limits(const graph::Dataset& dataset);

/// `count` edges and as many other pairs, or all pairs among `count` nodes; fewer where there are no more. No
/// pair is there twice. A DataError where there is no edge or no other pair.
std::vector<CandidatePair> draw_pairs(const graph::Dataset& dataset, PairChoice choice, std::size_t count,
                                      RandomStream& stream);

}  // namespace privet::audit
