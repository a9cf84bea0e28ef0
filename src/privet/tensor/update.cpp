#include "privet/tensor/update.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/update.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <functional>

#include "privet/base/parallel.hpp"
#include "privet/tensor/row_pieces.hpp"

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Runs `one(d, i)` over [begin, end): whole vectors, then single numbers in vectors of one lane.
template <typename One>
void for_each_vector(std::size_t begin, std::size_t end, const One& one) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = begin;
  for (; i + lanes <= end; i += lanes) one(d, i);
  const hn::CappedTag<float, 1> single;
  for (; i < end; ++i) one(single, i);
}

// The numbers of a step are copied: behind a reference they might be among those that are written, and would
// be read again for every vector.
void descend_some(const DescentStep& given, const float* gradient, float* velocity, float* parameters,
                  std::size_t begin, std::size_t end) {
  const DescentStep step = given;
  for_each_vector(begin, end, [=](auto d, std::size_t i) {
    const auto p = hn::LoadU(d, parameters + i);
    auto direction =
        hn::MulAdd(hn::Set(d, step.scale), hn::LoadU(d, gradient + i), hn::Mul(hn::Set(d, step.decay), p));
    if (velocity != nullptr) {
      direction = hn::MulAdd(hn::Set(d, step.momentum), hn::LoadU(d, velocity + i), direction);
      hn::StoreU(direction, d, velocity + i);
    }
    hn::StoreU(hn::NegMulAdd(hn::Set(d, step.rate), direction, p), d, parameters + i);
  });
}

void descend_adam(const AdamStep& given, const float* gradient, float* mean, float* square, float* parameters,
                  std::size_t begin, std::size_t end) {
  const AdamStep step = given;
  for_each_vector(begin, end, [=](auto d, std::size_t i) {
    const auto p = hn::LoadU(d, parameters + i);
    const auto direction =
        hn::MulAdd(hn::Set(d, step.scale), hn::LoadU(d, gradient + i), hn::Mul(hn::Set(d, step.decay), p));
    const auto m = hn::MulAdd(hn::Set(d, step.beta1), hn::LoadU(d, mean + i),
                              hn::Mul(hn::Set(d, 1 - step.beta1), direction));
    const auto v = hn::MulAdd(hn::Set(d, step.beta2), hn::LoadU(d, square + i),
                              hn::Mul(hn::Set(d, 1 - step.beta2), hn::Mul(direction, direction)));
    hn::StoreU(m, d, mean + i);
    hn::StoreU(v, d, square + i);
    const auto divisor = hn::MulAdd(hn::Sqrt(v), hn::Set(d, step.unbias), hn::Set(d, step.stability));
    hn::StoreU(hn::NegMulAdd(hn::Set(d, step.rate), hn::Div(m, divisor), p), d, parameters + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(descend_some);
HWY_EXPORT(descend_adam);

// A multiple of every vector's length, so that the bytes do not depend on the number of threads.
constexpr std::size_t kPiece = std::size_t{1} << 15;

}  // namespace

void descend(const DescentStep& step, std::span<const float> gradient, std::span<float> velocity,
             std::span<float> parameters) {
  require_sizes(
      gradient.size() == parameters.size() && (velocity.empty() || velocity.size() == parameters.size()),
      "gradient descent");
  const auto kernel = HWY_DYNAMIC_DISPATCH(descend_some);
  float* remembered = velocity.empty() ? nullptr : velocity.data();
  const auto body = [&](std::size_t begin, std::size_t end) {
    kernel(step, gradient.data(), remembered, parameters.data(), begin, end);
  };
  parallel_for(parameters.size(), kPiece, std::cref(body));
}

void descend(const AdamStep& step, std::span<const float> gradient, std::span<float> mean,
             std::span<float> square, std::span<float> parameters) {
  require_sizes(gradient.size() == parameters.size() && mean.size() == parameters.size() &&
                    square.size() == parameters.size(),
                "Adam");
  const auto kernel = HWY_DYNAMIC_DISPATCH(descend_adam);
  const auto body = [&](std::size_t begin, std::size_t end) {
    kernel(step, gradient.data(), mean.data(), square.data(), parameters.data(), begin, end);
  };
  parallel_for(parameters.size(), kPiece, std::cref(body));
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
