#include "privet/methods/lists/soft_aggregation.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "privet/base/parallel.hpp"
#include "privet/tensor/matrix.hpp"
#include "privet/tensor/row_pieces.hpp"
#include "privet/tensor/tile_product.hpp"

namespace privet::methods {
namespace {

constexpr std::size_t kTileRows = 128;
constexpr std::size_t kTileColumns = 512;
constexpr std::size_t kListedColumns = 1024;
// Differences beyond this are where S is larger than a probability can be: rounding takes a share of S, so of
// a row's they may add up to so many mean rows of P, far less than what is left out at rounding's 6e-8.
constexpr float kLargeDifference = 2;
constexpr double kMostLarge = 32;
// A stride that is no power of 2: else the numbers of a column all want the same places in the cache.
constexpr std::size_t kTileStride = kTileColumns + 16;
constexpr std::size_t kTileSize = kTileRows * kTileStride;
// Columns are filled up with zeros to a multiple of this, which vectors divide.
constexpr std::size_t kColumns = 8;
// Sums of their own, added up in order at the end.
constexpr std::size_t kShares = 4;

std::size_t blocks_of(std::size_t nodes) { return (nodes + kTileRows - 1) / kTileRows; }

// From the diagonal to the last column.
std::size_t tiles_of(std::size_t nodes, std::size_t block, std::size_t tile_columns = kTileColumns) {
  return (nodes - block * kTileRows + tile_columns - 1) / tile_columns;
}

// Where the k-th tile of a block of rows lies in the matrix.
struct Place {
  Place(std::size_t nodes, std::size_t block, std::size_t tile, std::size_t tile_columns = kTileColumns)
      : row(block * kTileRows),
        rows(std::min(kTileRows, nodes - row)),
        column(row + tile * tile_columns),
        columns(std::min(tile_columns, nodes - column)) {}
  // How many of the first columns are not above the diagonal in row r of the tile.
  [[nodiscard]] std::size_t below(std::size_t r) const {
    return row + r >= column ? std::min(row + r + 1 - column, columns) : 0;
  }
  std::size_t row;
  std::size_t rows;
  std::size_t column;
  std::size_t columns;
};

// Where in the evidence of the rows of a block the tiles of a triangle go on from.
using Cursors = std::vector<std::size_t>;

// Above the diagonal (of the lower triangle, turned); the rest of the tile is 0.
void make_tile(const LinkPosterior& links, const Place& place, Triangle triangle, Cursors& cursors,
               const tensor::MatrixView& tile) {
  for (std::size_t r = 0; r < place.rows; ++r) {
    const std::span<float> row = tile.row(r);
    const std::size_t skipped = place.below(r);
    std::fill_n(row.begin(), skipped, 0.0F);
    if (skipped < place.columns)
      links.upper_row(place.row + r, place.column + skipped, row.subspan(skipped), cursors[r], triangle);
  }
}

tensor::MatrixView tile_at(float* memory, const Place& place) {
  return {memory, place.rows, place.columns, kTileStride};
}

}  // namespace

struct SoftAggregation::Share {
  tensor::Matrix sums;
  tensor::Matrix down;  // of the rows of one block, which lie among the columns of its first tile too
  tensor::Matrix tile = tensor::Matrix(kTileRows, kTileStride);

  [[nodiscard]] tensor::MatrixView down_of(const Place& place) {
    return tensor::MatrixView(down).row_range(0, place.rows);
  }
};

SoftAggregation::SoftAggregation(std::shared_ptr<const LinkPosterior> links, Plain)
    : links_(std::move(links)), diagonal_(links_->nodes()) {
  for (std::size_t i = 0; i < diagonal_.size(); ++i) diagonal_[i] = static_cast<float>(links_->at(i, i));
}

SoftAggregation::SoftAggregation(std::shared_ptr<const LinkPosterior> links)
    : SoftAggregation(std::move(links), Plain()) {
  smooth_ = SmoothLinks::of(*links_);
  if (smooth_ && list_differences(*smooth_)) return;
  *this = by_tiles(links_);
}

SoftAggregation SoftAggregation::by_tiles(std::shared_ptr<const LinkPosterior> links, std::size_t memory) {
  SoftAggregation result(std::move(links), Plain());
  result.keep_tiles(memory);
  return result;
}

std::optional<std::size_t> SoftAggregation::listed() const {
  if (!smooth_) return {};
  std::size_t count = 0;
  for (const Differences& one : differences_) count += one.values.size();
  return count;
}

void SoftAggregation::keep_tiles(std::size_t memory) {
  const std::size_t n = links_->nodes();
  const std::span<const Triangle> triangles = links_->triangles();
  std::size_t left = memory / sizeof(float) * triangles.size();
  for (std::size_t block = 0; block < blocks_of(n); ++block) {
    const std::size_t size = tiles_of(n, block) * triangles.size() * kTileSize;
    if (size > left) break;
    left -= size;
    kept_.emplace_back(size);
  }
  parallel_for(kept_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      float* tile = kept_[block].data();
      for (const Triangle triangle : triangles) {
        Cursors cursors(kTileRows, 0);
        for (std::size_t t = 0; t < tiles_of(n, block); ++t, tile += kTileSize) {
          const Place place(n, block, t);
          make_tile(*links_, place, triangle, cursors, tile_at(tile, place));
        }
      }
    }
  });
}

// False where they are too many, or S is too large for its differences.
bool SoftAggregation::list_differences(const SmoothLinks& smooth) {
  const std::size_t n = links_->nodes();
  const double pairs = static_cast<double>(n) * static_cast<double>(n);
  const auto tolerance = static_cast<float>(kTolerance * 2 * links_->total() / pairs);
  const auto most = std::min(static_cast<std::size_t>(kMostListed * pairs / 2),
                             kMemory / (sizeof(std::uint16_t) + sizeof(float)));
  differences_.resize(blocks_of(n));
  std::atomic<std::size_t> listed = 0;
  std::atomic<bool> fits = true;
  parallel_for(differences_.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::vector<float> row(kListedColumns);
    std::vector<float> near(kListedColumns);
    for (std::size_t block = begin; block < end && fits; ++block) {
      Differences& differences = differences_[block];
      Cursors cursors(kTileRows, 0);
      for (std::size_t t = 0; t < tiles_of(n, block, kListedColumns); ++t) {
        const Place place(n, block, t, kListedColumns);
        const std::size_t before = differences.values.size();
        for (std::size_t r = 0; r < place.rows; ++r) {
          const std::size_t skipped = place.below(r);
          const std::size_t width = place.columns - skipped;
          const std::span<float> exact = std::span(row).first(width);
          const std::span<float> smoothed = std::span(near).first(width);
          if (width > 0) {
            links_->upper_row(place.row + r, place.column + skipped, exact, cursors[r]);
            smooth.row(place.row + r, place.column + skipped, smoothed);
          }
          for (std::size_t j = 0; j < width; ++j) {
            const float difference = exact[j] - smoothed[j];
            if (std::abs(difference) <= tolerance) continue;
            differences.columns.push_back(static_cast<std::uint16_t>(skipped + j));
            differences.values.push_back(difference);
          }
          differences.ends.push_back(static_cast<std::uint32_t>(differences.values.size() - before));
        }
      }
      differences.columns.shrink_to_fit();
      differences.values.shrink_to_fit();
      if ((listed += differences.values.size()) > most) fits = false;
    }
  });
  for (std::size_t i = 0; i < n && fits; ++i) {
    float own = 0;
    smooth.row(i, i, {&own, 1});
    diagonal_[i] -= own;
  }
  return fits && !loses_to_rounding();
}

bool SoftAggregation::loses_to_rounding() const {
  const std::size_t n = links_->nodes();
  const double mean_row = 2 * links_->total() / static_cast<double>(n);
  std::vector<double> large(n);
  const auto add = [&large](std::size_t i, float difference) {
    // A comparison turned round, so that what is no number is large.
    if (!(std::abs(difference) <= kLargeDifference)) large[i] += std::abs(static_cast<double>(difference));
  };
  for (std::size_t i = 0; i < n; ++i) add(i, diagonal_[i]);
  for (std::size_t block = 0; block < differences_.size(); ++block) {
    const Differences& differences = differences_[block];
    std::size_t k = 0;
    std::size_t tile_end = 0;
    auto end = differences.ends.begin();
    for (std::size_t t = 0; t < tiles_of(n, block, kListedColumns); ++t) {
      const Place place(n, block, t, kListedColumns);
      const std::size_t tile_begin = tile_end;
      for (std::size_t r = 0; r < place.rows; ++r) {
        tile_end = tile_begin + *end++;
        for (; k < tile_end; ++k) {
          add(place.row + r, differences.values[k]);
          add(place.column + differences.columns[k], differences.values[k]);
        }
      }
    }
  }
  return std::ranges::any_of(large, [&](double sum) { return !(sum <= kMostLarge * mean_row); });
}

void SoftAggregation::add_tiles(const tensor::ConstMatrixView& x, std::size_t block, Side side,
                                Share& share) const {
  const float* kept = block < kept_.size() ? kept_[block].data() : nullptr;
  for (const Triangle triangle : links_->triangles()) {
    Cursors cursors(kTileRows, 0);
    for (std::size_t t = 0; t < tiles_of(links_->nodes(), block); ++t) {
      const Place place(links_->nodes(), block, t);
      const float* numbers = share.tile.values().data();
      if (kept != nullptr) {
        numbers = kept;
        kept += kTileSize;
      } else {
        make_tile(*links_, place, triangle, cursors, tile_at(share.tile.values().data(), place));
      }
      const tensor::ConstMatrixView tile(numbers, place.rows, place.columns, kTileStride);
      const tensor::ConstMatrixView across = x.row_range(place.column, place.columns);
      const tensor::ConstMatrixView beside = x.row_range(place.row, place.rows);
      const tensor::MatrixView turned = tensor::MatrixView(share.sums).row_range(place.column, place.columns);
      if (links_->symmetric()) {
        tensor::add_tile_products(tile, across, share.down_of(place), beside, turned);
      } else if ((triangle == Triangle::upper) == (side == Side::rows)) {
        tensor::add_tile_product(tile, across, share.down_of(place));
      } else {
        tensor::add_turned_tile_product(tile, beside, turned);
      }
    }
  }
}

void SoftAggregation::add_differences(const tensor::ConstMatrixView& x, std::size_t block,
                                      Share& share) const {
  const Differences& differences = differences_[block];
  const std::span<const std::uint16_t> columns = differences.columns;
  const std::span<const float> values = differences.values;
  std::span<const std::uint32_t> ends = differences.ends;
  std::size_t first = 0;
  for (std::size_t t = 0; t < tiles_of(links_->nodes(), block, kListedColumns); ++t) {
    const Place place(links_->nodes(), block, t, kListedColumns);
    const std::size_t count = ends[place.rows - 1];
    tensor::add_listed_products({.ends = ends.first(place.rows),
                                 .columns = columns.subspan(first, count),
                                 .values = values.subspan(first, count)},
                                x.row_range(place.column, place.columns), share.down_of(place),
                                x.row_range(place.row, place.rows),
                                tensor::MatrixView(share.sums).row_range(place.column, place.columns));
    first += count;
    ends = ends.subspan(place.rows);
  }
}

void SoftAggregation::gather(const tensor::ConstMatrixView& x, const tensor::MatrixView& out,
                             Side side) const {
  const std::size_t n = links_->nodes();
  tensor::require_sizes(x.rows == n && out.rows == n && x.columns == out.columns, "soft aggregation");
  tensor::Matrix filled(n, (x.columns + kColumns - 1) / kColumns * kColumns);
  for (std::size_t i = 0; i < n; ++i) std::ranges::copy(x.row(i), filled.row(i).begin());
  std::vector<Share> shares(kShares);
  parallel_for(kShares, 1, [&](std::size_t s, std::size_t) {
    Share& share = shares[s];
    share.sums = tensor::Matrix(n, filled.columns());
    share.down = tensor::Matrix(kTileRows, filled.columns());
    // Blocks from the top have long rows, those from the bottom short ones: each share gets both.
    for (std::size_t block = 0; block < blocks_of(n); ++block) {
      const std::size_t turn = block % (2 * kShares);
      if (std::min(turn, 2 * kShares - 1 - turn) != s) continue;
      std::ranges::fill(share.down.values(), 0.0F);
      if (smooth_) {
        add_differences(filled, block, share);
      } else {
        add_tiles(filled, block, side, share);
      }
      const std::size_t first_row = block * kTileRows;
      for (std::size_t r = 0; r < std::min(kTileRows, n - first_row); ++r) {
        for (std::size_t a = 0; a < filled.columns(); ++a) share.sums(first_row + r, a) += share.down(r, a);
      }
    }
  });
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<float> row = out.row(i);
    for (std::size_t a = 0; a < row.size(); ++a) {
      float sum = diagonal_[i] * filled(i, a);
      for (const Share& share : shares) sum += share.sums(i, a);
      row[a] = sum;
    }
  }
  if (smooth_) smooth_->add_product(x, out);
}

}  // namespace privet::methods
