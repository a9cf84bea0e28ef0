#include "privet/tensor/odds.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/odds.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "privet/tensor/row_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

struct Identity {
  HWY_INLINE hn::Vec<Floats> operator()(Floats, hn::Vec<Floats> v, std::size_t, std::size_t) const {
    return v;
  }
};

HWY_INLINE hn::Vec<Floats> after_evidence(Floats d, const EvidenceRule& rule, hn::Vec<Floats> before,
                                          hn::Vec<Floats> ratio) {
  const auto one = hn::Set(d, 1.0F);
  const auto v = hn::Min(hn::Max(before, hn::Set(d, rule.least)), hn::Set(d, rule.most));
  const auto after =
      hn::Div(hn::Mul(v, ratio), hn::MulAdd(v, hn::Sub(ratio, hn::Set(d, rule.subtract)), one));
  return hn::Min(hn::Max(after, hn::Zero(d)), one);
}

struct ByRule {
  EvidenceRule rule;
  HWY_INLINE hn::Vec<Floats> operator()(Floats d, hn::Vec<Floats> before, std::size_t, std::size_t) const {
    return after_evidence(d, rule, before, hn::Set(d, rule.ratio));
  }
};

struct ByRatios {
  EvidenceRule rule;
  const float* ratios;
  HWY_INLINE hn::Vec<Floats> operator()(Floats d, hn::Vec<Floats> before, std::size_t first,
                                        std::size_t count) const {
    const auto ratio =
        count < hn::Lanes(d) ? load_rest(d, ratios + first, count, 1.0F) : hn::LoadU(d, ratios + first);
    return after_evidence(d, rule, before, ratio);
  }
};

// Four vectors at a time: their sums stay in registers while the factors go by. `function` is told where in
// the row a vector stands and how many of its numbers belong to the row.
template <class Function>
void combine(const float* factors, std::size_t count, const float* columns, std::size_t stride,
             const Function& function, float* out, std::size_t size) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + 4 * lanes <= size; j += 4 * lanes) {
    auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
    for (std::size_t a = 0; a < count; ++a) {
      const auto factor = hn::Set(d, factors[a]);
      const float* column = columns + a * stride + j;
      sum0 = hn::MulAdd(factor, hn::LoadU(d, column), sum0);
      sum1 = hn::MulAdd(factor, hn::LoadU(d, column + lanes), sum1);
      sum2 = hn::MulAdd(factor, hn::LoadU(d, column + 2 * lanes), sum2);
      sum3 = hn::MulAdd(factor, hn::LoadU(d, column + 3 * lanes), sum3);
    }
    hn::StoreU(function(d, sum0, j, lanes), d, out + j);
    hn::StoreU(function(d, sum1, j + lanes, lanes), d, out + j + lanes);
    hn::StoreU(function(d, sum2, j + 2 * lanes, lanes), d, out + j + 2 * lanes);
    hn::StoreU(function(d, sum3, j + 3 * lanes, lanes), d, out + j + 3 * lanes);
  }
  for (; j < size; j += lanes) {
    const std::size_t left = size - j < lanes ? size - j : lanes;
    auto sum = hn::Zero(d);
    for (std::size_t a = 0; a < count; ++a) {
      const auto column = load_rest(d, columns + a * stride + j, left, 0.0F);
      sum = hn::MulAdd(hn::Set(d, factors[a]), column, sum);
    }
    store_rest(d, function(d, sum, j, left), out + j, left);
  }
}

void combine_plain(const float* factors, std::size_t count, const float* columns, std::size_t stride,
                   float* out, std::size_t size) {
  combine(factors, count, columns, stride, Identity(), out, size);
}

void combine_by_rule(const float* factors, std::size_t count, const float* columns, std::size_t stride,
                     const EvidenceRule& rule, float* out, std::size_t size) {
  combine(factors, count, columns, stride, ByRule{rule}, out, size);
}

void combine_by_ratios(const float* factors, std::size_t count, const float* columns, std::size_t stride,
                       const EvidenceRule& rule, const float* ratios, float* out, std::size_t size) {
  combine(factors, count, columns, stride, ByRatios{rule, ratios}, out, size);
}

void apply_rule(const EvidenceRule& rule, float* row, std::size_t size) {
  map_row(row, row, size, [&rule](Floats d, hn::Vec<Floats> v) HWY_ATTR {
    return after_evidence(d, rule, v, hn::Set(d, rule.ratio));
  });
}

void apply_ratios(const EvidenceRule& rule, const float* ratios, float* row, std::size_t size) {
  update_row(ratios, row, size, [&rule](Floats d, hn::Vec<Floats> ratio, hn::Vec<Floats> v) HWY_ATTR {
    return after_evidence(d, rule, v, ratio);
  });
}

double reciprocals(float shift, const float* values, std::size_t size) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  // Short sums in single precision, added up in double.
  constexpr std::size_t kBlock = 512;
  const auto one = hn::Set(d, 1.0F);
  const auto by = hn::Set(d, shift);
  double total = 0;
  std::size_t j = 0;
  while (j + lanes <= size) {
    auto sum = hn::Zero(d);
    const std::size_t end = size - j < kBlock ? size : j + kBlock;
    for (; j + lanes <= end; j += lanes)
      sum = hn::Add(sum, hn::Div(one, hn::Add(hn::LoadU(d, values + j), by)));
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
  }
  for (; j < size; ++j) total += static_cast<double>(1 / (values[j] + shift));
  return total;
}

std::size_t above(const float* row, std::size_t size, float bound) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto limit = hn::Set(d, bound);
  std::size_t count = 0;
  std::size_t j = 0;
  for (; j + lanes <= size; j += lanes) count += hn::CountTrue(d, hn::Gt(hn::LoadU(d, row + j), limit));
  for (; j < size; ++j) count += row[j] > bound ? 1U : 0U;
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(combine_plain);
HWY_EXPORT(combine_by_rule);
HWY_EXPORT(combine_by_ratios);
HWY_EXPORT(apply_rule);
HWY_EXPORT(apply_ratios);
HWY_EXPORT(above);
HWY_EXPORT(reciprocals);

}  // namespace

void combine_row(std::span<const float> factors, const float* columns, std::size_t stride,
                 std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(combine_plain)
  (factors.data(), factors.size(), columns, stride, out.data(), out.size());
}

void apply_evidence(const EvidenceRule& rule, std::span<const float> ratios, std::span<float> row) {
  if (ratios.empty()) return HWY_DYNAMIC_DISPATCH(apply_rule)(rule, row.data(), row.size());
  HWY_DYNAMIC_DISPATCH(apply_ratios)(rule, ratios.data(), row.data(), row.size());
}

void combine_and_apply(std::span<const float> factors, const float* columns, std::size_t stride,
                       const EvidenceRule& rule, std::span<const float> ratios, std::span<float> out) {
  if (ratios.empty()) {
    return HWY_DYNAMIC_DISPATCH(combine_by_rule)(factors.data(), factors.size(), columns, stride, rule,
                                                 out.data(), out.size());
  }
  HWY_DYNAMIC_DISPATCH(combine_by_ratios)
  (factors.data(), factors.size(), columns, stride, rule, ratios.data(), out.data(), out.size());
}

std::size_t count_above(std::span<const float> row, float bound) {
  return HWY_DYNAMIC_DISPATCH(above)(row.data(), row.size(), bound);
}

double sum_of_reciprocals(float shift, std::span<const float> values) {
  return HWY_DYNAMIC_DISPATCH(reciprocals)(shift, values.data(), values.size());
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
