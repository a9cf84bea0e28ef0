#include "privet/nn/star_examples.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "privet/base/parallel.hpp"

namespace privet::nn {
namespace {

constexpr std::size_t kCopyGrain = 1024;

// Rows of `from` in the order of `nodes`.
tensor::MatrixView copied_rows(tensor::ConstMatrixView from, std::span<const graph::NodeId> nodes,
                               tensor::Matrix& room) {
  const tensor::MatrixView rows = shaped(room, nodes.size(), from.columns);
  parallel_for(nodes.size(), kCopyGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(rows.row(i).data(), from.row(nodes[i]).data(), from.columns * sizeof(float));
  });
  return rows;
}

// The stars of `middles`, one after the other.
void spread(const privacy::HeardLists& heard, std::span<const graph::NodeId> middles,
            std::vector<graph::NodeId>& nodes, std::vector<std::uint32_t>& starts) {
  nodes.clear();
  starts.clear();
  starts.push_back(0);
  for (const graph::NodeId middle : middles) {
    nodes.push_back(middle);
    const auto list = heard.of(middle);
    nodes.insert(nodes.end(), list.begin(), list.end());
    starts.push_back(static_cast<std::uint32_t>(nodes.size()));
  }
}

// Layers [first, last), none of which gathers, for all rows.
tensor::Matrix row_by_row(const Network& network, const Parameters& parameters, std::size_t first,
                          std::size_t last, const Input& input) {
  constexpr std::size_t kRows = 16384;
  tensor::Matrix out(input.rows(), network.layer(last - 1).outputs());
  std::vector<Slot> slots(last - first);
  for (std::size_t row = 0; row < input.rows(); row += kRows) {
    const std::size_t count = std::min(kRows, input.rows() - row);
    Input in = input;
    in.squared_norms = nullptr;
    if (in.is_sparse) {
      in.sparse.rows = count;
      in.sparse.begin += row;
      in.sparse.end += row;
    } else {
      in.dense = input.dense.row_range(row, count);
    }
    for (std::size_t i = first; i < last; ++i) {
      Slot& slot = slots[i - first];
      const tensor::MatrixView to = i + 1 == last
                                        ? tensor::MatrixView(out.row(row).data(), count, out.columns())
                                        : shaped(slot.output, count, network.layer(i).outputs());
      network.layer(i).forward({}, network.weights(i, parameters), in, to, slot);
      in = tensor::ConstMatrixView(to);
    }
  }
  return out;
}

// A layer that gathers: every node is the middle of its star.
tensor::Matrix gathered(const Network& network, const Parameters& parameters, std::size_t layer,
                        tensor::ConstMatrixView rows, const privacy::HeardLists& heard) {
  constexpr std::size_t kMostRows = 65536;
  tensor::Matrix out(rows.rows, network.layer(layer).outputs());
  tensor::Matrix room;
  Slot slot;
  std::vector<graph::NodeId> middles;
  std::vector<graph::NodeId> nodes;
  std::vector<std::uint32_t> starts;
  graph::NodeId node = 0;
  while (node < rows.rows) {
    const graph::NodeId first = node;
    middles.clear();
    std::size_t count = 0;
    do {
      count += 1 + heard.of(node).size();
      middles.push_back(node++);
    } while (node < rows.rows && count + 1 + heard.of(node).size() <= kMostRows);
    spread(heard, middles, nodes, starts);
    const tensor::ConstMatrixView stars = copied_rows(rows, nodes, room);
    network.layer(layer).forward({.star_rows = starts}, network.weights(layer, parameters), stars,
                                 tensor::MatrixView(out.row(first).data(), middles.size(), out.columns()),
                                 slot);
  }
  return out;
}

}  // namespace

std::uint64_t most_rows(std::uint64_t heard, std::uint64_t layers) {
  std::uint64_t rows = 1;
  for (std::uint64_t i = 0; i < layers; ++i) rows *= heard + 1;
  return rows;
}

Input gather(const StarExamples& examples, std::span<const std::uint32_t> members, BatchRoom& room,
             StarRoom& stars) {
  room.labels.clear();
  stars.nodes.clear();
  for (const std::uint32_t member : members) {
    room.labels.push_back(examples.labels[member]);
    stars.nodes.push_back(examples.roots[member]);
  }
  stars.levels.resize(examples.layers);
  // From the roots down: the last layer's stars are the roots', the first's are the leaves'.
  for (std::size_t level = examples.layers; level-- > 0;) {
    std::swap(stars.above, stars.nodes);
    RowGroups& groups = stars.levels[level];
    spread(examples.heard, stars.above, stars.nodes, groups.stars);
    if (level + 1 == examples.layers) {
      groups.examples = groups.stars;
      continue;
    }
    groups.examples.clear();
    for (const std::uint32_t row : stars.levels[level + 1].examples)
      groups.examples.push_back(groups.stars[row]);
  }
  Input input = all_rows(examples.features);
  if (!input.is_sparse) {
    input.dense = copied_rows(input.dense, stars.nodes, room.rows);
    return input;
  }
  room.begin.clear();
  room.end.clear();
  for (const graph::NodeId node : stars.nodes) {
    room.begin.push_back(input.sparse.begin[node]);
    room.end.push_back(input.sparse.end[node]);
  }
  input.sparse.rows = stars.nodes.size();
  input.sparse.begin = room.begin.data();
  input.sparse.end = room.end.data();
  return input;
}

tensor::Matrix star_outputs(const Network& network, const Parameters& parameters,
                            const graph::Features& features, const privacy::HeardLists& heard) {
  Input input = all_rows(features);
  if (input.rows() != heard.nodes()) throw std::logic_error("star outputs: a list for each node");
  tensor::Matrix rows;
  std::size_t first = 0;
  while (first < network.layers()) {
    if (network.layer(first).gathers_examples()) {
      if (input.is_sparse) throw std::logic_error("star outputs: a layer with parameters comes first");
      rows = gathered(network, parameters, first, input.dense, heard);
      ++first;
    } else {
      std::size_t last = first + 1;
      while (last < network.layers() && !network.layer(last).gathers_examples()) ++last;
      rows = row_by_row(network, parameters, first, last, input);
      first = last;
    }
    input = tensor::ConstMatrixView(rows);
  }
  return rows;
}

}  // namespace privet::nn
