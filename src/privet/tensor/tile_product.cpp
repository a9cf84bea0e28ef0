#include "privet/tensor/tile_product.hpp"

#include "privet/tensor/row_pieces.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/tile_product.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Where the numbers that a row of x is multiplied by stand: for the k-th of several sums and the t-th row at
// data[k * by_sum + t * by_term].
struct Numbers {
  const float* data;
  std::size_t by_sum;
  std::size_t by_term;
};

// Eight rows of sums at a time, one vector of each: a row of x is read once for all of them.
template <class D>
HWY_INLINE void add_eight(D d, const Numbers& numbers, const MatrixView& sums, std::size_t row,
                          const ConstMatrixView& x, std::size_t column) {
  const float* at = numbers.data + row * numbers.by_sum;
  const std::size_t next = numbers.by_sum;
  float* out = sums.data + row * sums.stride + column;
  auto sum0 = hn::LoadU(d, out), sum1 = hn::LoadU(d, out + sums.stride);
  auto sum2 = hn::LoadU(d, out + 2 * sums.stride), sum3 = hn::LoadU(d, out + 3 * sums.stride);
  auto sum4 = hn::LoadU(d, out + 4 * sums.stride), sum5 = hn::LoadU(d, out + 5 * sums.stride);
  auto sum6 = hn::LoadU(d, out + 6 * sums.stride), sum7 = hn::LoadU(d, out + 7 * sums.stride);
  const float* from = x.data + column;
  for (std::size_t t = 0; t < x.rows; ++t, from += x.stride, at += numbers.by_term) {
    const auto terms = hn::LoadU(d, from);
    sum0 = hn::MulAdd(hn::Set(d, at[0]), terms, sum0);
    sum1 = hn::MulAdd(hn::Set(d, at[next]), terms, sum1);
    sum2 = hn::MulAdd(hn::Set(d, at[2 * next]), terms, sum2);
    sum3 = hn::MulAdd(hn::Set(d, at[3 * next]), terms, sum3);
    sum4 = hn::MulAdd(hn::Set(d, at[4 * next]), terms, sum4);
    sum5 = hn::MulAdd(hn::Set(d, at[5 * next]), terms, sum5);
    sum6 = hn::MulAdd(hn::Set(d, at[6 * next]), terms, sum6);
    sum7 = hn::MulAdd(hn::Set(d, at[7 * next]), terms, sum7);
  }
  hn::StoreU(sum0, d, out);
  hn::StoreU(sum1, d, out + sums.stride);
  hn::StoreU(sum2, d, out + 2 * sums.stride);
  hn::StoreU(sum3, d, out + 3 * sums.stride);
  hn::StoreU(sum4, d, out + 4 * sums.stride);
  hn::StoreU(sum5, d, out + 5 * sums.stride);
  hn::StoreU(sum6, d, out + 6 * sums.stride);
  hn::StoreU(sum7, d, out + 7 * sums.stride);
}

// One vector of every row of sums.
template <class D>
HWY_INLINE void add_columns(D d, const Numbers& numbers, const MatrixView& sums, const ConstMatrixView& x,
                            std::size_t column) {
  std::size_t row = 0;
  for (; row + 8 <= sums.rows; row += 8) add_eight(d, numbers, sums, row, x, column);
  for (; row < sums.rows; ++row) {
    float* out = sums.data + row * sums.stride + column;
    auto sum = hn::LoadU(d, out);
    for (std::size_t t = 0; t < x.rows; ++t) {
      const float number = numbers.data[row * numbers.by_sum + t * numbers.by_term];
      sum = hn::MulAdd(hn::Set(d, number), hn::LoadU(d, x.data + t * x.stride + column), sum);
    }
    hn::StoreU(sum, d, out);
  }
}

// The widest vectors that the columns left fill, down to single ones.
void add_products(const float* data, std::size_t by_sum, std::size_t by_term, const ConstMatrixView& x,
                  const MatrixView& sums) {
  const Numbers numbers{data, by_sum, by_term};
  const auto take = [&](auto d, std::size_t column) HWY_ATTR {
    while (column + hn::Lanes(d) <= x.columns) {
      add_columns(d, numbers, sums, x, column);
      column += hn::Lanes(d);
    }
    return column;
  };
  std::size_t column = take(hn::CappedTag<float, 16>(), 0);
  column = take(hn::CappedTag<float, 8>(), column);
  column = take(hn::CappedTag<float, 4>(), column);
  take(hn::CappedTag<float, 1>(), column);
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(add_products);

}  // namespace

void add_tile_product(ConstMatrixView tile, ConstMatrixView x, MatrixView sums) {
  require_sizes(tile.columns == x.rows && tile.rows == sums.rows && x.columns == sums.columns,
                "tile product");
  HWY_DYNAMIC_DISPATCH(add_products)(tile.data, tile.stride, 1, x, sums);
}

void add_transposed_tile_product(ConstMatrixView tile, ConstMatrixView x, MatrixView sums) {
  require_sizes(tile.rows == x.rows && tile.columns == sums.rows && x.columns == sums.columns,
                "transposed tile product");
  HWY_DYNAMIC_DISPATCH(add_products)(tile.data, 1, tile.stride, x, sums);
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
