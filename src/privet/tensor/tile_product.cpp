#include "privet/tensor/tile_product.hpp"

#include <algorithm>

#include "privet/tensor/row_pieces.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/tile_product.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kRows = 8;
constexpr std::size_t kCacheLine = 64 / sizeof(float);

// The tile, what it is multiplied by and where the sums go.
struct Sides {
  ConstMatrixView tile;
  ConstMatrixView across;
  MatrixView down;
  ConstMatrixView beside;
  MatrixView turned;
};

template <class V>
HWY_INLINE void add_both(V number, V terms, V x, V& sum, V& back) {
  sum = hn::MulAdd(number, terms, sum);
  back = hn::MulAdd(number, x, back);
}

// Eight rows of the tile and one vector of columns: what goes down stays in registers until the rows end,
// what is turned is read and written once for the eight.
template <class D>
HWY_INLINE void add_eight(D d, const Sides& sides, std::size_t row, std::size_t column) {
  const float* tile = sides.tile.data + row * sides.tile.stride;
  const std::size_t next = sides.tile.stride;
  const float* beside = sides.beside.data + row * sides.beside.stride + column;
  const std::size_t by = sides.beside.stride;
  const auto x0 = hn::LoadU(d, beside), x1 = hn::LoadU(d, beside + by);
  const auto x2 = hn::LoadU(d, beside + 2 * by), x3 = hn::LoadU(d, beside + 3 * by);
  const auto x4 = hn::LoadU(d, beside + 4 * by), x5 = hn::LoadU(d, beside + 5 * by);
  const auto x6 = hn::LoadU(d, beside + 6 * by), x7 = hn::LoadU(d, beside + 7 * by);
  float* down = sides.down.data + row * sides.down.stride + column;
  const std::size_t to = sides.down.stride;
  auto sum0 = hn::LoadU(d, down), sum1 = hn::LoadU(d, down + to);
  auto sum2 = hn::LoadU(d, down + 2 * to), sum3 = hn::LoadU(d, down + 3 * to);
  auto sum4 = hn::LoadU(d, down + 4 * to), sum5 = hn::LoadU(d, down + 5 * to);
  auto sum6 = hn::LoadU(d, down + 6 * to), sum7 = hn::LoadU(d, down + 7 * to);
  const bool more = row + 2 * kRows <= sides.tile.rows;
  const float* across = sides.across.data + column;
  float* turned = sides.turned.data + column;
  const std::size_t across_next = sides.across.stride;
  const std::size_t turned_next = sides.turned.stride;
  for (std::size_t first = 0; first < sides.tile.columns; first += kCacheLine) {
    if (more) {
      for (std::size_t k = kRows; k < 2 * kRows; ++k) hwy::Prefetch(tile + k * next + first);
    }
    const float* upper = tile + first;      // rows 0 to 3
    const float* lower = upper + 4 * next;  // rows 4 to 7
    const float* end = tile + std::min(first + kCacheLine, sides.tile.columns);
    for (; upper != end; ++upper, ++lower, across += across_next, turned += turned_next) {
      const auto terms = hn::LoadU(d, across);
      auto back = hn::LoadU(d, turned);
      add_both(hn::Set(d, upper[0]), terms, x0, sum0, back);
      add_both(hn::Set(d, upper[next]), terms, x1, sum1, back);
      add_both(hn::Set(d, upper[2 * next]), terms, x2, sum2, back);
      add_both(hn::Set(d, upper[3 * next]), terms, x3, sum3, back);
      add_both(hn::Set(d, lower[0]), terms, x4, sum4, back);
      add_both(hn::Set(d, lower[next]), terms, x5, sum5, back);
      add_both(hn::Set(d, lower[2 * next]), terms, x6, sum6, back);
      add_both(hn::Set(d, lower[3 * next]), terms, x7, sum7, back);
      hn::StoreU(back, d, turned);
    }
  }
  hn::StoreU(sum0, d, down), hn::StoreU(sum1, d, down + to);
  hn::StoreU(sum2, d, down + 2 * to), hn::StoreU(sum3, d, down + 3 * to);
  hn::StoreU(sum4, d, down + 4 * to), hn::StoreU(sum5, d, down + 5 * to);
  hn::StoreU(sum6, d, down + 6 * to), hn::StoreU(sum7, d, down + 7 * to);
}

template <class D>
HWY_INLINE void add_row(D d, const Sides& sides, std::size_t row, std::size_t column) {
  const float* tile = sides.tile.data + row * sides.tile.stride;
  const auto x = hn::LoadU(d, sides.beside.data + row * sides.beside.stride + column);
  float* down = sides.down.data + row * sides.down.stride + column;
  auto sum = hn::LoadU(d, down);
  for (std::size_t t = 0; t < sides.tile.columns; ++t) {
    const auto number = hn::Set(d, tile[t]);
    float* turned = sides.turned.data + t * sides.turned.stride + column;
    sum = hn::MulAdd(number, hn::LoadU(d, sides.across.data + t * sides.across.stride + column), sum);
    hn::StoreU(hn::MulAdd(number, x, hn::LoadU(d, turned)), d, turned);
  }
  hn::StoreU(sum, d, down);
}

// The numbers that are there of one row, for one vector of columns.
template <class D>
HWY_INLINE void add_listed(D d, const ListedTile& tile, const Sides& sides, std::size_t row,
                           std::size_t column) {
  const auto x = hn::LoadU(d, sides.beside.data + row * sides.beside.stride + column);
  const float* across = sides.across.data + column;
  float* turned = sides.turned.data + column;
  const auto add = [&](std::size_t k, auto& sum) HWY_ATTR {
    const std::size_t t = tile.columns[k];
    const auto number = hn::Set(d, tile.values[k]);
    float* const back = turned + t * sides.turned.stride;
    sum = hn::MulAdd(number, hn::LoadU(d, across + t * sides.across.stride), sum);
    hn::StoreU(hn::MulAdd(number, x, hn::LoadU(d, back)), d, back);
  };
  float* down = sides.down.data + row * sides.down.stride + column;
  // Two sums, so that one need not wait for the other.
  auto even = hn::LoadU(d, down);
  auto odd = hn::Zero(d);
  const std::size_t end = tile.ends[row];
  std::size_t k = row == 0 ? 0 : tile.ends[row - 1];
  for (; k + 2 <= end; k += 2) {
    add(k, even);
    add(k + 1, odd);
  }
  if (k < end) add(k, even);
  hn::StoreU(hn::Add(even, odd), d, down);
}

// The widest vectors that the columns left fill, down to single ones.
template <class Rows>
HWY_INLINE void for_vectors(std::size_t columns, const Rows& rows) {
  const auto take = [&](auto d, std::size_t column) HWY_ATTR {
    for (; column + hn::Lanes(d) <= columns; column += hn::Lanes(d)) rows(d, column);
    return column;
  };
  std::size_t column = take(hn::CappedTag<float, 16>(), 0);
  column = take(hn::CappedTag<float, 8>(), column);
  column = take(hn::CappedTag<float, 4>(), column);
  take(hn::CappedTag<float, 1>(), column);
}

void add_products(const ConstMatrixView& tile, const ConstMatrixView& across, const MatrixView& down,
                  const ConstMatrixView& beside, const MatrixView& turned) {
  const Sides sides{tile, across, down, beside, turned};
  for_vectors(across.columns, [&](auto d, std::size_t column) HWY_ATTR {
    std::size_t row = 0;
    for (; row + kRows <= sides.tile.rows; row += kRows) add_eight(d, sides, row, column);
    for (; row < sides.tile.rows; ++row) add_row(d, sides, row, column);
  });
}

void add_listed_numbers(const ListedTile& tile, const ConstMatrixView& across, const MatrixView& down,
                        const ConstMatrixView& beside, const MatrixView& turned) {
  const Sides sides{{}, across, down, beside, turned};
  for_vectors(across.columns, [&](auto d, std::size_t column) HWY_ATTR {
    for (std::size_t row = 0; row < tile.ends.size(); ++row) add_listed(d, tile, sides, row, column);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(add_products);
HWY_EXPORT(add_listed_numbers);

}  // namespace

void add_tile_products(ConstMatrixView tile, ConstMatrixView across, MatrixView down, ConstMatrixView beside,
                       MatrixView turned) {
  require_sizes(tile.columns == across.rows && tile.columns == turned.rows && tile.rows == beside.rows &&
                    tile.rows == down.rows && across.columns == down.columns &&
                    across.columns == beside.columns && across.columns == turned.columns,
                "tile products");
  HWY_DYNAMIC_DISPATCH(add_products)(tile, across, down, beside, turned);
}

void add_listed_products(const ListedTile& tile, ConstMatrixView across, MatrixView down,
                         ConstMatrixView beside, MatrixView turned) {
  require_sizes(tile.ends.size() == beside.rows && tile.ends.size() == down.rows &&
                    tile.columns.size() == tile.values.size() &&
                    (tile.ends.empty() ? 0 : tile.ends.back()) == tile.columns.size() &&
                    across.rows == turned.rows && across.columns == down.columns &&
                    across.columns == beside.columns && across.columns == turned.columns,
                "listed products");
  HWY_DYNAMIC_DISPATCH(add_listed_numbers)(tile, across, down, beside, turned);
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
