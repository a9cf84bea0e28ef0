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

// Columns [first, first + count) of x against all of e, count at most 4: four rows of the total stay in
// registers while the rows go by.
template <std::size_t kCount>
void outer_tile(const ConstMatrixView& x, const ConstMatrixView& e, std::size_t first, std::size_t row_begin,
                std::size_t row_end, double* total) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t columns = e.columns;
  std::size_t b = 0;
  for (; b + 2 * lanes <= columns; b += 2 * lanes) {
    double* const t0 = total + b;
    double* const t1 = total + (kCount > 1 ? columns : 0) + b;
    double* const t2 = total + (kCount > 2 ? 2 * columns : 0) + b;
    double* const t3 = total + (kCount > 3 ? 3 * columns : 0) + b;
    auto s00 = hn::LoadU(d, t0), s01 = hn::LoadU(d, t0 + lanes);
    auto s10 = hn::LoadU(d, t1), s11 = hn::LoadU(d, t1 + lanes);
    auto s20 = hn::LoadU(d, t2), s21 = hn::LoadU(d, t2 + lanes);
    auto s30 = hn::LoadU(d, t3), s31 = hn::LoadU(d, t3 + lanes);
    for (std::size_t r = row_begin; r < row_end; ++r) {
      const float* const from = e.data + r * e.stride + b;
      const float* const factors = x.data + r * x.stride + first;
      const auto e0 = hn::PromoteTo(d, hn::LoadU(narrow, from));
      const auto e1 = hn::PromoteTo(d, hn::LoadU(narrow, from + lanes));
      const auto x0 = hn::Set(d, static_cast<double>(factors[0]));
      s00 = hn::MulAdd(x0, e0, s00);
      s01 = hn::MulAdd(x0, e1, s01);
      if constexpr (kCount > 1) {
        const auto x1 = hn::Set(d, static_cast<double>(factors[1]));
        s10 = hn::MulAdd(x1, e0, s10);
        s11 = hn::MulAdd(x1, e1, s11);
      }
      if constexpr (kCount > 2) {
        const auto x2 = hn::Set(d, static_cast<double>(factors[2]));
        s20 = hn::MulAdd(x2, e0, s20);
        s21 = hn::MulAdd(x2, e1, s21);
      }
      if constexpr (kCount > 3) {
        const auto x3 = hn::Set(d, static_cast<double>(factors[3]));
        s30 = hn::MulAdd(x3, e0, s30);
        s31 = hn::MulAdd(x3, e1, s31);
      }
    }
    // The first row last: where there are fewer than four, the others stand for it and are not wanted.
    if constexpr (kCount > 3) {
      hn::StoreU(s30, d, t3);
      hn::StoreU(s31, d, t3 + lanes);
    }
    if constexpr (kCount > 2) {
      hn::StoreU(s20, d, t2);
      hn::StoreU(s21, d, t2 + lanes);
    }
    if constexpr (kCount > 1) {
      hn::StoreU(s10, d, t1);
      hn::StoreU(s11, d, t1 + lanes);
    }
    hn::StoreU(s00, d, t0);
    hn::StoreU(s01, d, t0 + lanes);
  }
  for (std::size_t a = 0; a < kCount && b < columns; ++a) {
    for (std::size_t r = row_begin; r < row_end; ++r) {
      const auto factor = static_cast<double>(x.data[r * x.stride + first + a]);
      for (std::size_t j = b; j < columns; ++j)
        total[a * columns + j] += factor * static_cast<double>(e.data[r * e.stride + j]);
    }
  }
}

void outer_rows(const ConstMatrixView& x, const ConstMatrixView& e, std::size_t begin, std::size_t end,
                double* total) {
  constexpr std::size_t kRows = 256;  // of x and e, that stay near
  for (std::size_t row = 0; row < e.rows; row += kRows) {
    const std::size_t row_end = std::min(e.rows, row + kRows);
    std::size_t a = begin;
    for (; a + 4 <= end; a += 4) outer_tile<4>(x, e, a, row, row_end, total + a * e.columns);
    for (; a < end; ++a) outer_tile<1>(x, e, a, row, row_end, total + a * e.columns);
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
