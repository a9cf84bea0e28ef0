#include "privet/methods/local/soft_aggregation.hpp"

#include <algorithm>

#include "privet/base/parallel.hpp"
#include "privet/tensor/dense_product.hpp"
#include "privet/tensor/row_pieces.hpp"

namespace privet::methods {
namespace {

constexpr std::size_t kTileRows = 128;
constexpr std::size_t kTileColumns = 512;
// Sums of their own, added up in order at the end.
constexpr std::size_t kShares = 4;

struct Share {
  tensor::Matrix sums;
  tensor::Matrix tile = tensor::Matrix(kTileRows, kTileColumns);
};

void add_row_block(const LinkPosterior& links, const tensor::ConstMatrixView& x, std::size_t first,
                   Share& share) {
  const std::size_t n = links.nodes();
  const std::size_t rows = std::min(kTileRows, n - first);
  std::vector<std::size_t> cursors(rows, 0);
  const tensor::MatrixView sums = share.sums;
  for (std::size_t column = first; column < n; column += kTileColumns) {
    const std::size_t columns = std::min(kTileColumns, n - column);
    const tensor::MatrixView tile(share.tile.values().data(), rows, columns, kTileColumns);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = first + r;
      const std::span<float> row = tile.row(r);
      // Left of the diagonal are entries that the tile of another row has counted.
      const std::size_t skipped = i > column ? std::min(i - column, columns) : 0;
      std::fill_n(row.begin(), skipped, 0.0F);
      if (skipped < columns) links.upper_row(i, column + skipped, row.subspan(skipped), cursors[r]);
    }
    tensor::product(tile, x.row_range(column, columns), sums.row_range(first, rows), 1);
    // The other way, without the diagonal, which counts once.
    for (std::size_t r = 0; r < rows; ++r) {
      if (first + r >= column && first + r < column + columns) tile.row(r)[first + r - column] = 0;
    }
    tensor::transposed_product(tile, x.row_range(first, rows), sums.row_range(column, columns), 1);
  }
}

}  // namespace

void multiply(const LinkPosterior& links, tensor::ConstMatrixView x, tensor::MatrixView out) {
  const std::size_t n = links.nodes();
  tensor::require_sizes(x.rows == n && out.rows == n && x.columns == out.columns, "soft aggregation");
  const std::size_t blocks = (n + kTileRows - 1) / kTileRows;
  std::vector<Share> shares(kShares);
  parallel_for(kShares, 1, [&](std::size_t s, std::size_t) {
    Share& share = shares[s];
    share.sums = tensor::Matrix(n, x.columns);
    // Blocks from the top have long rows, those from the bottom short ones: each share gets both.
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t turn = block % (2 * kShares);
      if (std::min(turn, 2 * kShares - 1 - turn) == s) add_row_block(links, x, block * kTileRows, share);
    }
  });
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<float> row = out.row(i);
    for (std::size_t a = 0; a < row.size(); ++a) {
      float sum = 0;
      for (const Share& share : shares) sum += share.sums(i, a);
      row[a] = sum;
    }
  }
}

}  // namespace privet::methods
