#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privet/core/mechanisms/subgraph_sampler.hpp"
#include "privet/graph/dataset.hpp"
#include "privet/nn/examples.hpp"
#include "privet/nn/network.hpp"

namespace privet::nn {

/// Training subgraphs: example i is the tree of roots[i], which has as many layers as the network gathers
/// rows. With one layer it is a star: the root and those whom it hears. With two, each of these is the middle
/// of a star of its own, the root among them.
struct StarExamples {
  graph::Features features;               ///< of all nodes
  privacy::HeardLists heard;              ///< by all nodes
  std::vector<graph::NodeId> roots = {};  ///< ids of nodes
  std::vector<std::int32_t> labels = {};  ///< of the roots
  std::uint64_t layers = 1;               ///< 1 or more

  [[nodiscard]] std::size_t count() const noexcept { return roots.size(); }
};

/// Rows that one example has at most, where nobody hears more than `heard`: (heard + 1)^layers.
std::uint64_t most_rows(std::uint64_t heard, std::uint64_t layers);

/// The most rows of an example for which the errors of clipped sums are worked out (ClippedGradient).
inline constexpr std::uint64_t kMostStarRows = 1U << 15;

/// Room for the trees of a batch; used again by the next.
struct StarRoom {
  std::vector<RowGroups> levels;
  std::vector<graph::NodeId> nodes;  ///< whose features the rows are
  std::vector<graph::NodeId> above;
};

/// The rows of the members' trees, one after the other, and how they belong together: in `stars.levels` and,
/// for labels and features, `room`. The middle of every star is its first row.
Input gather(const StarExamples& examples, std::span<const std::uint32_t> members, BatchRoom& room,
             StarRoom& stars);

/// The network's outputs for every node, each hearing whom the lists say, without trees: layer by layer for
/// all nodes, so that time and memory go with nodes and entries.
tensor::Matrix star_outputs(const Network& network, const Parameters& parameters,
                            const graph::Features& features, const privacy::HeardLists& heard);

}  // namespace privet::nn
