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

// Rows and columns that stay near: kRows of both factors, in double precision and padded with zeros, so that
// the inner loop converts nothing. x in strips of kStrip columns, e in one panel of up to kPanel vectors.
constexpr std::size_t kRows = 128;
constexpr std::size_t kStrip = 4;
constexpr std::size_t kPanel = 3;
constexpr std::size_t kChunk = 48;  // columns of x
constexpr std::size_t kMostLanes = HWY_MAX_BYTES / sizeof(double);

HWY_INLINE void pack_strips(const ConstMatrixView& x, std::size_t row, std::size_t rows, std::size_t first,
                            std::size_t count, double* to) {
  for (std::size_t strip = 0; strip < count; strip += kStrip) {
    const std::size_t width = std::min(kStrip, count - strip);
    for (std::size_t r = 0; r < rows; ++r, to += kStrip) {
      const float* const from = x.data + (row + r) * x.stride + first + strip;
      for (std::size_t a = 0; a < kStrip; ++a) to[a] = a < width ? static_cast<double>(from[a]) : 0.0;
    }
  }
}

HWY_INLINE void pack_panel(const ConstMatrixView& e, std::size_t row, std::size_t rows, std::size_t first,
                           std::size_t count, std::size_t padded, double* to) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t r = 0; r < rows; ++r, to += padded) {
    const float* const from = e.data + (row + r) * e.stride + first;
    std::size_t j = 0;
    for (; j + lanes <= count; j += lanes)
      hn::Store(hn::PromoteTo(d, hn::LoadU(narrow, from + j)), d, to + j);
    for (; j < padded; ++j) to[j] = j < count ? static_cast<double>(from[j]) : 0.0;
  }
}

// One strip against one panel: their part of the total stays in registers while the rows go by. Writes
// kStrip x kVectors vectors.
template <std::size_t kVectors>
HWY_INLINE void outer_tile(const double* x, const double* e, std::size_t rows, double* sums) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  auto s00 = zero, s01 = zero, s02 = zero;
  auto s10 = zero, s11 = zero, s12 = zero;
  auto s20 = zero, s21 = zero, s22 = zero;
  auto s30 = zero, s31 = zero, s32 = zero;
  for (std::size_t r = 0; r < rows; ++r, x += kStrip, e += kVectors * lanes) {
    const auto x0 = hn::Set(d, x[0]);
    const auto x1 = hn::Set(d, x[1]);
    const auto x2 = hn::Set(d, x[2]);
    const auto x3 = hn::Set(d, x[3]);
    const auto e0 = hn::Load(d, e);
    s00 = hn::MulAdd(x0, e0, s00);
    s10 = hn::MulAdd(x1, e0, s10);
    s20 = hn::MulAdd(x2, e0, s20);
    s30 = hn::MulAdd(x3, e0, s30);
    if constexpr (kVectors > 1) {
      const auto e1 = hn::Load(d, e + lanes);
      s01 = hn::MulAdd(x0, e1, s01);
      s11 = hn::MulAdd(x1, e1, s11);
      s21 = hn::MulAdd(x2, e1, s21);
      s31 = hn::MulAdd(x3, e1, s31);
    }
    if constexpr (kVectors > 2) {
      const auto e2 = hn::Load(d, e + 2 * lanes);
      s02 = hn::MulAdd(x0, e2, s02);
      s12 = hn::MulAdd(x1, e2, s12);
      s22 = hn::MulAdd(x2, e2, s22);
      s32 = hn::MulAdd(x3, e2, s32);
    }
  }
  const auto keep = [&](std::size_t a, auto v0, auto v1, auto v2) HWY_ATTR {
    double* const to = sums + a * kVectors * lanes;
    hn::Store(v0, d, to);
    if constexpr (kVectors > 1) hn::Store(v1, d, to + lanes);
    if constexpr (kVectors > 2) hn::Store(v2, d, to + 2 * lanes);
  };
  keep(0, s00, s01, s02);
  keep(1, s10, s11, s12);
  keep(2, s20, s21, s22);
  keep(3, s30, s31, s32);
}

// Columns [begin, end) of x, at most kChunk, against all of e.
void outer_rows(const ConstMatrixView& x, const ConstMatrixView& e, std::size_t begin, std::size_t end,
                double* total) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<double>());
  HWY_ALIGN double strips[kRows * kChunk];
  HWY_ALIGN double panel[kRows * kPanel * kMostLanes];
  HWY_ALIGN double sums[kStrip * kPanel * kMostLanes];
  for (std::size_t row = 0; row < e.rows; row += kRows) {
    const std::size_t rows = std::min(kRows, e.rows - row);
    pack_strips(x, row, rows, begin, end - begin, strips);
    for (std::size_t b = 0; b < e.columns; b += kPanel * lanes) {
      const std::size_t width = std::min(kPanel * lanes, e.columns - b);
      const std::size_t vectors = (width + lanes - 1) / lanes;
      pack_panel(e, row, rows, b, width, vectors * lanes, panel);
      for (std::size_t a = begin; a < end; a += kStrip) {
        const double* const strip = strips + (a - begin) * rows;
        if (vectors == 1) outer_tile<1>(strip, panel, rows, sums);
        if (vectors == 2) outer_tile<2>(strip, panel, rows, sums);
        if (vectors == 3) outer_tile<3>(strip, panel, rows, sums);
        for (std::size_t i = 0; i < std::min(kStrip, end - a); ++i) {
          double* const to = total + (a + i) * e.columns + b;
          const double* const from = sums + i * vectors * lanes;
          for (std::size_t j = 0; j < width; ++j) to[j] += from[j];
        }
      }
    }
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
  parallel_for(x.columns, HWY_NAMESPACE::kChunk, std::cref(body));
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
