#include "privet/graph/build_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/graph/mirror.hpp"

namespace privet::graph {
namespace {

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

// Two passes over memory. Rows are cut into ranges whose entries fit a cache. The first pass carries every
// entry to its range, the second sorts each range by row and each row by column and drops repeats. An
// undirected edge is carried once, to its lower end, and the rows are mirrored when they are sorted. Beside
// the edges and the result this takes six bytes per edge (the column, and the row within its range) at first
// and eight while mirroring.
//
// Pieces of edges and ranges of rows are worked on in parallel. Where an entry is carried to depends on the
// edges alone, and the outcome not even on that: rows end up sorted.
class RowBuilder {
 public:
  RowBuilder(std::size_t nodes, EdgeList edges, Direction direction, const std::string& where)
      : nodes_(nodes),
        undirected_(direction == Direction::undirected),
        edges_(std::move(edges)),
        where_(where) {
    constexpr std::size_t kEntriesPerRange = std::size_t{1} << 16;
    constexpr std::size_t kMostRanges = 256;
    const std::size_t wanted = std::clamp<std::size_t>(edges_.size() / kEntriesPerRange, 1, kMostRanges);
    while (shift_ < 16 && (nodes_ >> shift_) >= wanted) ++shift_;  // a row's place in its range has 16 bits
    ranges_ = nodes_ == 0 ? 0 : ((nodes_ - 1) >> shift_) + 1;
    cut_pieces();
    count();
  }

  CompressedRows build() {
    carry();
    lengths_.resize(nodes_);
    std::vector<std::uint64_t> kept(ranges_);
    // Several ranges share their scratch memory; pieces are small enough for threads to end together.
    parallel_for(ranges_, 4, [&](std::size_t first, std::size_t last) {
      Scratch scratch;
      for (std::size_t range = first; range < last; ++range) kept[range] = sort_range(range, scratch);
    });
    local_ = {};
    return undirected_ ? mirrored(kept) : joined(kept);
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

  // Calls visit(row, column) for the entries that the edges of a block are carried as.
  template <typename Visit>
  void for_each_entry(const std::vector<Edge>& block, const Visit& visit) const {
    for (const Edge& edge : block) {
      if (edge.from == edge.to) continue;
      if (undirected_) {
        visit(std::min(edge.from, edge.to), std::max(edge.from, edge.to));
      } else {
        visit(edge.from, edge.to);
      }
    }
  }

  // Checks the ids, and counts entries to learn where each piece puts those of each range.
  void count() {
    place_.assign(pieces_.size() * ranges_, 0);
    parallel_for(pieces_.size(), 1, [&](std::size_t p, std::size_t) {
      std::uint64_t* const counts = place_.data() + p * ranges_;
      std::size_t index = pieces_[p].first_edge;
      for (std::size_t b = pieces_[p].first_block; b < pieces_[p].last_block; ++b) {
        for (const Edge& edge : edges_.blocks()[b]) {
          if (edge.from >= nodes_ || edge.to >= nodes_) {
            throw DataError({.what = fmt::format("edge {} joins {} and {}", index, edge.from, edge.to),
                             .where = where_,
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

  void carry() {
    columns_.resize(range_begin_[ranges_]);
    local_.resize(range_begin_[ranges_]);
    const NodeId mask = (NodeId{1} << shift_) - 1;
    parallel_for(pieces_.size(), 1, [&](std::size_t p, std::size_t) {
      std::uint64_t* const place = place_.data() + p * ranges_;
      for (std::size_t b = pieces_[p].first_block; b < pieces_[p].last_block; ++b) {
        for_each_entry(edges_.blocks()[b], [&](NodeId row, NodeId column) {
          const std::uint64_t at = place[row >> shift_]++;
          columns_[at] = column;
          local_[at] = static_cast<std::uint16_t>(row & mask);
        });
        edges_.clear_block(b);
      }
    });
  }

  [[nodiscard]] std::pair<std::size_t, std::size_t> rows_of(std::size_t range) const {
    return {range << shift_, std::min(nodes_, (range + 1) << shift_)};
  }

  // Sorts the entries of a range to its front, writes down the length of each row, and returns how many
  // entries there are without repeats.
  std::uint64_t sort_range(std::size_t range, Scratch& scratch) {
    const auto [first_row, last_row] = rows_of(range);
    const std::uint64_t begin = range_begin_[range];
    const std::uint64_t size = range_begin_[range + 1] - begin;
    const std::uint16_t* const local = local_.data() + begin;
    NodeId* const entries = columns_.data() + begin;
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
      lengths_[first_row + i] = static_cast<std::uint32_t>(kept);
      write += kept;
      row_begin = next[i];
    }
    return write;
  }

  [[nodiscard]] CompressedRows mirrored(const std::vector<std::uint64_t>& kept) const {
    std::vector<UpperRows> pieces;
    for (std::size_t range = 0; range < ranges_; ++range) {
      const auto [first_row, last_row] = rows_of(range);
      pieces.push_back({.first_row = static_cast<NodeId>(first_row),
                        .lengths = std::span(lengths_).subspan(first_row, last_row - first_row),
                        .columns = std::span(columns_).subspan(range_begin_[range], kept[range])});
    }
    return mirror(nodes_, pieces, where_);
  }

  [[nodiscard]] CompressedRows joined(const std::vector<std::uint64_t>& kept) {
    CompressedRows rows;
    std::uint64_t write = 0;
    for (std::size_t range = 0; range < ranges_; ++range) {
      const auto from = columns_.begin() + static_cast<std::ptrdiff_t>(range_begin_[range]);
      if (write != range_begin_[range]) {
        std::copy_n(from, kept[range], columns_.begin() + static_cast<std::ptrdiff_t>(write));
      }
      write += kept[range];
    }
    columns_.resize(write);
    // Files that list every edge many times leave much of the room unused.
    if (columns_.capacity() - columns_.size() > columns_.capacity() / 8) columns_.shrink_to_fit();
    rows.neighbors = std::move(columns_);
    rows.offsets.resize(nodes_ + 1);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < nodes_; ++i) {
      rows.offsets[i] = sum;
      sum += lengths_[i];
    }
    rows.offsets[nodes_] = sum;
    return rows;
  }

  std::size_t nodes_;
  bool undirected_;
  EdgeList edges_;
  const std::string& where_;
  unsigned shift_ = 0;
  std::size_t ranges_ = 0;
  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> range_begin_;
  std::vector<std::uint64_t> place_;  // where each piece puts its next entry of each range
  LargeVector<NodeId> columns_;
  LargeVector<std::uint16_t> local_;
  LargeVector<std::uint32_t> lengths_;
};

}  // namespace

CompressedRows build_rows(std::size_t nodes, EdgeList edges, Direction direction, const std::string& where) {
  return RowBuilder(nodes, std::move(edges), direction, where).build();
}

}  // namespace privet::graph
