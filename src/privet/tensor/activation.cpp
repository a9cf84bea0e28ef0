#include "privet/tensor/rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/activation.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "privet/tensor/row_loops-inl.hpp"
#include "privet/tensor/row_pieces.hpp"

#ifndef PRIVET_TENSOR_SELU_CONSTANTS  // this part belongs to no instruction set
#define PRIVET_TENSOR_SELU_CONSTANTS
namespace privet::tensor {
// Klambauer et al., Self-Normalizing Neural Networks (2017), equation 14.
constexpr float kSeluScale = 1.0507009873554805F;
constexpr float kSeluFloor = 1.0507009873554805F * 1.6732632423543773F;
}  // namespace privet::tensor
#endif

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

using V = hn::Vec<Floats>;

struct Relu {
  HWY_ATTR V operator()(Floats d, V x) const { return hn::Max(x, hn::Zero(d)); }
  HWY_ATTR V operator()(Floats d, V out, V error) const {
    return hn::IfThenElseZero(hn::Gt(out, hn::Zero(d)), error);
  }
};

struct Selu {
  HWY_ATTR V operator()(Floats d, V x) const {
    const auto below = hn::Mul(hn::Set(d, kSeluFloor), hn::Expm1(d, hn::Min(x, hn::Zero(d))));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Mul(hn::Set(d, kSeluScale), x), below);
  }
  HWY_ATTR V operator()(Floats d, V out, V error) const {
    const auto below = hn::Add(out, hn::Set(d, kSeluFloor));
    return hn::Mul(error, hn::IfThenElse(hn::Gt(out, hn::Zero(d)), hn::Set(d, kSeluScale), below));
  }
};

struct Tanh {
  HWY_ATTR V operator()(Floats d, V x) const { return hn::Tanh(d, x); }
  HWY_ATTR V operator()(Floats d, V out, V error) const {
    return hn::Mul(error, hn::NegMulAdd(out, out, hn::Set(d, 1.0F)));
  }
};

void activate_row(Activation activation, const float* x, float* out, std::size_t count) {
  switch (activation) {
    case Activation::none:
      if (x != out) std::memmove(out, x, count * sizeof(float));
      return;
    case Activation::relu:
      return map_row(x, out, count, Relu());
    case Activation::selu:
      return map_row(x, out, count, Selu());
    case Activation::tanh:
      return map_row(x, out, count, Tanh());
  }
}

void activate_row_backward(Activation activation, const float* out, float* error, std::size_t count) {
  switch (activation) {
    case Activation::none:
      return;
    case Activation::relu:
      return update_row(out, error, count, Relu());
    case Activation::selu:
      return update_row(out, error, count, Selu());
    case Activation::tanh:
      return update_row(out, error, count, Tanh());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(activate_row);
HWY_EXPORT(activate_row_backward);

// Narrow rows without gaps are one long row.
template <typename Kernel>
void for_rows(ConstMatrixView a, MatrixView b, const Kernel& kernel) {
  const bool gapless = a.stride == a.columns && b.stride == b.columns;
  for_row_pieces(a.rows, a.columns, [&](std::size_t begin, std::size_t end) {
    if (gapless) {
      kernel(a.data + begin * a.stride, b.data + begin * b.stride, (end - begin) * a.columns);
    } else {
      for (std::size_t i = begin; i < end; ++i)
        kernel(a.data + i * a.stride, b.data + i * b.stride, a.columns);
    }
  });
}

}  // namespace

void activate(Activation activation, ConstMatrixView x, MatrixView out) {
  require_sizes(x.rows == out.rows && x.columns == out.columns, "activation");
  const auto kernel = HWY_DYNAMIC_DISPATCH(activate_row);
  for_rows(x, out,
           [&](const float* from, float* to, std::size_t count) { kernel(activation, from, to, count); });
}

void activate_backward(Activation activation, ConstMatrixView out, MatrixView error) {
  require_sizes(out.rows == error.rows && out.columns == error.columns, "gradient of an activation");
  const auto kernel = HWY_DYNAMIC_DISPATCH(activate_row_backward);
  for_rows(out, error,
           [&](const float* from, float* to, std::size_t count) { kernel(activation, from, to, count); });
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
