#pragma once

#include <optional>
#include <string>

#include "privet/base/random.hpp"
#include "privet/graph/dataset.hpp"

namespace privet::audit {

/// Where a graph is most likely to give somebody away: the pair or node of a structure (see
/// neighbor_structures). At least three nodes; ties go to the lower id.
graph::Edge pair_of_structure(const graph::Dataset& dataset, const std::string& structure,
                              RandomStream& stream);
graph::NodeId node_of_structure(const graph::Dataset& dataset, const std::string& structure,
                                RandomStream& stream);

/// An edge whose loss leaves its ends in different components, both with other edges where there is such a
/// one; none where every edge lies on a cycle. Undirected graphs; others are taken both ways.
std::optional<graph::Edge> find_bridge(const graph::Graph& graph);

/// The matrix with row `to` a copy of row `from`, or empty.
tensor::SparseMatrix with_row_of(const tensor::SparseMatrix& matrix, std::optional<graph::NodeId> from,
                                 graph::NodeId to);

}  // namespace privet::audit
