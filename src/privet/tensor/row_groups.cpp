#include "privet/tensor/row_groups.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/row_groups.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <functional>

#include "privet/tensor/row_loops-inl.hpp"
#include "privet/tensor/row_pieces.hpp"

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

double gram_product(const ConstMatrixView& x, const ConstMatrixView& e, std::size_t begin, std::size_t end,
                    double shift) {
  double sum = 0;
  for (std::size_t k = begin; k < end; ++k) {
    const float* const xk = x.data + k * x.stride;
    const float* const ek = e.data + k * e.stride;
    sum += (dot(xk, xk, x.columns) + shift) * dot(ek, ek, e.columns);
    for (std::size_t l = begin; l < k; ++l) {
      sum +=
          2 * (dot(xk, x.data + l * x.stride, x.columns) + shift) * dot(ek, e.data + l * e.stride, e.columns);
    }
  }
  return sum;
}

// kCount columns of x from `first` on against 4 vectors of columns of e from `b` on: their part of the total
// stays in registers while the rows go by. The first `skip` columns of e are somebody else's.
template <std::size_t kCount>
HWY_INLINE void outer_tile(const ConstMatrixView& x, const ConstMatrixView& e, std::size_t first,
                           std::size_t b, std::size_t skip, std::size_t row_begin, std::size_t row_end,
                           double* total) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN double sums[kCount * 4 * HWY_MAX_BYTES / sizeof(double)];
  const auto zero = hn::Zero(d);
  auto s00 = zero, s01 = zero, s02 = zero, s03 = zero;
  auto s10 = zero, s11 = zero, s12 = zero, s13 = zero;
  auto s20 = zero, s21 = zero, s22 = zero, s23 = zero;
  auto s30 = zero, s31 = zero, s32 = zero, s33 = zero;
  for (std::size_t r = row_begin; r < row_end; ++r) {
    const float* const from = e.data + r * e.stride + b;
    const float* const factors = x.data + r * x.stride + first;
    const auto e0 = hn::PromoteTo(d, hn::LoadU(narrow, from));
    const auto e1 = hn::PromoteTo(d, hn::LoadU(narrow, from + lanes));
    const auto e2 = hn::PromoteTo(d, hn::LoadU(narrow, from + 2 * lanes));
    const auto e3 = hn::PromoteTo(d, hn::LoadU(narrow, from + 3 * lanes));
    const auto x0 = hn::Set(d, static_cast<double>(factors[0]));
    s00 = hn::MulAdd(x0, e0, s00);
    s01 = hn::MulAdd(x0, e1, s01);
    s02 = hn::MulAdd(x0, e2, s02);
    s03 = hn::MulAdd(x0, e3, s03);
    if constexpr (kCount > 1) {
      const auto x1 = hn::Set(d, static_cast<double>(factors[1]));
      s10 = hn::MulAdd(x1, e0, s10);
      s11 = hn::MulAdd(x1, e1, s11);
      s12 = hn::MulAdd(x1, e2, s12);
      s13 = hn::MulAdd(x1, e3, s13);
      const auto x2 = hn::Set(d, static_cast<double>(factors[2]));
      s20 = hn::MulAdd(x2, e0, s20);
      s21 = hn::MulAdd(x2, e1, s21);
      s22 = hn::MulAdd(x2, e2, s22);
      s23 = hn::MulAdd(x2, e3, s23);
      const auto x3 = hn::Set(d, static_cast<double>(factors[3]));
      s30 = hn::MulAdd(x3, e0, s30);
      s31 = hn::MulAdd(x3, e1, s31);
      s32 = hn::MulAdd(x3, e2, s32);
      s33 = hn::MulAdd(x3, e3, s33);
    }
  }
  const auto keep = [&](std::size_t a, auto v0, auto v1, auto v2, auto v3) HWY_ATTR {
    double* const to = sums + a * 4 * lanes;
    hn::StoreU(v0, d, to);
    hn::StoreU(v1, d, to + lanes);
    hn::StoreU(v2, d, to + 2 * lanes);
    hn::StoreU(v3, d, to + 3 * lanes);
  };
  keep(0, s00, s01, s02, s03);
  if constexpr (kCount > 1) {
    keep(1, s10, s11, s12, s13);
    keep(2, s20, s21, s22, s23);
    keep(3, s30, s31, s32, s33);
  }
  for (std::size_t a = 0; a < kCount; ++a) {
    double* const to = total + (first + a) * e.columns + b;
    for (std::size_t j = skip; j < 4 * lanes; ++j) to[j] += sums[a * 4 * lanes + j];
  }
}

template <std::size_t kCount>
HWY_INLINE void outer_strip(const ConstMatrixView& x, const ConstMatrixView& e, std::size_t first,
                            std::size_t row_begin, std::size_t row_end, double* total) {
  const std::size_t tile = 4 * hn::Lanes(hn::ScalableTag<double>());
  if (e.columns < tile) {
    for (std::size_t r = row_begin; r < row_end; ++r) {
      for (std::size_t a = 0; a < kCount; ++a) {
        const auto factor = static_cast<double>(x.data[r * x.stride + first + a]);
        double* const to = total + (first + a) * e.columns;
        for (std::size_t j = 0; j < e.columns; ++j)
          to[j] += factor * static_cast<double>(e.data[r * e.stride + j]);
      }
    }
    return;
  }
  std::size_t b = 0;
  for (; b + tile <= e.columns; b += tile) outer_tile<kCount>(x, e, first, b, 0, row_begin, row_end, total);
  // What is left, in a tile that begins before it.
  const std::size_t last = e.columns - tile;
  if (b < e.columns) outer_tile<kCount>(x, e, first, last, b - last, row_begin, row_end, total);
}

void outer_rows(const ConstMatrixView& x, const ConstMatrixView& e, std::size_t begin, std::size_t end,
                double* total) {
  constexpr std::size_t kRows = 256;  // of x and e, that stay near
  for (std::size_t row = 0; row < e.rows; row += kRows) {
    const std::size_t row_end = std::min(e.rows, row + kRows);
    std::size_t a = begin;
    for (; a + 4 <= end; a += 4) outer_strip<4>(x, e, a, row, row_end, total);
    for (; a < end; ++a) outer_strip<1>(x, e, a, row, row_end, total);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(gram_product);
HWY_EXPORT(outer_rows);

}  // namespace

void add_gram_products(ConstMatrixView x, ConstMatrixView e, std::span<const std::uint32_t> starts,
                       double shift, std::span<double> sums) {
  require_sizes(x.rows == e.rows && starts.size() == sums.size() + 1 && starts.back() <= x.rows,
                "products of rows");
  const auto kernel = HWY_DYNAMIC_DISPATCH(gram_product);
  const auto body = [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) sums[g] += kernel(x, e, starts[g], starts[g + 1], shift);
  };
  constexpr std::size_t kGrain = 64;
  parallel_for(sums.size(), kGrain, std::cref(body));
}

void add_outer_products(ConstMatrixView x, ConstMatrixView e, std::span<double> total) {
  require_sizes(x.rows == e.rows && total.size() == x.columns * e.columns, "outer products");
  const auto kernel = HWY_DYNAMIC_DISPATCH(outer_rows);
  const auto body = [&](std::size_t begin, std::size_t end) { kernel(x, e, begin, end, total.data()); };
  constexpr std::size_t kGrain = 16;
  parallel_for(x.columns, kGrain, std::cref(body));
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
