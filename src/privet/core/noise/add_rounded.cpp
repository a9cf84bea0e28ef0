#include "privet/core/noise/add_rounded.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/core/noise/add_rounded.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <functional>
#include <stdexcept>

#include "privet/base/parallel.hpp"
#include "privet/core/mechanisms/grid.hpp"

HWY_BEFORE_NAMESPACE();
namespace privet::privacy {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename D>
void add_at(D d, const float* values, const std::int32_t* noise, double grid, float* result) {
  const hn::Rebind<float, D> floats;
  const hn::Rebind<std::int32_t, D> integers;
  const auto most = hn::Set(d, static_cast<double>(kMostSteps));
  const auto value = hn::PromoteTo(d, hn::LoadU(floats, values));
  auto steps = hn::Mul(value, hn::Set(d, 1 / grid));  // exact: the grid is a power of two
  steps = hn::IfThenElseZero(hn::Eq(value, value), steps);
  steps = hn::Max(hn::Neg(most), hn::Min(most, steps));
  // Adding and taking away 1.5 x 2^52 rounds to the nearest integer below 2^51.
  const auto shift = hn::Set(d, 0x1.8p52);
  const auto rounded = hn::Sub(hn::Add(steps, shift), shift);
  const auto drawn = hn::PromoteTo(d, hn::LoadU(integers, noise));
  hn::StoreU(hn::DemoteTo(floats, hn::Mul(hn::Add(rounded, drawn), hn::Set(d, grid))), floats, result);
}

void add_some(const float* values, const std::int32_t* noise, double grid, float* result, std::size_t count) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) add_at(d, values + i, noise + i, grid, result + i);
  const hn::CappedTag<double, 1> single;
  for (; i < count; ++i) add_at(single, values + i, noise + i, grid, result + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::privacy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::privacy {
namespace {

HWY_EXPORT(add_some);

constexpr std::size_t kPiece = std::size_t{1} << 14;
// Done sooner than another thread has been woken and waited for.
constexpr std::size_t kAlone = std::size_t{1} << 16;

}  // namespace

void add_rounded(std::span<const float> values, std::span<const std::int32_t> noise, double grid,
                 std::span<float> result) {
  if (values.size() != result.size() || noise.size() != result.size())
    throw std::logic_error("values, noise and result of different lengths");
  const auto kernel = HWY_DYNAMIC_DISPATCH(add_some);
  const auto body = [&](std::size_t begin, std::size_t end) {
    kernel(values.data() + begin, noise.data() + begin, grid, result.data() + begin, end - begin);
  };
  if (result.size() <= kAlone) return body(0, result.size());
  parallel_for(result.size(), kPiece, std::cref(body));
}

}  // namespace privet::privacy

#endif  // HWY_ONCE
