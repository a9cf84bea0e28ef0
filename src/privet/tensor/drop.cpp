#include "privet/tensor/drop.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/drop.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <functional>

#include "privet/base/parallel.hpp"
#include "privet/tensor/row_loops-inl.hpp"
#include "privet/tensor/row_pieces.hpp"

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

// A comparison of every lane, not a branch: draws are what no branch can be guessed by.
void drop_some(float rate, float* draws, const float* from, float* to, std::size_t count) {
  const float scale = 1.0F / (1.0F - rate);
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto factor =
        hn::IfThenZeroElse(hn::Lt(hn::LoadU(d, draws + i), hn::Set(d, rate)), hn::Set(d, scale));
    const auto value = from == nullptr ? factor : hn::Mul(hn::LoadU(d, from + i), factor);
    hn::StoreU(factor, d, draws + i);
    hn::StoreU(value, d, to + i);
  }
  for (; i < count; ++i) {
    const float factor = draws[i] < rate ? 0.0F : scale;
    const float value = from == nullptr ? factor : from[i] * factor;
    draws[i] = factor;
    to[i] = value;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(drop_some);

constexpr std::size_t kPiece = std::size_t{1} << 13;

}  // namespace

void drop(float rate, std::span<float> draws, std::span<const float> from, std::span<float> to) {
  require_sizes(draws.size() == to.size() && (from.empty() || from.size() == to.size()), "dropout");
  const auto kernel = HWY_DYNAMIC_DISPATCH(drop_some);
  const auto body = [&](std::size_t begin, std::size_t end) {
    kernel(rate, draws.data() + begin, from.empty() ? nullptr : from.data() + begin, to.data() + begin,
           end - begin);
  };
  parallel_for(to.size(), kPiece, std::cref(body));
}

void drop(float rate, const MatrixView& draws, const ConstMatrixView& from, const MatrixView& to) {
  require_sizes(draws.rows == to.rows && from.rows == to.rows, "dropout");
  const std::size_t rows_per_piece = to.columns == 0 ? 1 : kPiece / to.columns + 1;
  const auto body = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) drop(rate, draws.row(i), from.row(i), to.row(i));
  };
  parallel_for(to.rows, rows_per_piece, std::cref(body));
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
