#include "privet/graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/graph/build_rows.hpp"
#include "privet/graph/mirror.hpp"

namespace privet::graph {
namespace {

std::mutex transposed_mutex;

void expect_countable(std::size_t nodes, const std::string& where) {
  if (nodes <= kMaxNodes) return;
  throw DataError({.what = fmt::format("{} nodes", nodes),
                   .where = where,
                   .expected = fmt::format("at most {}", kMaxNodes)});
}

}  // namespace

void EdgeList::grow() {
  blocks_.emplace_back();
  blocks_.back().reserve(kBlock);
}

void EdgeList::add_block(std::vector<Edge> block) { blocks_.push_back(std::move(block)); }

std::size_t EdgeList::size() const noexcept {
  std::size_t total = 0;
  for (const auto& block : blocks_) total += block.size();
  return total;
}

template <typename Offsets, typename Neighbors>
Graph::Storage::Storage(Offsets its_offsets, Neighbors its_neighbors, Direction its_direction)
    : direction(its_direction) {
  auto kept_offsets = std::make_shared<const Offsets>(std::move(its_offsets));
  auto kept_neighbors = std::make_shared<const Neighbors>(std::move(its_neighbors));
  offsets = *kept_offsets;
  neighbors = *kept_neighbors;
  keeps_offsets = std::move(kept_offsets);
  keeps_neighbors = std::move(kept_neighbors);
}

Graph::Graph()
    : storage_(std::make_shared<const Storage>(std::vector<std::uint64_t>{0}, std::vector<NodeId>(),
                                               Direction::undirected)) {}

Graph::Graph(std::size_t nodes, EdgeList edges, Direction direction, const std::string& where) {
  expect_countable(nodes, where);
  CompressedRows rows = build_rows(nodes, std::move(edges), direction, where);
  storage_ = std::make_shared<const Storage>(std::move(rows.offsets), std::move(rows.neighbors), direction);
}

Graph Graph::from_upper_rows(std::size_t nodes, std::span<const UpperRows> pieces, const std::string& where) {
  expect_countable(nodes, where);
  CompressedRows rows = mirror(nodes, pieces, where);
  return Graph(std::make_shared<const Storage>(std::move(rows.offsets), std::move(rows.neighbors),
                                               Direction::undirected));
}

Graph Graph::from_rows(std::vector<std::uint64_t> offsets, std::vector<NodeId> neighbors, Direction direction,
                       const std::string& where) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != neighbors.size()) {
    throw DataError({.what = "row offsets do not span the entries", .where = where});
  }
  const std::size_t nodes = offsets.size() - 1;
  expect_countable(nodes, where);
  for (std::size_t i = 0; i < nodes; ++i) {
    if (offsets[i + 1] < offsets[i] || offsets[i + 1] > neighbors.size()) {
      throw DataError({.what = fmt::format("row offset {} is {} after {}", i + 1, offsets[i + 1], offsets[i]),
                       .where = where,
                       .expected = "offsets that never fall"});
    }
    for (std::uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
      if (neighbors[k] >= nodes || neighbors[k] == i ||
          (k > offsets[i] && neighbors[k] <= neighbors[k - 1])) {
        throw DataError({.what = fmt::format("row {} has neighbour {} at entry {}", i, neighbors[k], k),
                         .where = where,
                         .expected = fmt::format("ascending ids below {}, without {}", nodes, i)});
      }
    }
  }
  auto storage = std::make_shared<Storage>(std::move(offsets), std::move(neighbors), Direction::directed);
  Graph graph{std::shared_ptr<const Storage>(storage)};
  if (direction == Direction::undirected) {
    const Graph turned = graph.transposed();
    if (!std::ranges::equal(turned.offsets(), storage->offsets) ||
        !std::ranges::equal(turned.columns(), storage->neighbors)) {
      throw DataError({.what = "the adjacency is not symmetric",
                       .where = where,
                       .expected = "both entries of every undirected edge"});
    }
    storage->transposed = nullptr;
    storage->direction = Direction::undirected;
  }
  return graph;
}

std::size_t Graph::edges() const {
  if (undirected()) return stored_entries() / 2;
  const Graph turned = transposed();
  std::size_t both_ways = 0;
  for (NodeId i = 0; i < nodes(); ++i) {
    const auto out = neighbors(i);
    const auto in = turned.neighbors(i);
    auto a = out.begin();
    auto b = in.begin();
    while (a != out.end() && b != in.end()) {
      if (*a == *b) {
        ++both_ways;
        ++a;
        ++b;
      } else if (*a < *b) {
        ++a;
      } else {
        ++b;
      }
    }
  }
  return stored_entries() - both_ways / 2;
}

bool Graph::has_entry(NodeId from, NodeId to) const {
  const auto row = neighbors(from);
  return std::binary_search(row.begin(), row.end(), to);
}

Graph Graph::transposed() const {
  if (undirected()) return *this;
  const std::lock_guard lock(transposed_mutex);
  if (!storage_->transposed) {
    std::vector<std::uint64_t> offsets(nodes() + 1);
    for (const NodeId column : storage_->neighbors) ++offsets[column + 1];
    for (std::size_t i = 0; i < nodes(); ++i) offsets[i + 1] += offsets[i];
    std::vector<std::uint64_t> place(offsets);
    LargeVector<NodeId> sources(storage_->neighbors.size());
    // Rows are visited in ascending order, so every row of the result comes out sorted.
    for (NodeId i = 0; i < nodes(); ++i) {
      for (const NodeId column : neighbors(i)) sources[place[column]++] = i;
    }
    storage_->transposed =
        std::make_shared<const Storage>(std::move(offsets), std::move(sources), Direction::directed);
  }
  return Graph(storage_->transposed);
}

Graph Graph::symmetrized() const {
  if (undirected()) return *this;
  EdgeList edges;
  for (NodeId i = 0; i < nodes(); ++i) {
    for (const NodeId column : neighbors(i)) edges.add(i, column);
  }
  return Graph(nodes(), std::move(edges), Direction::undirected);
}

Graph Graph::induced(std::span<const NodeId> kept) const {
  constexpr NodeId kDropped = 0xffffffff;
  std::vector<NodeId> renamed(nodes(), kDropped);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] >= nodes() || (i > 0 && kept[i] <= kept[i - 1])) {
      throw InvalidArgument({.what = "kept nodes must ascend and lie in the graph", .where = "induced"});
    }
    renamed[kept[i]] = static_cast<NodeId>(i);
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<NodeId> left;
  offsets.reserve(kept.size() + 1);
  for (const NodeId node : kept) {
    for (const NodeId neighbor : neighbors(node)) {
      if (renamed[neighbor] != kDropped) left.push_back(renamed[neighbor]);
    }
    offsets.push_back(left.size());
  }
  return Graph(std::make_shared<const Storage>(std::move(offsets), std::move(left), direction()));
}

bool Graph::operator==(const Graph& other) const {
  return storage_ == other.storage_ ||
         (direction() == other.direction() && std::ranges::equal(offsets(), other.offsets()) &&
          std::ranges::equal(columns(), other.columns()));
}

}  // namespace privet::graph
