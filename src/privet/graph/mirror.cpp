#include "privet/graph/mirror.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

namespace privet::graph {
namespace {

// A pair on its way to the row of its column is a row within a source and a column within a range, of 16 bits
// each.
constexpr unsigned kLocalBits = 16;
constexpr std::size_t kMostRows = std::size_t{1} << kLocalBits;

// A part of a piece, and of the pairs on their way: those of a source lie together, range by range.
struct Source {
  std::size_t first_row = 0;
  std::span<const std::uint32_t> lengths;
  std::span<const NodeId> columns;
  std::uint64_t begin = 0;
};

class Mirror {
 public:
  Mirror(std::size_t nodes, std::span<const UpperRows> pieces, const std::string& where)
      : nodes_(nodes), where_(where) {
    std::uint64_t pairs = 0;
    for (const UpperRows& piece : pieces) {
      if (piece.first_row != row_end_of_sources()) fail(piece.first_row, "is not the next");
      add_sources(piece, pairs);
    }
    if (row_end_of_sources() != nodes_) fail(row_end_of_sources(), "is missing");
    // Ranges small enough for the entries of one to stay in a cache.
    constexpr std::uint64_t kEntriesPerRange = std::uint64_t{1} << 16;
    const std::size_t wanted = 2 * pairs / kEntriesPerRange + 1;
    while (shift_ < kLocalBits && (nodes_ >> shift_) >= wanted) ++shift_;
    ranges_ = nodes_ == 0 ? 0 : ((nodes_ - 1) >> shift_) + 1;
    cells_.resize(sources_.size() * (ranges_ + 1));
    on_their_way_.resize(pairs);
  }

  CompressedRows build() {
    parallel_for(sources_.size(), 1, [&](std::size_t s, std::size_t) { send(s); });
    const std::vector<std::uint64_t> begins = range_begins();
    CompressedRows rows;
    rows.offsets.resize(nodes_ + 1);
    rows.neighbors.resize(begins.back());
    parallel_for(ranges_, 4, [&](std::size_t first, std::size_t last) {
      std::vector<std::uint64_t> next;
      for (std::size_t range = first; range < last; ++range) receive(range, begins[range], next, rows);
    });
    rows.offsets[nodes_] = begins.back();
    return rows;
  }

 private:
  [[noreturn]] void fail(std::size_t row, const char* what) const {
    throw DataError(
        {.what = fmt::format("row {} {}", row, what),
         .where = where_,
         .expected = fmt::format("rows 0 to {} of the upper triangle, columns ascending", nodes_ - 1)});
  }

  [[nodiscard]] std::size_t row_end_of_sources() const {
    return sources_.empty() ? 0 : sources_.back().first_row + sources_.back().lengths.size();
  }

  void add_sources(const UpperRows& piece, std::uint64_t& pairs) {
    constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 31;  // with one more row they fit 32 bits
    std::uint64_t used = 0;
    for (std::size_t row = 0; row < piece.lengths.size();) {
      std::size_t rows = 0;
      std::uint64_t size = 0;
      for (; rows < kMostRows && row + rows < piece.lengths.size() && size < kMostPairs; ++rows) {
        size += piece.lengths[row + rows];
      }
      if (size > piece.columns.size() - used) fail(piece.first_row + row, "is cut short");
      sources_.push_back({piece.first_row + row, piece.lengths.subspan(row, rows),
                          piece.columns.subspan(used, size), pairs});
      used += size;
      pairs += size;
      row += rows;
    }
    if (used != piece.columns.size()) fail(row_end_of_sources(), "has no length");
  }

  // Where the pairs of a source begin that go to a range, from the source's beginning.
  [[nodiscard]] std::uint32_t* cells_of(std::size_t source) { return cells_.data() + source * (ranges_ + 1); }
  [[nodiscard]] const std::uint32_t* cells_of(std::size_t source) const {
    return cells_.data() + source * (ranges_ + 1);
  }

  void send(std::size_t s) {
    const Source& source = sources_[s];
    std::vector<std::uint32_t> next(ranges_);
    const NodeId* column = source.columns.data();
    for (std::size_t i = 0; i < source.lengths.size(); ++i) {
      std::size_t before = source.first_row + i;
      bool rising = true;
      for (const NodeId* const end = column + source.lengths[i]; column < end; ++column) {
        rising &= *column > before;
        before = *column;
        if (before >= nodes_) fail(source.first_row + i, "has a column that is no node");
        ++next[before >> shift_];
      }
      if (!rising) fail(source.first_row + i, "does not ascend above itself");
    }
    std::uint32_t sum = 0;
    for (std::uint32_t& count : next) sum += std::exchange(count, sum);
    std::copy(next.begin(), next.end(), cells_of(s));
    cells_of(s)[ranges_] = sum;
    const NodeId mask = (NodeId{1} << shift_) - 1;
    std::uint32_t* const out = on_their_way_.data() + source.begin;
    column = source.columns.data();
    for (std::size_t i = 0; i < source.lengths.size(); ++i) {
      const auto row = static_cast<std::uint32_t>(i << kLocalBits);
      for (const NodeId* const end = column + source.lengths[i]; column < end; ++column) {
        out[next[*column >> shift_]++] = row | (*column & mask);
      }
    }
  }

  std::vector<std::uint64_t> range_begins() const {
    std::vector<std::uint64_t> begins(ranges_ + 1);
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      const std::uint32_t* const cells = cells_of(s);
      for (std::size_t range = 0; range < ranges_; ++range) begins[range] += cells[range + 1] - cells[range];
      const Source& source = sources_[s];
      for (std::size_t i = 0; i < source.lengths.size();) {
        const std::size_t range = (source.first_row + i) >> shift_;
        const std::size_t end = std::min(source.lengths.size(), ((range + 1) << shift_) - source.first_row);
        for (; i < end; ++i) begins[range] += source.lengths[i];
      }
    }
    std::uint64_t sum = 0;
    for (std::uint64_t& begin : begins) sum += std::exchange(begin, sum);
    return begins;
  }

  // Rows are first what comes from rows above, then their own columns.
  void receive(std::size_t range, std::uint64_t begin, std::vector<std::uint64_t>& next,
               CompressedRows& rows) const {
    const std::size_t first_row = range << shift_;
    const std::size_t last_row = std::min(nodes_, (range + 1) << shift_);
    constexpr std::uint32_t kColumn = (std::uint32_t{1} << kLocalBits) - 1;
    next.assign(last_row - first_row, 0);
    const auto for_each_sent = [&](const auto& visit) {
      for (std::size_t s = 0; s < sources_.size() && sources_[s].first_row < last_row; ++s) {
        const std::uint32_t* const from = on_their_way_.data() + sources_[s].begin;
        const auto source_row = static_cast<NodeId>(sources_[s].first_row);
        const std::uint32_t* const end = from + cells_of(s)[range + 1];
        for (const std::uint32_t* pair = from + cells_of(s)[range]; pair < end; ++pair) {
          visit(*pair & kColumn, source_row + (*pair >> kLocalBits));
        }
      }
    };
    for_each_sent([&](std::uint32_t column, NodeId) { ++next[column]; });

    const auto first_source = std::prev(
        std::upper_bound(sources_.begin(), sources_.end(), first_row,
                         [](std::size_t row, const Source& source) { return row < source.first_row; }));
    const std::size_t skipped = first_row - first_source->first_row;
    const NodeId* own = first_source->columns.data() +
                        std::accumulate(first_source->lengths.begin(),
                                        first_source->lengths.begin() + static_cast<std::ptrdiff_t>(skipped),
                                        std::uint64_t{0});
    NodeId* const out = rows.neighbors.data() + begin;
    std::uint64_t write = 0;
    auto source = first_source;
    for (std::size_t row = first_row; row < last_row; ++row) {
      while (row >= source->first_row + source->lengths.size()) own = (++source)->columns.data();
      const std::uint32_t length = source->lengths[row - source->first_row];
      rows.offsets[row] = begin + write;
      const std::uint64_t place = write;
      write += std::exchange(next[row - first_row], place);
      for (const NodeId* const end = own + length; own < end; ++own) out[write++] = *own;
    }
    for_each_sent([&](std::uint32_t column, NodeId row) { out[next[column]++] = row; });
  }

  std::size_t nodes_;
  const std::string& where_;
  std::vector<Source> sources_;
  unsigned shift_ = 0;
  std::size_t ranges_ = 0;
  std::vector<std::uint32_t> cells_;
  LargeVector<std::uint32_t> on_their_way_;
};

}  // namespace

CompressedRows mirror(std::size_t nodes, std::span<const UpperRows> pieces, const std::string& where) {
  return Mirror(nodes, pieces, where).build();
}

}  // namespace privet::graph
