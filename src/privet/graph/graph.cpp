#include "privet/graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
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
  bool repeats = false;
  for (std::size_t i = 0; i < size; ++i) repeats |= sorted[i] == kEmpty;
  if (!repeats) {
    for (std::size_t i = 0; i < size; ++i) row[i] = static_cast<NodeId>(sorted[i]);
    return size;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size; ++i) {
    row[kept] = static_cast<NodeId>(sorted[i]);
    kept += sorted[i] != kEmpty ? 1 : 0;
  }
  return kept;
}

// Builds compressed rows from edges in two passes over memory. Rows are cut into ranges whose entries fit a
// cache. The first pass carries every entry to its range, the second sorts each range by row and each row by
// column and drops repeats. Beside the edges and the result this takes two bytes per entry: the row within
// its range.
//
// Pieces of edges and ranges of rows are worked on in parallel. Where an entry is carried to depends on the
// edges alone, and the outcome not even on that: rows end up sorted.
class RowBuilder {
 public:
  RowBuilder(std::size_t nodes, EdgeList edges, Direction direction, const std::string& where)
      : nodes_(nodes), undirected_(direction == Direction::undirected), edges_(std::move(edges)) {
    constexpr std::size_t kEntriesPerRange = std::size_t{1} << 17;
    constexpr std::size_t kMostRanges = 256;
    const std::size_t wanted = std::clamp<std::size_t>(2 * edges_.size() / kEntriesPerRange, 1, kMostRanges);
    while (shift_ < 16 && (nodes_ >> shift_) >= wanted) ++shift_;  // a row's place in its range has 16 bits
    ranges_ = nodes_ == 0 ? 0 : ((nodes_ - 1) >> shift_) + 1;
    cut_pieces();
    count(where);
  }

  void build(std::vector<std::uint64_t>& offsets, std::vector<NodeId>& neighbors) {
    neighbors.resize(range_begin_[ranges_]);
    carry(neighbors);
    offsets.assign(nodes_ + 1, 0);
    std::vector<std::uint64_t> kept(ranges_);
    // Several ranges share their scratch memory; pieces are small enough for threads to end together.
    parallel_for(ranges_, 4, [&](std::size_t first, std::size_t last) {
      Scratch scratch;
      for (std::size_t range = first; range < last; ++range) {
        kept[range] = sort_range(range, scratch, offsets, neighbors);
      }
    });
    local_.reset();
    close_gaps(kept, offsets, neighbors);
  }

 private:
  struct Scratch {
    std::vector<std::uint64_t> next;  // where the next entry of each row goes
    std::vector<NodeId> carried;
  };

  // Whole blocks, gathered until they are worth a piece of work.
  struct Piece {
    std::size_t first_block = 0;
    std::size_t last_block = 0;
    std::size_t first_edge = 0;
  };

  void cut_pieces() {
    constexpr std::size_t kEdgesPerPiece = std::size_t{1} << 16;
    std::size_t edge = 0;
    std::size_t held = kEdgesPerPiece;
    for (std::size_t b = 0; b < edges_.blocks().size(); ++b) {
      if (held >= kEdgesPerPiece) {
        pieces_.push_back({.first_block = b, .last_block = b, .first_edge = edge});
        held = 0;
      }
      pieces_.back().last_block = b + 1;
      held += edges_.blocks()[b].size();
      edge += edges_.blocks()[b].size();
    }
  }

  // Calls visit(row, column) for the entries that the edges of a block stand for.
  template <typename Visit>
  void for_each_entry(const std::vector<Edge>& block, const Visit& visit) const {
    for (const Edge& edge : block) {
      if (edge.from == edge.to) continue;
      visit(edge.from, edge.to);
      if (undirected_) visit(edge.to, edge.from);
    }
  }

  // Checks the ids, and counts entries to learn where each piece puts those of each range.
  void count(const std::string& where) {
    place_.assign(pieces_.size() * ranges_, 0);
    parallel_for(pieces_.size(), 1, [&](std::size_t p, std::size_t) {
      std::uint64_t* const counts = place_.data() + p * ranges_;
      std::size_t index = pieces_[p].first_edge;
      for (std::size_t b = pieces_[p].first_block; b < pieces_[p].last_block; ++b) {
        for (const Edge& edge : edges_.blocks()[b]) {
          if (edge.from >= nodes_ || edge.to >= nodes_) {
            throw DataError({.what = fmt::format("edge {} joins {} and {}", index, edge.from, edge.to),
                             .where = where,
                             .expected = fmt::format("node ids below {}", nodes_)});
          }
          ++index;
        }
        for_each_entry(edges_.blocks()[b], [&](NodeId row, NodeId) { ++counts[row >> shift_]; });
      }
    });
    range_begin_.assign(ranges_ + 1, 0);
    std::uint64_t next = 0;
    for (std::size_t range = 0; range < ranges_; ++range) {
      range_begin_[range] = next;
      for (std::size_t p = 0; p < pieces_.size(); ++p) {
        next += std::exchange(place_[p * ranges_ + range], next);
      }
    }
    range_begin_[ranges_] = next;
  }

  void carry(std::vector<NodeId>& neighbors) {
    local_ = std::make_unique_for_overwrite<std::uint16_t[]>(neighbors.size());
    const NodeId mask = (NodeId{1} << shift_) - 1;
    parallel_for(pieces_.size(), 1, [&](std::size_t p, std::size_t) {
      std::uint64_t* const place = place_.data() + p * ranges_;
      for (std::size_t b = pieces_[p].first_block; b < pieces_[p].last_block; ++b) {
        for_each_entry(edges_.blocks()[b], [&](NodeId row, NodeId column) {
          const std::uint64_t at = place[row >> shift_]++;
          neighbors[at] = column;
          local_[at] = static_cast<std::uint16_t>(row & mask);
        });
        edges_.clear_block(b);
      }
    });
  }

  // Sorts the entries of a range to its front, leaves the length of each row in `offsets`, and returns how
  // many entries there are without repeats.
  std::uint64_t sort_range(std::size_t range, Scratch& scratch, std::vector<std::uint64_t>& offsets,
                           std::vector<NodeId>& neighbors) const {
    const std::size_t first_row = range << shift_;
    const std::size_t last_row = std::min(nodes_, (range + 1) << shift_);
    const std::uint64_t begin = range_begin_[range];
    const std::uint64_t size = range_begin_[range + 1] - begin;
    if (size == 0) return 0;
    const std::uint16_t* const local = local_.get() + begin;
    NodeId* const entries = neighbors.data() + begin;
    std::vector<std::uint64_t>& next = scratch.next;
    next.assign(last_row - first_row, 0);
    for (std::uint64_t k = 0; k < size; ++k) ++next[local[k]];
    std::uint64_t sum = 0;
    for (std::uint64_t& place : next) sum += std::exchange(place, sum);
    scratch.carried.assign(entries, entries + size);
    for (std::uint64_t k = 0; k < size; ++k) entries[next[local[k]]++] = scratch.carried[k];
    // Each row's place has moved to where the row ends.
    std::uint64_t row_begin = 0;
    std::uint64_t write = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const std::size_t kept =
          sort_unique({entries + row_begin, static_cast<std::size_t>(next[i] - row_begin)});
      if (write != row_begin) std::copy_n(entries + row_begin, kept, entries + write);
      offsets[first_row + i] = kept;
      write += kept;
      row_begin = next[i];
    }
    return write;
  }

  void close_gaps(const std::vector<std::uint64_t>& kept, std::vector<std::uint64_t>& offsets,
                  std::vector<NodeId>& neighbors) const {
    std::uint64_t write = 0;
    for (std::size_t range = 0; range < ranges_; ++range) {
      const auto from = neighbors.begin() + static_cast<std::ptrdiff_t>(range_begin_[range]);
      if (write != range_begin_[range]) {
        std::copy_n(from, kept[range], neighbors.begin() + static_cast<std::ptrdiff_t>(write));
      }
      write += kept[range];
    }
    neighbors.resize(write);
    // Files that list every edge both ways leave half of the room unused.
    if (neighbors.capacity() - neighbors.size() > neighbors.capacity() / 8) neighbors.shrink_to_fit();
    std::uint64_t sum = 0;
    for (std::uint64_t& offset : offsets) sum += std::exchange(offset, sum);
  }

  std::size_t nodes_;
  bool undirected_;
  EdgeList edges_;
  unsigned shift_ = 0;
  std::size_t ranges_ = 0;
  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> range_begin_;
  std::vector<std::uint64_t> place_;  // where each piece puts its next entry of each range
  std::unique_ptr<std::uint16_t[]> local_;
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
  RowBuilder(nodes, std::move(edges), direction, where).build(storage->offsets, storage->neighbors);
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
