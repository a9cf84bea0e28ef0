#include "privet/tensor/sparse_product.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/sparse_product.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

#ifndef PRIVET_TENSOR_SPARSE_ROWS  // this part belongs to no instruction set
#define PRIVET_TENSOR_SPARSE_ROWS
namespace privet::tensor {
struct SparseRows {
  const std::uint64_t* offsets;
  const std::uint32_t* columns;
  const float* values;  // null when all are 1
};
}  // namespace privet::tensor
#endif

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Far enough ahead that the row has arrived, near enough that it has not been pushed out again.
constexpr std::uint64_t kPrefetchAhead = 8;

// Rows [begin, end) of out, columns [first, first + kVectors * lanes): the sums stay in registers.
template <std::size_t kVectors>
void multiply_stripe(const SparseRows& a, const float* x, float* out, std::size_t width, std::size_t first,
                     std::size_t begin, std::size_t end) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint64_t last = a.offsets[end];
  for (std::size_t i = begin; i < end; ++i) {
    hn::Vec<decltype(d)> sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
    for (std::uint64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      if (k + kPrefetchAhead < last) {
        const float* ahead = x + static_cast<std::size_t>(a.columns[k + kPrefetchAhead]) * width + first;
        for (std::size_t v = 0; v < kVectors * lanes; v += 16) __builtin_prefetch(ahead + v);
      }
      const float* row = x + static_cast<std::size_t>(a.columns[k]) * width + first;
      const auto weight = hn::Set(d, a.values != nullptr ? a.values[k] : 1.0F);
      sum0 = hn::MulAdd(weight, hn::LoadU(d, row), sum0);
      if constexpr (kVectors > 1) sum1 = hn::MulAdd(weight, hn::LoadU(d, row + lanes), sum1);
      if constexpr (kVectors > 2) sum2 = hn::MulAdd(weight, hn::LoadU(d, row + 2 * lanes), sum2);
      if constexpr (kVectors > 3) sum3 = hn::MulAdd(weight, hn::LoadU(d, row + 3 * lanes), sum3);
    }
    float* target = out + i * width + first;
    hn::StoreU(sum0, d, target);
    if constexpr (kVectors > 1) hn::StoreU(sum1, d, target + lanes);
    if constexpr (kVectors > 2) hn::StoreU(sum2, d, target + 2 * lanes);
    if constexpr (kVectors > 3) hn::StoreU(sum3, d, target + 3 * lanes);
  }
}

// The columns that are left when a full vector does not fit.
void multiply_rest(const SparseRows& a, const float* x, float* out, std::size_t width, std::size_t first,
                   std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    float* target = out + i * width;
    std::fill(target + first, target + width, 0.0F);
    for (std::uint64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      const float* row = x + static_cast<std::size_t>(a.columns[k]) * width;
      const float weight = a.values != nullptr ? a.values[k] : 1.0F;
      for (std::size_t j = first; j < width; ++j) target[j] += weight * row[j];
    }
  }
}

void multiply_rows(const SparseRows& a, const float* x, float* out, std::size_t width, std::size_t begin,
                   std::size_t end) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>());
  std::size_t first = 0;
  for (; first + 4 * lanes <= width; first += 4 * lanes)
    multiply_stripe<4>(a, x, out, width, first, begin, end);
  for (; first + 2 * lanes <= width; first += 2 * lanes)
    multiply_stripe<2>(a, x, out, width, first, begin, end);
  for (; first + lanes <= width; first += lanes) multiply_stripe<1>(a, x, out, width, first, begin, end);
  if (first < width) multiply_rest(a, x, out, width, first, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(multiply_rows);

}  // namespace

void multiply(const SparseMatrix& a, const Matrix& x, Matrix& out) {
  if (a.columns() != x.rows() || out.rows() != a.rows() || out.columns() != x.columns()) {
    throw InvalidArgument({.what = "sizes do not fit", .where = "sparse product"});
  }
  const float* values = a.all_ones() ? nullptr : a.values().data();
  const auto kernel = HWY_DYNAMIC_DISPATCH(multiply_rows);
  parallel_for(a.rows(), 512, [&](std::size_t begin, std::size_t end) {
    kernel({a.offsets().data(), a.column_indices().data(), values}, x.values().data(), out.values().data(),
           x.columns(), begin, end);
  });
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
