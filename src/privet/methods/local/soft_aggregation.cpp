#include "privet/methods/local/soft_aggregation.hpp"

#include <algorithm>
#include <utility>

#include "privet/base/parallel.hpp"
#include "privet/tensor/matrix.hpp"
#include "privet/tensor/row_pieces.hpp"
#include "privet/tensor/tile_product.hpp"

namespace privet::methods {
namespace {

constexpr std::size_t kTileRows = 128;
constexpr std::size_t kTileColumns = 512;
// A stride that is no power of 2: else the numbers of a column all want the same places in the cache.
constexpr std::size_t kTileStride = kTileColumns + 16;
constexpr std::size_t kTileSize = kTileRows * kTileStride;
// Columns are filled up with zeros to a multiple of this, which vectors divide.
constexpr std::size_t kColumns = 8;
// Sums of their own, added up in order at the end.
constexpr std::size_t kShares = 4;

std::size_t blocks_of(std::size_t nodes) { return (nodes + kTileRows - 1) / kTileRows; }

// From the diagonal to the last column.
std::size_t tiles_of(std::size_t nodes, std::size_t block) {
  return (nodes - block * kTileRows + kTileColumns - 1) / kTileColumns;
}

// Where the k-th tile of a block of rows lies in the matrix.
struct Place {
  Place(std::size_t nodes, std::size_t block, std::size_t tile)
      : row(block * kTileRows),
        rows(std::min(kTileRows, nodes - row)),
        column(row + tile * kTileColumns),
        columns(std::min(kTileColumns, nodes - column)) {}
  std::size_t row;
  std::size_t rows;
  std::size_t column;
  std::size_t columns;
};

// Above the diagonal; the rest of the tile is 0. One cursor into the evidence for each row, moved along.
void make_tile(const LinkPosterior& links, const Place& place, std::span<std::size_t> cursors,
               const tensor::MatrixView& tile) {
  for (std::size_t r = 0; r < place.rows; ++r) {
    const std::size_t i = place.row + r;
    const std::span<float> row = tile.row(r);
    const std::size_t skipped = i >= place.column ? std::min(i + 1 - place.column, place.columns) : 0;
    std::fill_n(row.begin(), skipped, 0.0F);
    if (skipped < place.columns) links.upper_row(i, place.column + skipped, row.subspan(skipped), cursors[r]);
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
};

SoftAggregation::SoftAggregation(std::shared_ptr<const LinkPosterior> links, std::size_t memory)
    : links_(std::move(links)), diagonal_(links_->nodes()) {
  const std::size_t n = links_->nodes();
  for (std::size_t i = 0; i < n; ++i) diagonal_[i] = static_cast<float>(links_->at(i, i));
  std::size_t left = memory / sizeof(float);
  for (std::size_t block = 0; block < blocks_of(n); ++block) {
    const std::size_t size = tiles_of(n, block) * kTileSize;
    if (size > left) break;
    left -= size;
    kept_.emplace_back(size);
  }
  parallel_for(kept_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      std::vector<std::size_t> cursors(kTileRows, 0);
      for (std::size_t t = 0; t < tiles_of(n, block); ++t) {
        const Place place(n, block, t);
        make_tile(*links_, place, cursors, tile_at(kept_[block].data() + t * kTileSize, place));
      }
    }
  });
}

void SoftAggregation::add_row_block(const tensor::ConstMatrixView& x, std::size_t block, Share& share) const {
  const std::size_t n = links_->nodes();
  const tensor::MatrixView sums = share.sums;
  std::ranges::fill(share.down.values(), 0.0F);
  const std::size_t first_row = block * kTileRows;
  const std::size_t rows = std::min(kTileRows, n - first_row);
  const tensor::MatrixView down = tensor::MatrixView(share.down).row_range(0, rows);
  std::vector<std::size_t> cursors(kTileRows, 0);
  for (std::size_t t = 0; t < tiles_of(n, block); ++t) {
    const Place place(n, block, t);
    const float* numbers = share.tile.values().data();
    if (block < kept_.size()) {
      numbers = kept_[block].data() + t * kTileSize;
    } else {
      make_tile(*links_, place, cursors, tile_at(share.tile.values().data(), place));
    }
    const tensor::ConstMatrixView tile(numbers, place.rows, place.columns, kTileStride);
    tensor::add_tile_products(tile, x.row_range(place.column, place.columns), down,
                              x.row_range(first_row, rows), sums.row_range(place.column, place.columns));
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t a = 0; a < sums.columns; ++a) sums.row(first_row + r)[a] += down.row(r)[a];
  }
}

void SoftAggregation::multiply(tensor::ConstMatrixView x, tensor::MatrixView out) const {
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
      if (std::min(turn, 2 * kShares - 1 - turn) == s) add_row_block(filled, block, share);
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
}

}  // namespace privet::methods
