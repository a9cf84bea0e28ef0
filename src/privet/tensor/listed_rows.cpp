#include "privet/tensor/listed_rows.hpp"

#include <algorithm>

#include "privet/tensor/row_pieces.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/listed_rows.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kBlock = 64;  // columns at a time

template <class D>
HWY_INLINE std::size_t add_two(D d, const float* a, const float* b, float* out, std::size_t j,
                               std::size_t count) {
  for (; j + hn::Lanes(d) <= count; j += hn::Lanes(d))
    hn::StoreU(hn::Add(hn::LoadU(d, a + j), hn::LoadU(d, b + j)), d, out + j);
  return j;
}

template <class D>
HWY_INLINE std::size_t add_many(D d, const ConstMatrixView& x, std::size_t column,
                                const std::uint32_t* places, std::size_t terms, float* out, std::size_t j,
                                std::size_t count) {
  const hn::Rebind<float, D> floats;
  for (; j + hn::Lanes(d) <= count; j += hn::Lanes(d)) {
    auto sum = hn::Zero(d);
    for (std::size_t k = 0; k < terms; ++k)
      sum = hn::Add(sum, hn::PromoteTo(d, hn::LoadU(floats, x.data + places[k] * x.stride + column + j)));
    hn::StoreU(hn::DemoteTo(floats, sum), floats, out + j);
  }
  return j;
}

void sum_lists(const ConstMatrixView& x, const std::uint64_t* starts, const std::uint32_t* places,
               const MatrixView& out) {
  alignas(64) static constexpr float kZeros[kBlock] = {};
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> single;
  const hn::ScalableTag<double> wide;
  const hn::CappedTag<double, 1> wide_single;
  for (std::size_t column = 0; column < out.columns; column += kBlock) {
    const std::size_t count = std::min(kBlock, out.columns - column);
    for (std::size_t a = 0; a < out.rows; ++a) {
      const std::uint32_t* list = places + starts[a];
      const std::size_t terms = starts[a + 1] - starts[a];
      float* to = out.data + a * out.stride + column;
      if (terms > 2) {
        const std::size_t done = add_many(wide, x, column, list, terms, to, 0, count);
        add_many(wide_single, x, column, list, terms, to, done, count);
        continue;
      }
      // Most lists are as short as this. A sum of two that is rounded to double and then to float is the one
      // that is rounded once.
      const float* first = terms > 0 ? x.data + list[0] * x.stride + column : kZeros;
      const float* second = terms > 1 ? x.data + list[1] * x.stride + column : kZeros;
      add_two(single, first, second, to, add_two(d, first, second, to, 0, count), count);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(sum_lists);

}  // namespace

void sum_listed_rows(ConstMatrixView x, std::span<const std::uint64_t> starts,
                     std::span<const std::uint32_t> places, MatrixView out) {
  require_sizes(starts.size() == out.rows + 1 && x.columns == out.columns && starts.back() <= places.size(),
                "sums of listed rows");
  HWY_DYNAMIC_DISPATCH(sum_lists)(x, starts.data(), places.data(), out);
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
