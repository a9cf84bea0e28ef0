#include "privet/tensor/rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/softmax.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <fmt/format.h>
#include <hwy/contrib/math/math-inl.h>

#include <cmath>
#include <limits>

#include "privet/tensor/row_loops-inl.hpp"
#include "privet/tensor/row_pieces.hpp"

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

float row_largest(const float* row, std::size_t count) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  static constexpr float kLowest = -std::numeric_limits<float>::infinity();
  auto largest = hn::Set(d, kLowest);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) largest = hn::Max(largest, hn::LoadU(d, row + i));
  if (i < count) largest = hn::Max(largest, load_rest(d, row + i, count - i, kLowest));
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

// to = exp(from - largest); returns the sum, which is at least 1.
float exponentials(const float* from, float* to, std::size_t count, float largest) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto shift = hn::Set(d, largest);
  auto sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::Exp(d, hn::Sub(hn::LoadU(d, from + i), shift));
    hn::StoreU(value, d, to + i);
    sum = hn::Add(sum, value);
  }
  if (i < count) {
    const auto value = hn::Exp(d, hn::Sub(load_rest(d, from + i, count - i, largest), shift));
    const auto kept = hn::IfThenElseZero(hn::FirstN(d, count - i), value);
    store_rest(d, kept, to + i, count - i);
    sum = hn::Add(sum, kept);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

struct Softmax {
  float largest;
  float sum;
};

Softmax softmax_row(const float* from, float* to, std::size_t count) {
  const float largest = row_largest(from, count);
  const float sum = exponentials(from, to, count, largest);
  const float factor = 1 / sum;
  map_row(to, to, count,
          [factor](Floats d, hn::Vec<Floats> x) HWY_ATTR { return hn::Mul(x, hn::Set(d, factor)); });
  return {largest, sum};
}

void softmax(const ConstMatrixView& logits, const MatrixView& probabilities, std::size_t begin,
             std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    softmax_row(logits.data + i * logits.stride, probabilities.data + i * probabilities.stride,
                logits.columns);
}

void cross_entropy(const ConstMatrixView& logits, const std::int32_t* labels, const MatrixView& error,
                   float* losses, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    float* to = error.data + i * error.stride;
    if (labels[i] < 0) {
      std::memset(to, 0, error.columns * sizeof(float));
      losses[i] = 0;
      continue;
    }
    const float* from = logits.data + i * logits.stride;
    const float logit = from[labels[i]];  // read first: `error` may be the same matrix
    const Softmax part = softmax_row(from, to, logits.columns);
    losses[i] = static_cast<float>(std::log(static_cast<double>(part.sum)) +
                                   (static_cast<double>(part.largest) - static_cast<double>(logit)));
    to[labels[i]] -= 1;
  }
}

void largest_index(const ConstMatrixView& x, std::int32_t* columns, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const float* row = x.data + i * x.stride;
    const float largest = row_largest(row, x.columns);
    std::size_t j = 0;
    while (j < x.columns && row[j] != largest) ++j;
    columns[i] = j < x.columns ? static_cast<std::int32_t>(j) : 0;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(softmax);
HWY_EXPORT(cross_entropy);
HWY_EXPORT(largest_index);

}  // namespace

void softmax_rows(ConstMatrixView logits, MatrixView probabilities) {
  require_sizes(logits.rows == probabilities.rows && logits.columns == probabilities.columns, "softmax");
  if (logits.columns == 0) return;
  const auto kernel = HWY_DYNAMIC_DISPATCH(softmax);
  for_row_pieces(logits.rows, logits.columns,
                 [&](std::size_t begin, std::size_t end) { kernel(logits, probabilities, begin, end); });
}

void softmax_cross_entropy(ConstMatrixView logits, std::span<const std::int32_t> labels, MatrixView error,
                           std::span<float> losses) {
  require_sizes(logits.rows == error.rows && logits.columns == error.columns &&
                    labels.size() == logits.rows && losses.size() == logits.rows,
                "cross-entropy");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < -1 || (labels[i] >= 0 && static_cast<std::size_t>(labels[i]) >= logits.columns)) {
      throw InvalidArgument({.what = fmt::format("row {} has label {}", i, labels[i]),
                             .where = "cross-entropy",
                             .expected = fmt::format("-1, or below {}", logits.columns)});
    }
  }
  const auto kernel = HWY_DYNAMIC_DISPATCH(cross_entropy);
  for_row_pieces(logits.rows, logits.columns, [&](std::size_t begin, std::size_t end) {
    kernel(logits, labels.data(), error, losses.data(), begin, end);
  });
}

void largest_column(ConstMatrixView x, std::span<std::int32_t> columns) {
  require_sizes(columns.size() == x.rows && (x.columns > 0 || x.rows == 0), "largest column");
  const auto kernel = HWY_DYNAMIC_DISPATCH(largest_index);
  for_row_pieces(x.rows, x.columns,
                 [&](std::size_t begin, std::size_t end) { kernel(x, columns.data(), begin, end); });
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
