// Loops over a row, written once for every instruction set: included inside each compilation for a target,
// so the guard is toggled and not #pragma once.

#include <hwy/highway.h>

#include <cstddef>
#include <cstring>

#if defined(PRIVET_TENSOR_ROW_LOOPS_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef PRIVET_TENSOR_ROW_LOOPS_INL_HPP_
#undef PRIVET_TENSOR_ROW_LOOPS_INL_HPP_
#else
#define PRIVET_TENSOR_ROW_LOOPS_INL_HPP_
#endif

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;

// The numbers at the end of a row that do not fill a vector, padded with `pad`.
HWY_INLINE hn::Vec<Floats> load_rest(Floats d, const float* from, std::size_t count, float pad) {
  HWY_ALIGN float buffer[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(hn::Set(d, pad), d, buffer);
  std::memcpy(buffer, from, count * sizeof(float));
  return hn::Load(d, buffer);
}

HWY_INLINE void store_rest(Floats d, hn::Vec<Floats> values, float* to, std::size_t count) {
  HWY_ALIGN float buffer[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(values, d, buffer);
  std::memcpy(to, buffer, count * sizeof(float));
}

// to[i] = function(from[i])
template <class Function>
HWY_INLINE void map_row(const float* from, float* to, std::size_t count, const Function& function) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(function(d, hn::LoadU(d, from + i)), d, to + i);
  if (i < count) store_rest(d, function(d, load_rest(d, from + i, count - i, 0.0F)), to + i, count - i);
}

// to[i] = function(from[i], to[i])
template <class Function>
HWY_INLINE void update_row(const float* from, float* to, std::size_t count, const Function& function) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(function(d, hn::LoadU(d, from + i), hn::LoadU(d, to + i)), d, to + i);
  if (i < count) {
    const std::size_t left = count - i;
    const auto result = function(d, load_rest(d, from + i, left, 0.0F), load_rest(d, to + i, left, 0.0F));
    store_rest(d, result, to + i, left);
  }
}

// The sum of a[i] * b[i] in double precision.
HWY_INLINE double dot(const float* a, const float* b, std::size_t count) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
  const auto load = [&](const float* from) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(narrow, from)); };
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    sum0 = hn::MulAdd(load(a + i), load(b + i), sum0);
    sum1 = hn::MulAdd(load(a + i + lanes), load(b + i + lanes), sum1);
    sum2 = hn::MulAdd(load(a + i + 2 * lanes), load(b + i + 2 * lanes), sum2);
    sum3 = hn::MulAdd(load(a + i + 3 * lanes), load(b + i + 3 * lanes), sum3);
  }
  for (; i + lanes <= count; i += lanes) sum0 = hn::MulAdd(load(a + i), load(b + i), sum0);
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
  for (; i < count; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#endif
