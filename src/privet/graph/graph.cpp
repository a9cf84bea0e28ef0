#include "privet/graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

namespace privet::graph {
namespace {

std::mutex transposed_mutex;

// Sorts a row to its front without repeats and returns how many are left. Short rows, the bulk of most
// graphs, are sorted by rank: how many are smaller than each, counted without a branch to mispredict. Equal
// ids share a rank, and the places behind it stay empty.
std::size_t sort_unique(std::span<NodeId> row) {
  if (std::is_sorted(row.begin(), row.end())) {
    return static_cast<std::size_t>(std::unique(row.begin(), row.end()) - row.begin());
  }
  constexpr std::size_t kShort = 64;
  if (row.size() > kShort) {
    std::sort(row.begin(), row.end());
    return static_cast<std::size_t>(std::unique(row.begin(), row.end()) - row.begin());
  }
  // Ids fit a signed 32-bit number (kMaxNodes), which every vector unit can compare.
  std::array<std::int32_t, kShort> ids;     // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  std::array<std::int32_t, kShort> ranks;   // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  std::array<std::int32_t, kShort> sorted;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  constexpr std::int32_t kEmpty = -1;
  const std::size_t size = row.size();
  for (std::size_t i = 0; i < size; ++i) {
    ids[i] = static_cast<std::int32_t>(row[i]);
    ranks[i] = 0;
    sorted[i] = kEmpty;
  }
  for (std::size_t j = 0; j < size; ++j) {
    const std::int32_t id = ids[j];
    for (std::size_t i = 0; i < size; ++i) ranks[i] += id < ids[i] ? 1 : 0;
  }
  for (std::size_t i = 0; i < size; ++i) sorted[static_cast<std::size_t>(ranks[i])] = ids[i];
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size; ++i) {
    row[kept] = static_cast<NodeId>(sorted[i]);
    kept += sorted[i] != kEmpty ? 1 : 0;
  }
  return kept;
}

// Builds compressed rows from edges by counting. Rows are cut into ranges whose entries fit a cache; the
// edges of every block are first sorted by range, so that counting and placing touch one range at a time, and
// ranges are worked on in parallel. Beside the result this needs the edges themselves and one block per
// thread.
//
// The outcome depends on neither ranges nor threads: rows are sorted at the end.
class RowBuilder {
 public:
  RowBuilder(std::size_t nodes, Direction direction, std::size_t edges)
      : nodes_(nodes), undirected_(direction == Direction::undirected) {
    constexpr std::size_t kEntriesPerRange = std::size_t{1} << 17;
    constexpr std::size_t kMostRanges = 256;
    const std::size_t wanted = std::clamp<std::size_t>(2 * edges / kEntriesPerRange, 1, kMostRanges);
    while ((nodes_ >> shift_) >= wanted) ++shift_;
    ranges_ = nodes_ == 0 ? 0 : ((nodes_ - 1) >> shift_) + 1;
  }

  void build(EdgeList edges, const std::string& where, std::vector<std::uint64_t>& offsets,
             std::vector<NodeId>& neighbors) {
    take(std::move(edges), where);
    offsets.assign(nodes_ + 1, 0);
    count<&Edge::from>(offsets);
    if (undirected_) {
      sort_blocks<&Edge::to>();
      count<&Edge::to>(offsets);
    }
    for (std::size_t i = 0; i < nodes_; ++i) offsets[i + 1] += offsets[i];
    neighbors.resize(offsets[nodes_]);
    // offsets[i] moves along row i while it is filled, and ends where row i + 1 begins.
    if (undirected_) {
      place<&Edge::to, &Edge::from>(offsets, neighbors);
      sort_blocks<&Edge::from>();
    }
    place<&Edge::from, &Edge::to>(offsets, neighbors);
    std::vector<std::vector<Edge>>().swap(blocks_);
    for (std::size_t i = nodes_; i > 0; --i) offsets[i] = offsets[i - 1];
    offsets[0] = 0;
    sort_rows(offsets, neighbors);
  }

 private:
  using End = NodeId Edge::*;

  // Copies the edges block by block, freeing them as it goes, without self-loops and sorted by the range of
  // their row. Ids are checked here, once.
  void take(EdgeList edges, const std::string& where) {
    const auto& given = edges.blocks();
    std::vector<std::size_t> first(given.size());
    for (std::size_t b = 1; b < given.size(); ++b) first[b] = first[b - 1] + given[b - 1].size();
    blocks_.resize(given.size());
    starts_.assign(given.size() * (ranges_ + 1), 0);
    parallel_for(given.size(), 1, [&](std::size_t b, std::size_t) {
      std::vector<std::uint64_t> next(ranges_ + 1, 0);
      std::size_t loops = 0;
      for (std::size_t i = 0; i < given[b].size(); ++i) {
        const Edge edge = given[b][i];
        if (edge.from >= nodes_ || edge.to >= nodes_) {
          throw DataError({.what = fmt::format("edge {} joins {} and {}", first[b] + i, edge.from, edge.to),
                           .where = where,
                           .expected = fmt::format("node ids below {}", nodes_)});
        }
        const bool loop = edge.from == edge.to;
        loops += loop ? 1 : 0;
        next[(edge.from >> shift_) + 1] += loop ? 0 : 1;
      }
      blocks_[b].resize(given[b].size() - loops);
      for (std::size_t r = 0; r < ranges_; ++r) next[r + 1] += next[r];
      std::copy(next.begin(), next.end(), starts_.begin() + static_cast<std::ptrdiff_t>(b * (ranges_ + 1)));
      for (const Edge& edge : given[b]) {
        if (edge.from != edge.to) blocks_[b][next[edge.from >> shift_]++] = edge;
      }
      edges.clear_block(b);
    });
  }

  template <End kRow>
  void sort_blocks() {
    if (ranges_ <= 1) return;
    parallel_for(blocks_.size(), 1, [&](std::size_t b, std::size_t) {
      std::vector<std::uint64_t> next(ranges_ + 1, 0);
      for (const Edge& edge : blocks_[b]) ++next[(edge.*kRow >> shift_) + 1];
      for (std::size_t r = 0; r < ranges_; ++r) next[r + 1] += next[r];
      std::copy(next.begin(), next.end(), starts_.begin() + static_cast<std::ptrdiff_t>(b * (ranges_ + 1)));
      std::vector<Edge> sorted(blocks_[b].size());
      for (const Edge& edge : blocks_[b]) sorted[next[edge.*kRow >> shift_]++] = edge;
      blocks_[b].swap(sorted);
    });
  }

  // Visits the edges whose row is in a range, range by range on all threads.
  template <typename Visit>
  void for_each_edge(const Visit& visit) const {
    parallel_for(ranges_, 1, [&](std::size_t range, std::size_t) {
      for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const std::uint64_t* start = &starts_[b * (ranges_ + 1) + range];
        for (std::uint64_t k = start[0]; k < start[1]; ++k) visit(blocks_[b][k]);
      }
    });
  }

  template <End kRow>
  void count(std::vector<std::uint64_t>& offsets) const {
    // One further than the row, so that summing up gives offsets; ranges meet in no element.
    for_each_edge([&](const Edge& edge) { ++offsets[std::size_t{edge.*kRow} + 1]; });
  }

  template <End kRow, End kColumn>
  void place(std::vector<std::uint64_t>& offsets, std::vector<NodeId>& neighbors) const {
    for_each_edge([&](const Edge& edge) { neighbors[offsets[edge.*kRow]++] = edge.*kColumn; });
  }

  // Sorts each row, drops repeats and closes the gaps.
  void sort_rows(std::vector<std::uint64_t>& offsets, std::vector<NodeId>& neighbors) const {
    std::vector<std::uint32_t> unique(nodes_);
    parallel_for(
        nodes_, std::max<std::size_t>(1024, nodes_ / 64 + 1), [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            const std::size_t size = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
            unique[i] = static_cast<std::uint32_t>(sort_unique({neighbors.data() + offsets[i], size}));
          }
        });
    std::uint64_t write = 0;
    for (std::size_t i = 0; i < nodes_; ++i) {
      const std::uint64_t read = offsets[i];
      if (read != write) {
        std::copy_n(neighbors.begin() + static_cast<std::ptrdiff_t>(read), unique[i],
                    neighbors.begin() + static_cast<std::ptrdiff_t>(write));
      }
      offsets[i] = write;
      write += unique[i];
    }
    offsets[nodes_] = write;
    neighbors.resize(write);
    // Files that list every edge both ways leave half of the room unused.
    if (neighbors.capacity() - neighbors.size() > neighbors.capacity() / 8) neighbors.shrink_to_fit();
  }

  std::size_t nodes_;
  bool undirected_;
  unsigned shift_ = 0;
  std::size_t ranges_ = 0;
  std::vector<std::vector<Edge>> blocks_;
  std::vector<std::uint64_t> starts_;  // per block, where each range begins in it
};

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
  RowBuilder builder(nodes, direction, edges.size());
  builder.build(std::move(edges), where, storage->offsets, storage->neighbors);
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
