#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/unit.hpp"
#include "privet/graph/dataset.hpp"

namespace privet::audit {

/// An entry of the adjacency matrix in which two worlds differ.
struct ChangedEntry {
  graph::NodeId row = 0;
  graph::NodeId column = 0;
  int sign = 1;  ///< +1: there in the first world only; -1: in the second only
};

/// Two data sets that the unit calls neighbours. In the first the edge or the person is there as in the data
/// (an edge is put in where it was not); in the second it is gone or another.
struct NeighborPair {
  std::string name;         ///< "pendant-hub", "pair 3,17", "node 5"
  std::string description;  ///< for the reader
  graph::Dataset first;
  graph::Dataset second;
  std::optional<graph::NodeId> person = {};  ///< of the units that are about a person
  std::vector<ChangedEntry> changed = {};    ///< by row, then column
};

/// The structures by which pairs are picked, for the unit:
///
///     edge units      pendant-hub, bridge, highest-degree, isolated, duplicate, random
///     person units    hub, isolated, pendant, duplicate, random
///
/// pendant-hub joins a node of lowest degree to the one of highest; bridge is an edge whose loss cuts the
/// graph (a random edge where there is none); highest-degree are the two nodes of most edges; isolated those
/// of fewest; duplicate two nodes with the same or nearly the same features.
std::vector<std::string> neighbor_structures(const privacy::Unit& unit);

/// The pair of that structure. An unknown name is an InvalidArgument with the nearest, a graph with too few
/// nodes a DataError, the unit `none` an InvalidArgument.
NeighborPair make_neighbors(const graph::Dataset& dataset, const privacy::Unit& unit,
                            const std::string& structure, RandomStream& stream);

/// The pair in which the edge {u, v} (the entry u -> v under directed units) is there and not. For the edge
/// units; an InvalidArgument for others, for u = v and for ids that do not exist.
NeighborPair neighbors_by_edge(const graph::Dataset& dataset, const privacy::Unit& unit, graph::NodeId u,
                               graph::NodeId v);

/// The pair in which the person is there and is gone (add-remove) or another one: somebody else's features
/// and label, other edges. k-neighbor changes as many edges as the unit allows; node:D stays within its
/// bound; record changes the person's own list alone. `stream` picks who comes instead.
NeighborPair neighbors_by_person(const graph::Dataset& dataset, const privacy::Unit& unit,
                                 graph::NodeId person, RandomStream& stream);

/// Hill climbing: starts from the best of all structures by `worth` (a mean shift where it is known, the
/// separation of a few pilot runs otherwise), then exchanges one end or the person `steps` times and keeps
/// what is worth more. The choice must not use the runs that are measured afterwards.
NeighborPair search_neighbors(const graph::Dataset& dataset, const privacy::Unit& unit, std::uint64_t steps,
                              const std::function<double(const NeighborPair& pair)>& worth,
                              RandomStream& stream);

}  // namespace privet::audit
