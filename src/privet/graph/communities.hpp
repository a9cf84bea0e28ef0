#pragma once

#include <cstdint>
#include <vector>

#include "privet/base/random.hpp"

namespace privet::graph {

/// A pair of nodes with a weight; both ends equal for a loop.
struct WeightedPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  double weight = 0;
};

/// The community of every node, numbered from 0 without gaps, by Louvain's method (Blondel et al. 2008):
/// nodes move, in random order, to the community that gains most modularity, until none does; communities
/// become the nodes of a smaller graph, and so on. Weights are positive; a pair given twice counts twice. A
/// larger `resolution` gives smaller communities. Isolated nodes stay alone.
std::vector<std::uint32_t> louvain(std::uint32_t nodes, const std::vector<WeightedPair>& pairs,
                                   double resolution, RandomStream& order);

/// Sum over communities of (share of the weight inside) - resolution x (share of the degrees)^2.
double modularity(const std::vector<WeightedPair>& pairs, const std::vector<std::uint32_t>& communities,
                  double resolution);

}  // namespace privet::graph
