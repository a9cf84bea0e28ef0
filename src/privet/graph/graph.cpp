#include "privet/graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

namespace privet::graph {
namespace {

std::mutex transposed_mutex;

// Calls visit(row, column) for every entry of the adjacency matrix that an edge stands for.
template <typename Visit>
void for_each_entry(const Edge& edge, Direction direction, const Visit& visit) {
  if (edge.from == edge.to) return;
  visit(edge.from, edge.to);
  if (direction == Direction::undirected) visit(edge.to, edge.from);
}

// Sorts each row, drops repeats and closes the gaps. Rows are cut into a fixed number of ranges that are
// sorted in parallel; the closing pass is one linear sweep.
void sort_and_deduplicate(std::vector<std::uint64_t>& offsets, std::vector<NodeId>& neighbors) {
  const std::size_t rows = offsets.size() - 1;
  std::vector<std::uint32_t> unique(rows);
  parallel_for(rows, std::max<std::size_t>(1024, rows / 64 + 1), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto first = neighbors.begin() + static_cast<std::ptrdiff_t>(offsets[i]);
      const auto last = neighbors.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]);
      if (!std::is_sorted(first, last)) std::sort(first, last);
      unique[i] = static_cast<std::uint32_t>(std::unique(first, last) - first);
    }
  });
  std::uint64_t write = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t read = offsets[i];
    if (read != write) {
      std::copy_n(neighbors.begin() + static_cast<std::ptrdiff_t>(read), unique[i],
                  neighbors.begin() + static_cast<std::ptrdiff_t>(write));
    }
    offsets[i] = write;
    write += unique[i];
  }
  offsets[rows] = write;
  neighbors.resize(write);
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

Graph::Graph() : storage_(std::make_shared<const Storage>()) {}

Graph::Graph(std::size_t nodes, EdgeList edges, Direction direction, const std::string& where) {
  if (nodes > kMaxNodes) {
    throw DataError({.what = fmt::format("{} nodes", nodes),
                     .where = where,
                     .expected = fmt::format("at most {}", kMaxNodes)});
  }
  auto storage = std::make_shared<Storage>();
  storage->direction = direction;
  std::vector<std::uint64_t>& offsets = storage->offsets;
  offsets.assign(nodes + 1, 0);

  std::size_t index = 0;
  for (const auto& block : edges.blocks()) {
    for (const Edge& edge : block) {
      if (edge.from >= nodes || edge.to >= nodes) {
        throw DataError({.what = fmt::format("edge {} joins {} and {}", index, edge.from, edge.to),
                         .where = where,
                         .expected = fmt::format("node ids below {}", nodes)});
      }
      for_each_entry(edge, direction, [&](NodeId row, NodeId) { ++offsets[row + 1]; });
      ++index;
    }
  }
  for (std::size_t i = 0; i < nodes; ++i) offsets[i + 1] += offsets[i];

  std::vector<std::uint64_t> place(offsets);
  storage->neighbors.resize(offsets[nodes]);
  for (std::size_t b = 0; b < edges.blocks().size(); ++b) {
    for (const Edge& edge : edges.blocks()[b]) {
      for_each_entry(edge, direction,
                     [&](NodeId row, NodeId column) { storage->neighbors[place[row]++] = column; });
    }
    edges.clear_block(b);
  }
  std::vector<std::uint64_t>().swap(place);
  sort_and_deduplicate(offsets, storage->neighbors);
  storage_ = std::move(storage);
}

Graph Graph::from_rows(std::vector<std::uint64_t> offsets, std::vector<NodeId> neighbors, Direction direction,
                       const std::string& where) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != neighbors.size()) {
    throw DataError({.what = "row offsets do not span the entries", .where = where});
  }
  const std::size_t nodes = offsets.size() - 1;
  if (nodes > kMaxNodes) {
    throw DataError({.what = fmt::format("{} nodes", nodes),
                     .where = where,
                     .expected = fmt::format("at most {}", kMaxNodes)});
  }
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
  auto storage = std::make_shared<Storage>();
  storage->offsets = std::move(offsets);
  storage->neighbors = std::move(neighbors);
  storage->direction = Direction::directed;
  Graph graph{std::shared_ptr<const Storage>(storage)};
  if (direction == Direction::undirected) {
    const Graph turned = graph.transposed();
    if (turned.storage_->offsets != storage->offsets || turned.storage_->neighbors != storage->neighbors) {
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
    auto turned = std::make_shared<Storage>();
    turned->direction = Direction::directed;
    turned->offsets.assign(nodes() + 1, 0);
    for (const NodeId column : storage_->neighbors) ++turned->offsets[column + 1];
    for (std::size_t i = 0; i < nodes(); ++i) turned->offsets[i + 1] += turned->offsets[i];
    std::vector<std::uint64_t> place(turned->offsets);
    turned->neighbors.resize(storage_->neighbors.size());
    // Rows are visited in ascending order, so every row of the result comes out sorted.
    for (NodeId i = 0; i < nodes(); ++i) {
      for (const NodeId column : neighbors(i)) turned->neighbors[place[column]++] = i;
    }
    storage_->transposed = std::move(turned);
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
  auto storage = std::make_shared<Storage>();
  storage->direction = direction();
  storage->offsets.reserve(kept.size() + 1);
  for (const NodeId node : kept) {
    for (const NodeId neighbor : neighbors(node)) {
      if (renamed[neighbor] != kDropped) storage->neighbors.push_back(renamed[neighbor]);
    }
    storage->offsets.push_back(storage->neighbors.size());
  }
  return Graph(std::shared_ptr<const Storage>(std::move(storage)));
}

bool Graph::operator==(const Graph& other) const {
  return storage_ == other.storage_ ||
         (direction() == other.direction() && storage_->offsets == other.storage_->offsets &&
          storage_->neighbors == other.storage_->neighbors);
}

}  // namespace privet::graph
