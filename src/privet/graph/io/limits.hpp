#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "privet/graph/graph.hpp"

namespace privet::graph {

/// Refuses a number of nodes that the rest of the input does not make believable, before anything is
/// allocated for them: at most 2^20 nodes for nothing, 64 for every edge, and as many as there are `rows` of
/// labels, features or names. A DataError naming `where`.
void expect_plausible_nodes(std::uint64_t nodes, std::size_t edges, std::size_t rows,
                            const std::string& where);

/// Refuses a number of classes above 2^16 and above the number of nodes.
void expect_plausible_classes(std::uint64_t classes, std::size_t nodes, const std::string& where);

}  // namespace privet::graph
