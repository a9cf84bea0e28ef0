#include "privet/tensor/sparse_product.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/sparse_product.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <functional>

#include "privet/base/parallel.hpp"
#include "privet/tensor/row_pieces.hpp"

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Far enough ahead that the row has arrived, near enough that it has not been pushed out again.
constexpr std::uint64_t kPrefetchAhead = 8;

// Rows [begin, end) of out, kVectors * lanes columns from `first`: the sums stay in registers.
template <std::size_t kVectors, class D>
void multiply_stripe(D d, const SparseView& a, const ConstMatrixView& x, const MatrixView& out,
                     std::size_t first, std::size_t begin, std::size_t end) {
  static_assert(kVectors <= 4);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = begin; i < end; ++i) {
    hn::Vec<D> sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
    const std::uint64_t last = a.end[i];
    for (std::uint64_t k = a.begin[i]; k < last; ++k) {
      if (k + kPrefetchAhead < last) {
        const float* ahead = x.data + a.column_indices[k + kPrefetchAhead] * x.stride + first;
        for (std::size_t v = 0; v < kVectors * lanes; v += 16) __builtin_prefetch(ahead + v);
      }
      const float* row = x.data + a.column_indices[k] * x.stride + first;
      const auto weight = hn::Set(d, a.values != nullptr ? a.values[k] : 1.0F);
      sum0 = hn::MulAdd(weight, hn::LoadU(d, row), sum0);
      if constexpr (kVectors > 1) sum1 = hn::MulAdd(weight, hn::LoadU(d, row + lanes), sum1);
      if constexpr (kVectors > 2) sum2 = hn::MulAdd(weight, hn::LoadU(d, row + 2 * lanes), sum2);
      if constexpr (kVectors > 3) sum3 = hn::MulAdd(weight, hn::LoadU(d, row + 3 * lanes), sum3);
    }
    float* target = out.data + i * out.stride + first;
    hn::StoreU(sum0, d, target);
    if constexpr (kVectors > 1) hn::StoreU(sum1, d, target + lanes);
    if constexpr (kVectors > 2) hn::StoreU(sum2, d, target + 2 * lanes);
    if constexpr (kVectors > 3) hn::StoreU(sum3, d, target + 3 * lanes);
  }
}

void multiply_rows(const SparseView& a, const ConstMatrixView& x, const MatrixView& out, std::size_t begin,
                   std::size_t end) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = out.columns;
  std::size_t first = 0;
  for (; first + 4 * lanes <= width; first += 4 * lanes) multiply_stripe<4>(d, a, x, out, first, begin, end);
  for (; first + 2 * lanes <= width; first += 2 * lanes) multiply_stripe<2>(d, a, x, out, first, begin, end);
  for (; first + lanes <= width; first += lanes) multiply_stripe<1>(d, a, x, out, first, begin, end);
  const hn::CappedTag<float, 4> d4;
  for (; first + hn::Lanes(d4) <= width; first += hn::Lanes(d4))
    multiply_stripe<1>(d4, a, x, out, first, begin, end);
  const hn::CappedTag<float, 1> d1;
  for (; first < width; ++first) multiply_stripe<1>(d1, a, x, out, first, begin, end);
}

template <class D>
void add_scaled_part(D d, float factor, const float* from, float* to, std::size_t& j, std::size_t end) {
  const auto factors = hn::Set(d, factor);
  for (; j + hn::Lanes(d) <= end; j += hn::Lanes(d))
    hn::StoreU(hn::MulAdd(factors, hn::LoadU(d, from + j), hn::LoadU(d, to + j)), d, to + j);
}

// Columns [begin, end) of out += a^T x.
void add_transposed_columns(const SparseView& a, const ConstMatrixView& x, const MatrixView& out,
                            std::size_t begin, std::size_t end) {
  for (std::size_t i = 0; i < a.rows; ++i) {
    const float* from = x.data + i * x.stride;
    for (std::uint64_t k = a.begin[i]; k < a.end[i]; ++k) {
      float* to = out.data + a.column_indices[k] * out.stride;
      const float weight = a.value(k);
      std::size_t j = begin;
      add_scaled_part(hn::ScalableTag<float>(), weight, from, to, j, end);
      add_scaled_part(hn::CappedTag<float, 4>(), weight, from, to, j, end);
      add_scaled_part(hn::CappedTag<float, 1>(), weight, from, to, j, end);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(multiply_rows);
HWY_EXPORT(add_transposed_columns);

constexpr std::size_t kMostPieces = 64;
constexpr std::size_t kSmall = std::size_t{1} << 16;  // multiplications that one thread does at once

std::size_t count_entries(const SparseView& a) {
  std::size_t entries = 0;
  for (std::size_t i = 0; i < a.rows; ++i) entries += a.end[i] - a.begin[i];
  return entries;
}

}  // namespace

void multiply(SparseView a, ConstMatrixView x, MatrixView out) {
  require_sizes(a.columns == x.rows && out.rows == a.rows && out.columns == x.columns, "sparse product");
  const auto kernel = HWY_DYNAMIC_DISPATCH(multiply_rows);
  // An empty row still costs about as much as some entries.
  const std::size_t cost = count_entries(a) + 4 * a.rows;
  if (cost * out.columns <= kSmall) return kernel(a, x, out, 0, a.rows);

  // Pieces of about the same number of entries: degrees of real graphs differ by thousands.
  std::array<std::size_t, kMostPieces + 1> bounds;
  bounds.fill(a.rows);
  bounds[0] = 0;
  std::size_t piece = 1;
  std::size_t before = 0;
  for (std::size_t i = 0; i < a.rows && piece < kMostPieces; ++i) {
    before += a.end[i] - a.begin[i] + 4;
    while (piece < kMostPieces && before >= cost / kMostPieces * piece) bounds[piece++] = i + 1;
  }
  const auto body = [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) kernel(a, x, out, bounds[p], bounds[p + 1]);
  };
  parallel_for(kMostPieces, 1, std::cref(body));
}

void add_transposed_product(SparseView a, ConstMatrixView x, MatrixView out) {
  require_sizes(a.rows == x.rows && out.rows == a.columns && out.columns == x.columns,
                "transposed sparse product");
  const auto kernel = HWY_DYNAMIC_DISPATCH(add_transposed_columns);
  // Every thread walks all entries and adds to its own columns, so that no two write to the same number and
  // the order of the sums stays that of the rows.
  static constexpr std::size_t kStripe = 32;
  if (count_entries(a) * out.columns <= kSmall) return kernel(a, x, out, 0, out.columns);
  const auto body = [&](std::size_t begin, std::size_t end) { kernel(a, x, out, begin, end); };
  parallel_for(out.columns, kStripe, std::cref(body));
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
