#include "privet/tensor/rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/rows.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "privet/tensor/row_loops-inl.hpp"
#include "privet/tensor/row_pieces.hpp"

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

float absolute_sum(const float* values, std::size_t count) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  auto total = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) total = hn::Add(total, hn::Abs(hn::LoadU(d, values + i)));
  float sum = hn::GetLane(hn::SumOfLanes(d, total));
  for (; i < count; ++i) sum += values[i] < 0 ? -values[i] : values[i];
  return sum;
}

void scale(const float* from, float* to, std::size_t count, float factor) {
  map_row(from, to, count,
          [factor](Floats d, hn::Vec<Floats> x) HWY_ATTR { return hn::Mul(x, hn::Set(d, factor)); });
}

double squared_norm(const float* values, std::size_t count) { return dot(values, values, count); }

void normalize_l2(const ConstMatrixView& x, const MatrixView& out, float* norms, std::size_t begin,
                  std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const float* from = x.data + i * x.stride;
    float* to = out.data + i * out.stride;
    const double norm = std::sqrt(dot(from, from, x.columns));
    if (norms != nullptr) norms[i] = static_cast<float>(norm);
    const double factor = norm > 0 ? 1 / norm : 0;
    if (factor < 0x1p120) {
      scale(from, to, x.columns, static_cast<float>(factor));
    } else {  // beyond float, though the products are not
      for (std::size_t j = 0; j < x.columns; ++j) to[j] = static_cast<float>(from[j] * factor);
    }
  }
}

void normalize_l2_backward(const ConstMatrixView& out, const float* norms, const MatrixView& error,
                           std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const float* unit = out.data + i * out.stride;
    float* row = error.data + i * error.stride;
    const float along = static_cast<float>(dot(unit, row, out.columns));
    const float factor = norms[i] > 0 ? 1 / norms[i] : 0;
    update_row(unit, row, out.columns,
               [along, factor](Floats d, hn::Vec<Floats> u, hn::Vec<Floats> e)
                   HWY_ATTR { return hn::Mul(hn::NegMulAdd(hn::Set(d, along), u, e), hn::Set(d, factor)); });
  }
}

void project(const MatrixView& x, float radius, std::size_t begin, std::size_t end) {
  // Four roundings of at most 2^-24 each (of the quotient, of its product with this, of each number, and some
  // of the norm in double precision) can't bring a norm back above the radius.
  static constexpr float kInside = 1 - 0x1p-22F;
  const hn::CappedTag<double, 1> one;
  const auto most = hn::Set(one, static_cast<double>(radius) * static_cast<double>(radius));
  // The quotient of what is longer has lost the bits that the four roundings count on. Also what is no
  // number.
  const double longest = static_cast<double>(radius) / static_cast<double>(std::numeric_limits<float>::min());
  const double too_long = longest * longest;
  for (std::size_t i = begin; i < end; ++i) {
    float* row = x.data + i * x.stride;
    const double squared = dot(row, row, x.columns);
    if (!(squared <= too_long)) {
      std::memset(row, 0, x.columns * sizeof(float));
      continue;
    }
    // Every row is scaled, those inside by 1: under noise no processor can guess which ones are.
    const auto norm = hn::Sqrt(hn::Set(one, squared));
    const float outside = static_cast<float>(static_cast<double>(radius) / hn::GetLane(norm)) * kInside;
    const auto factor = hn::IfThenElse(hn::Le(hn::Set(one, squared), most), hn::Set(one, 1.0),
                                       hn::Set(one, static_cast<double>(outside)));
    const Floats d;
    const auto factors = hn::Set(d, static_cast<float>(hn::GetLane(factor)));
    map_row(row, row, x.columns,
            [factors](Floats, hn::Vec<Floats> numbers) HWY_ATTR { return hn::Mul(numbers, factors); });
  }
}

void add_row(const float* row, const MatrixView& out, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    update_row(row, out.data + i * out.stride, out.columns,
               [](Floats, hn::Vec<Floats> a, hn::Vec<Floats> b) HWY_ATTR { return hn::Add(a, b); });
  }
}

// Columns [begin, end), up to kVectors vectors at a time: rows are read once, and whole.
template <std::size_t kVectors>
std::size_t add_stripes(const ConstMatrixView& x, float* sum, std::size_t begin, std::size_t end) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = begin;
  for (; j + kVectors * lanes <= end; j += kVectors * lanes) {
    auto sum0 = hn::LoadU(d, sum + j), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
    if constexpr (kVectors == 4) {
      sum1 = hn::LoadU(d, sum + j + lanes);
      sum2 = hn::LoadU(d, sum + j + 2 * lanes);
      sum3 = hn::LoadU(d, sum + j + 3 * lanes);
    }
    for (std::size_t i = 0; i < x.rows; ++i) {
      const float* row = x.data + i * x.stride + j;
      sum0 = hn::Add(sum0, hn::LoadU(d, row));
      if constexpr (kVectors == 4) {
        sum1 = hn::Add(sum1, hn::LoadU(d, row + lanes));
        sum2 = hn::Add(sum2, hn::LoadU(d, row + 2 * lanes));
        sum3 = hn::Add(sum3, hn::LoadU(d, row + 3 * lanes));
      }
    }
    hn::StoreU(sum0, d, sum + j);
    if constexpr (kVectors == 4) {
      hn::StoreU(sum1, d, sum + j + lanes);
      hn::StoreU(sum2, d, sum + j + 2 * lanes);
      hn::StoreU(sum3, d, sum + j + 3 * lanes);
    }
  }
  return j;
}

void add_sums(const ConstMatrixView& x, float* sum, std::size_t begin, std::size_t end) {
  begin = add_stripes<4>(x, sum, begin, end);
  begin = add_stripes<1>(x, sum, begin, end);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = begin; j < end; ++j) sum[j] += x.data[i * x.stride + j];
  }
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
HWY_EXPORT(squared_norm);
HWY_EXPORT(normalize_l2);
HWY_EXPORT(normalize_l2_backward);
HWY_EXPORT(project);
HWY_EXPORT(add_row);
HWY_EXPORT(add_sums);
HWY_EXPORT(target_name);

void normalize(std::span<float> row) {
  const float sum = HWY_DYNAMIC_DISPATCH(absolute_sum)(row.data(), row.size());
  const float factor = 1.0F / sum;
  if (sum > 0 && std::isfinite(sum) && std::isfinite(factor)) {
    HWY_DYNAMIC_DISPATCH(scale)(row.data(), row.data(), row.size(), factor);
    return;
  }
  // Sums or factors beyond float32: every row of finite numbers has a finite result.
  double total = 0;
  for (const float value : row) total += std::abs(static_cast<double>(value));
  if (!(total > 0) || !std::isfinite(total)) return;
  for (float& value : row) value = static_cast<float>(static_cast<double>(value) / total);
}

bool same_shape(const ConstMatrixView& a, const ConstMatrixView& b) {
  return a.rows == b.rows && a.columns == b.columns;
}

}  // namespace

void normalize_rows_l1(Matrix& matrix) {
  for_row_pieces(matrix.rows(), matrix.columns(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) normalize(matrix.row(i));
  });
}

SparseMatrix normalized_rows_l1(const SparseMatrix& matrix) {
  static constexpr std::size_t kRowsPerPiece = 4096;
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

void normalize_rows_l2(ConstMatrixView x, MatrixView out, std::span<float> norms) {
  require_sizes(same_shape(x, out) && (norms.empty() || norms.size() == x.rows), "normalising rows");
  const auto kernel = HWY_DYNAMIC_DISPATCH(normalize_l2);
  for_row_pieces(x.rows, x.columns, [&](std::size_t begin, std::size_t end) {
    kernel(x, out, norms.empty() ? nullptr : norms.data(), begin, end);
  });
}

void normalize_rows_l2_backward(ConstMatrixView out, std::span<const float> norms, MatrixView error) {
  require_sizes(same_shape(out, error) && norms.size() == out.rows, "gradient of normalising rows");
  const auto kernel = HWY_DYNAMIC_DISPATCH(normalize_l2_backward);
  for_row_pieces(out.rows, out.columns,
                 [&](std::size_t begin, std::size_t end) { kernel(out, norms.data(), error, begin, end); });
}

void project_rows(MatrixView x, float radius) {
  if (!(radius >= 0)) {
    throw InvalidArgument({.what = "a radius that is negative or no number",
                           .where = "projecting rows",
                           .expected = "at least 0"});
  }
  const auto kernel = HWY_DYNAMIC_DISPATCH(project);
  for_row_pieces(x.rows, x.columns,
                 [&](std::size_t begin, std::size_t end) { kernel(x, radius, begin, end); });
}

void squared_row_norms(ConstMatrixView x, std::span<double> norms) {
  require_sizes(norms.size() == x.rows, "squared row norms");
  const auto kernel = HWY_DYNAMIC_DISPATCH(squared_norm);
  for_row_pieces(x.rows, x.columns, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) norms[i] = kernel(x.data + i * x.stride, x.columns);
  });
}

void squared_row_norms(SparseView x, std::span<double> norms) {
  require_sizes(norms.size() == x.rows, "squared row norms");
  const auto kernel = HWY_DYNAMIC_DISPATCH(squared_norm);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const std::size_t entries = x.end[i] - x.begin[i];
    norms[i] = x.values == nullptr ? static_cast<double>(entries) : kernel(x.values + x.begin[i], entries);
  }
}

void scale_rows(ConstMatrixView x, std::span<const float> factors, MatrixView out) {
  require_sizes(same_shape(x, out) && factors.size() == x.rows, "scaling rows");
  const auto kernel = HWY_DYNAMIC_DISPATCH(scale);
  for_row_pieces(x.rows, x.columns, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      kernel(x.data + i * x.stride, out.data + i * out.stride, x.columns, factors[i]);
  });
}

void add_to_rows(std::span<const float> row, MatrixView out) {
  require_sizes(row.size() == out.columns, "adding to rows");
  const auto kernel = HWY_DYNAMIC_DISPATCH(add_row);
  for_row_pieces(out.rows, out.columns,
                 [&](std::size_t begin, std::size_t end) { kernel(row.data(), out, begin, end); });
}

void add_column_sums(ConstMatrixView x, std::span<float> sum) {
  require_sizes(sum.size() == x.columns, "column sums");
  const auto kernel = HWY_DYNAMIC_DISPATCH(add_sums);
  // Split by columns, wide enough for the widest vectors: the sum of one goes through all rows in order.
  static constexpr std::size_t kColumnsPerPiece = 64;
  const auto body = [&](std::size_t begin, std::size_t end) { kernel(x, sum.data(), begin, end); };
  parallel_for(x.columns, kColumnsPerPiece, std::cref(body));
}

std::string instruction_set() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace privet::tensor

#endif  // HWY_ONCE
