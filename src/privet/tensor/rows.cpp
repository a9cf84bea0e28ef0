#include "privet/tensor/rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/rows.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "privet/base/parallel.hpp"

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

float absolute_sum(const float* values, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  auto total = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) total = hn::Add(total, hn::Abs(hn::LoadU(d, values + i)));
  float sum = hn::GetLane(hn::SumOfLanes(d, total));
  for (; i < count; ++i) sum += values[i] < 0 ? -values[i] : values[i];
  return sum;
}

void scale(float* values, std::size_t count, float factor) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto factors = hn::Set(d, factor);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, values + i), factors), d, values + i);
  for (; i < count; ++i) values[i] *= factor;
}

std::string target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(absolute_sum);
HWY_EXPORT(scale);
HWY_EXPORT(target_name);

constexpr std::size_t kRowsPerPiece = 4096;

void normalize(std::span<float> row) {
  const float sum = HWY_DYNAMIC_DISPATCH(absolute_sum)(row.data(), row.size());
  if (sum > 0) HWY_DYNAMIC_DISPATCH(scale)(row.data(), row.size(), 1.0F / sum);
}

}  // namespace

void normalize_rows_l1(Matrix& matrix) {
  parallel_for(matrix.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) normalize(matrix.row(i));
  });
}

SparseMatrix normalized_rows_l1(const SparseMatrix& matrix) {
  AlignedVector<float> values(matrix.entries(), 1.0F);
  if (!matrix.all_ones()) std::copy(matrix.values().begin(), matrix.values().end(), values.begin());
  const auto offsets = matrix.offsets();
  parallel_for(matrix.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      normalize(std::span(values).subspan(offsets[i], offsets[i + 1] - offsets[i]));
    }
  });
  return {matrix.rows(),
          matrix.columns(),
          {offsets.begin(), offsets.end()},
          {matrix.column_indices().begin(), matrix.column_indices().end()},
          std::move(values)};
}

std::string instruction_set() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace privet::tensor

#endif  // HWY_ONCE
