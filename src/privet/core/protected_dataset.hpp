#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privet/core/guarded.hpp"
#include "privet/core/unit.hpp"
#include "privet/graph/dataset.hpp"

namespace privet::privacy {

/// What everybody may know of a data set under every unit: fixed before anything private is opened. Plans are
/// made from this alone.
struct PublicFacts {
  std::string data;  ///< name
  std::size_t nodes = 0;
  std::size_t features = 0;  ///< columns of the feature dictionary
  std::size_t classes = 0;
  graph::Split split;
  bool directed = false;  ///< what its owner says of the edges, whatever they are

  [[nodiscard]] std::size_t count(graph::Role role) const { return split.count(role); }
};

/// A data set after its owner has named what must be protected.
struct ProtectedDataset {
  Unit unit;
  PublicFacts facts;
  Guarded<graph::Graph> graph;
  Guarded<graph::Features> features;
  Guarded<std::vector<std::int32_t>> labels;
};

/// Under node:D a node with more than D entries in its row or column breaks the promise on which the unit
/// rests: a DataError. Directed data that come mirrored are Unsound under the units that count entries or
/// lists: take the raw edges.
void require_fits(const graph::Dataset& dataset, const Unit& unit);

/// Wraps what the unit protects. The roles of the split are public; they must be one per node
/// (InvalidArgument). Where labels are public no node with a role may lack its label (DataError); where they
/// are protected it may: a node taken out keeps its role and has none. The unit has to fit (require_fits).
ProtectedDataset protect(graph::Dataset dataset, graph::Split split, const Unit& unit);

}  // namespace privet::privacy
