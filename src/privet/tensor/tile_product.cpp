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

// Which of the two products are formed.
enum class Wanted { both, down, turned };

template <class D>
HWY_INLINE hn::Vec<D> load_if(bool wanted, D d, const float* from) {
  return wanted ? hn::LoadU(d, from) : hn::Zero(d);
}

template <class D>
HWY_INLINE void store_if(bool wanted, hn::Vec<D> vector, D d, float* to) {
  if (wanted) hn::StoreU(vector, d, to);
}

// Where row and column begin; nowhere, with strides of 0, for a side that is not there.
template <class View>
HWY_INLINE auto start_of(const View& view, std::size_t row, std::size_t column) {
  return view.data == nullptr ? view.data : view.data + row * view.stride + column;
}

template <Wanted wanted, class V>
HWY_INLINE void add_both(V number, V terms, V x, V& sum, V& back) {
  if constexpr (wanted != Wanted::turned) sum = hn::MulAdd(number, terms, sum);
  if constexpr (wanted != Wanted::down) back = hn::MulAdd(number, x, back);
}

// Eight rows of the tile and one vector of columns: what goes down stays in registers until the rows end,
// what is turned is read and written once for the eight.
template <Wanted wanted, class D>
HWY_INLINE void add_eight(D d, const Sides& sides, std::size_t row, std::size_t column) {
  constexpr bool kDown = wanted != Wanted::turned;
  constexpr bool kTurned = wanted != Wanted::down;
  const float* tile = sides.tile.data + row * sides.tile.stride;
  const std::size_t next = sides.tile.stride;
  const float* beside = start_of(sides.beside, row, column);
  const std::size_t by = sides.beside.stride;
  const auto x0 = load_if(kTurned, d, beside), x1 = load_if(kTurned, d, beside + by);
  const auto x2 = load_if(kTurned, d, beside + 2 * by), x3 = load_if(kTurned, d, beside + 3 * by);
  const auto x4 = load_if(kTurned, d, beside + 4 * by), x5 = load_if(kTurned, d, beside + 5 * by);
  const auto x6 = load_if(kTurned, d, beside + 6 * by), x7 = load_if(kTurned, d, beside + 7 * by);
  float* down = start_of(sides.down, row, column);
  const std::size_t to = sides.down.stride;
  auto sum0 = load_if(kDown, d, down), sum1 = load_if(kDown, d, down + to);
  auto sum2 = load_if(kDown, d, down + 2 * to), sum3 = load_if(kDown, d, down + 3 * to);
  auto sum4 = load_if(kDown, d, down + 4 * to), sum5 = load_if(kDown, d, down + 5 * to);
  auto sum6 = load_if(kDown, d, down + 6 * to), sum7 = load_if(kDown, d, down + 7 * to);
  const bool more = row + 2 * kRows <= sides.tile.rows;
  const float* across = start_of(sides.across, 0, column);
  float* turned = start_of(sides.turned, 0, column);
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
      const auto terms = load_if(kDown, d, across);
      auto back = load_if(kTurned, d, turned);
      add_both<wanted>(hn::Set(d, upper[0]), terms, x0, sum0, back);
      add_both<wanted>(hn::Set(d, upper[next]), terms, x1, sum1, back);
      add_both<wanted>(hn::Set(d, upper[2 * next]), terms, x2, sum2, back);
      add_both<wanted>(hn::Set(d, upper[3 * next]), terms, x3, sum3, back);
      add_both<wanted>(hn::Set(d, lower[0]), terms, x4, sum4, back);
      add_both<wanted>(hn::Set(d, lower[next]), terms, x5, sum5, back);
      add_both<wanted>(hn::Set(d, lower[2 * next]), terms, x6, sum6, back);
      add_both<wanted>(hn::Set(d, lower[3 * next]), terms, x7, sum7, back);
      store_if(kTurned, back, d, turned);
    }
  }
  store_if(kDown, sum0, d, down), store_if(kDown, sum1, d, down + to);
  store_if(kDown, sum2, d, down + 2 * to), store_if(kDown, sum3, d, down + 3 * to);
  store_if(kDown, sum4, d, down + 4 * to), store_if(kDown, sum5, d, down + 5 * to);
  store_if(kDown, sum6, d, down + 6 * to), store_if(kDown, sum7, d, down + 7 * to);
}

template <Wanted wanted, class D>
HWY_INLINE void add_row(D d, const Sides& sides, std::size_t row, std::size_t column) {
  constexpr bool kDown = wanted != Wanted::turned;
  constexpr bool kTurned = wanted != Wanted::down;
  const float* tile = sides.tile.data + row * sides.tile.stride;
  const auto x = load_if(kTurned, d, start_of(sides.beside, row, column));
  float* down = start_of(sides.down, row, column);
  auto sum = load_if(kDown, d, down);
  for (std::size_t t = 0; t < sides.tile.columns; ++t) {
    float* turned = start_of(sides.turned, t, column);
    const auto terms = load_if(kDown, d, start_of(sides.across, t, column));
    auto back = load_if(kTurned, d, turned);
    add_both<wanted>(hn::Set(d, tile[t]), terms, x, sum, back);
    store_if(kTurned, back, d, turned);
  }
  store_if(kDown, sum, d, down);
}

// One number that is there: row t of what is multiplied and of the sums.
template <class D, class V>
HWY_INLINE void add_one(D d, float value, std::size_t offset, const float* across, float* turned, V x,
                        V& sum) {
  const auto number = hn::Set(d, value);
  sum = hn::MulAdd(number, hn::LoadU(d, across + offset), sum);
  hn::StoreU(hn::MulAdd(number, x, hn::LoadU(d, turned + offset)), d, turned + offset);
}

// The numbers of the tile that are there, for one vector of columns. Rows of `across` and `turned` lie
// equally far apart. What is read again and again is local: as far as the compiler knows, stores could change
// everything else.
template <class D>
HWY_INLINE void add_listed(D d, const ListedTile& tile, const Sides& sides, std::size_t column) {
  const std::uint16_t* columns = tile.columns.data();
  const float* values = tile.values.data();
  const std::size_t stride = sides.across.stride;
  const float* const across = sides.across.data + column;
  float* const turned = sides.turned.data + column;
  const std::uint16_t* const first = columns;
  for (std::size_t row = 0; row < tile.ends.size(); ++row) {
    const std::uint16_t* const end = first + tile.ends[row];
    const auto x = hn::LoadU(d, sides.beside.data + row * sides.beside.stride + column);
    float* const down = sides.down.data + row * sides.down.stride + column;
    // Two sums, so that one need not wait for the other.
    auto even = hn::LoadU(d, down);
    auto odd = hn::Zero(d);
    for (; end - columns >= 2; columns += 2, values += 2) {
      add_one(d, values[0], columns[0] * stride, across, turned, x, even);
      add_one(d, values[1], columns[1] * stride, across, turned, x, odd);
    }
    for (; columns != end; ++columns, ++values)
      add_one(d, *values, *columns * stride, across, turned, x, even);
    hn::StoreU(hn::Add(even, odd), d, down);
  }
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

template <Wanted wanted>
HWY_INLINE void add_tile(const Sides& sides, std::size_t columns) {
  for_vectors(columns, [&](auto d, std::size_t column) HWY_ATTR {
    std::size_t row = 0;
    for (; row + kRows <= sides.tile.rows; row += kRows) add_eight<wanted>(d, sides, row, column);
    for (; row < sides.tile.rows; ++row) add_row<wanted>(d, sides, row, column);
  });
}

void add_products(const ConstMatrixView& tile, const ConstMatrixView& across, const MatrixView& down,
                  const ConstMatrixView& beside, const MatrixView& turned) {
  add_tile<Wanted::both>({tile, across, down, beside, turned}, across.columns);
}

void add_down(const ConstMatrixView& tile, const ConstMatrixView& across, const MatrixView& down) {
  add_tile<Wanted::down>({tile, across, down, {}, {}}, across.columns);
}

void add_turned(const ConstMatrixView& tile, const ConstMatrixView& beside, const MatrixView& turned) {
  add_tile<Wanted::turned>({tile, {}, {}, beside, turned}, beside.columns);
}

void add_listed_numbers(const ListedTile& tile, const ConstMatrixView& across, const MatrixView& down,
                        const ConstMatrixView& beside, const MatrixView& turned) {
  const Sides sides{{}, across, down, beside, turned};
  for_vectors(across.columns,
              [&](auto d, std::size_t column) HWY_ATTR { add_listed(d, tile, sides, column); });
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(add_products);
HWY_EXPORT(add_down);
HWY_EXPORT(add_turned);
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

void add_tile_product(ConstMatrixView tile, ConstMatrixView across, MatrixView down) {
  require_sizes(tile.columns == across.rows && tile.rows == down.rows && across.columns == down.columns,
                "tile product");
  HWY_DYNAMIC_DISPATCH(add_down)(tile, across, down);
}

void add_turned_tile_product(ConstMatrixView tile, ConstMatrixView beside, MatrixView turned) {
  require_sizes(tile.rows == beside.rows && tile.columns == turned.rows && beside.columns == turned.columns,
                "turned tile product");
  HWY_DYNAMIC_DISPATCH(add_turned)(tile, beside, turned);
}

void add_listed_products(const ListedTile& tile, ConstMatrixView across, MatrixView down,
                         ConstMatrixView beside, MatrixView turned) {
  require_sizes(tile.ends.size() == beside.rows && tile.ends.size() == down.rows &&
                    tile.columns.size() == tile.values.size() &&
                    (tile.ends.empty() ? 0 : tile.ends.back()) == tile.columns.size() &&
                    across.rows == turned.rows && across.columns == down.columns &&
                    across.columns == beside.columns && across.columns == turned.columns &&
                    across.stride == turned.stride,
                "listed products");
  HWY_DYNAMIC_DISPATCH(add_listed_numbers)(tile, across, down, beside, turned);
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
