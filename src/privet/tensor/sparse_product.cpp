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

// Entries between asking for a row of x and using it: far enough that it has arrived, near enough that it has
// not been pushed out again.
constexpr std::uint64_t kPrefetchAhead = 16;

template <std::size_t kVectors, class D>
struct Sums {
  hn::Vec<D> part0, part1, part2, part3;

  HWY_INLINE explicit Sums(D d) : part0(hn::Zero(d)), part1(part0), part2(part0), part3(part0) {}
  HWY_INLINE void add(D d, float factor, const float* row) {
    const std::size_t lanes = hn::Lanes(d);
    const auto weight = hn::Set(d, factor);
    part0 = hn::MulAdd(weight, hn::LoadU(d, row), part0);
    if constexpr (kVectors > 1) part1 = hn::MulAdd(weight, hn::LoadU(d, row + lanes), part1);
    if constexpr (kVectors > 2) part2 = hn::MulAdd(weight, hn::LoadU(d, row + 2 * lanes), part2);
    if constexpr (kVectors > 3) part3 = hn::MulAdd(weight, hn::LoadU(d, row + 3 * lanes), part3);
  }
  HWY_INLINE void store(D d, float* target) const {
    const std::size_t lanes = hn::Lanes(d);
    hn::StoreU(part0, d, target);
    if constexpr (kVectors > 1) hn::StoreU(part1, d, target + lanes);
    if constexpr (kVectors > 2) hn::StoreU(part2, d, target + 2 * lanes);
    if constexpr (kVectors > 3) hn::StoreU(part3, d, target + 3 * lanes);
  }
};

// Rows [begin, end) of out, kVectors * lanes columns from `first`: the sums stay in registers.
template <std::size_t kVectors, class D>
void multiply_stripe(D d, const SparseView& a, const ConstMatrixView& x, const MatrixView& out,
                     std::size_t first, std::size_t begin, std::size_t end) {
  static_assert(kVectors <= 4);
  const std::size_t bytes = kVectors * hn::Lanes(d) * sizeof(float);
  const float* const origin = x.data + first;
  const std::size_t stride = x.stride;
  const std::uint32_t* const columns = a.column_indices;
  const float* const values = a.values;
  const auto prefetch = [&](std::uint64_t k) HWY_ATTR {
    const auto* row = reinterpret_cast<const char*>(origin + columns[k] * stride);
    for (std::size_t line = 0; line < bytes; line += 64) __builtin_prefetch(row + line);
  };
  for (std::size_t i = begin; i < end; ++i) {
    Sums<kVectors, D> sums(d);
    const std::uint64_t last = a.end[i];
    std::uint64_t k = a.begin[i];
    for (; k + kPrefetchAhead < last; ++k) {
      prefetch(k + kPrefetchAhead);
      sums.add(d, values != nullptr ? values[k] : 1.0F, origin + columns[k] * stride);
    }
    // At the end of a row, ahead is the beginning of the next one.
    const std::uint64_t next = i + 1 < end ? a.begin[i + 1] : 0;
    const std::uint64_t next_end = i + 1 < end ? a.end[i + 1] : 0;
    for (; k < last; ++k) {
      const std::uint64_t ahead = next + (k + kPrefetchAhead - last);
      if (ahead < next_end) prefetch(ahead);
      sums.add(d, values != nullptr ? values[k] : 1.0F, origin + columns[k] * stride);
    }
    sums.store(d, out.data + i * out.stride + first);
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
