#pragma once

#include <cstdint>
#include <optional>

#include "privet/graph/dataset.hpp"

namespace privet::graph {

/// The split that CARIBOU publishes with its chains of a size, named "published"; none for other sizes. Two
/// classes, a sixth of the nodes each for training and validation.
std::optional<Split> published_chain_split(std::uint64_t chains, std::uint64_t length);

}  // namespace privet::graph
