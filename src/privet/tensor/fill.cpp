#include "privet/tensor/fill.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/tensor/fill.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

#ifndef PRIVET_TENSOR_FILL_BLOCK  // this part belongs to no instruction set
#define PRIVET_TENSOR_FILL_BLOCK
namespace privet::tensor {
// Words made into numbers at once. Which word becomes which number is part of what a seed means.
constexpr std::size_t kBlock = 512;
// A vector may reach past the end of the numbers asked for.
constexpr std::size_t kSlack = 64;
constexpr std::size_t kRoom = kBlock + kSlack;
}  // namespace privet::tensor
#endif

HWY_BEFORE_NAMESPACE();
namespace privet::tensor {
namespace HWY_NAMESPACE {

// No fused multiplication here, and the compiler may not make any (-ffp-contract=off): only then do all
// instruction sets round alike and a seed means the same numbers everywhere.
//
// The polynomials are Chebyshev fits of the functions named beside them.

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using F = hn::Vec<Floats>;
using W = hn::Vec<Words>;

HWY_INLINE F constant(float value) { return hn::Set(Floats(), value); }
HWY_INLINE F next_term(F sum, F x, float coefficient) {
  return hn::Add(hn::Mul(sum, x), constant(coefficient));
}
// Words below 2^31.
HWY_INLINE F to_floats(W words) { return hn::ConvertTo(Floats(), hn::BitCast(Ints(), words)); }

// -log u of the uniform number u = (j + 1/2) 2^-31, j the upper 31 bits of a word. Near 1 it is computed from
// 1 - u, so that both ends keep their relative precision.
HWY_INLINE F negative_log(W words) {
  const Ints di;
  const W j = hn::ShiftRight<1>(words);
  const F x = hn::Add(to_floats(j), constant(0.5F));
  // x = m 2^exponent with m in [sqrt(1/2), sqrt(2)), whose lower end has the bits 0x3f3504f3.
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));
  const F m = hn::BitCast(Floats(), hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const F e = hn::ConvertTo(Floats(), hn::Sub(exponent, hn::Set(di, 31)));
  const F below_one = hn::Mul(hn::Add(to_floats(hn::Xor(j, hn::Set(Words(), 0x7fffffffu))), constant(0.5F)),
                              constant(-0x1p-31F));
  const F f = hn::IfThenElse(hn::Eq(e, constant(0)), below_one, hn::Sub(m, constant(1)));
  // log(1 + f) = 2 atanh(s)
  const F s = hn::Div(f, hn::Add(f, constant(2)));
  const F z = hn::Mul(s, s);
  F p = constant(0.29580053F);  // (2 atanh(s) - 2 s) / s^3
  p = next_term(p, z, 0.39988778F);
  p = next_term(p, z, 0.66666685F);
  const F small = hn::Add(hn::Mul(hn::Mul(s, z), p), hn::Mul(e, constant(-2.12194440e-4F)));
  // log 2 = 0.693359375 - 2.12194440e-4; the product with the first is exact.
  const F log = hn::Add(hn::Add(hn::Add(s, s), small), hn::Mul(e, constant(0.693359375F)));
  return hn::Neg(log);
}

void gaussian_block(const std::uint32_t* sizes, const std::uint32_t* angles, std::size_t pairs, float stddev,
                    float* first, float* second) {
  const Floats d;
  const Words dw;
  const F factor = constant(stddev);
  const W sign_bit = hn::Set(dw, 0x80000000u);
  for (std::size_t i = 0; i < pairs; i += hn::Lanes(d)) {
    const F radius = hn::Mul(hn::Sqrt(hn::Mul(constant(2), negative_log(hn::LoadU(dw, sizes + i)))), factor);
    // Two bits are signs, one says which is the larger, 29 are the angle within an eighth turn.
    const W word = hn::LoadU(dw, angles + i);
    const W fraction = hn::And(word, hn::Set(dw, 0x1fffffffu));
    const F x = hn::Mul(hn::Add(to_floats(fraction), constant(0.5F)), constant(0x1p-30F));
    const F z = hn::Mul(x, x);
    F p = constant(-0.0046021492F);  // sin(pi x / 2) / x
    p = next_term(p, z, 0.079680218F);
    p = next_term(p, z, -0.64596348F);
    p = next_term(p, z, 1.5707963F);
    const F sine = hn::Mul(p, x);
    F q = constant(9.0673990e-4F);  // (cos(pi x / 2) - 1) / x^2
    q = next_term(q, z, -0.020861528F);
    q = next_term(q, z, 0.25366941F);
    q = next_term(q, z, -1.2337005F);
    const F cosine = hn::Add(hn::Mul(q, z), constant(1));
    const auto swap = hn::Ne(hn::And(word, hn::Set(dw, 0x20000000u)), hn::Zero(dw));
    const auto swap_floats = hn::RebindMask(d, swap);
    const F a = hn::Mul(radius, hn::IfThenElse(swap_floats, sine, cosine));
    const F b = hn::Mul(radius, hn::IfThenElse(swap_floats, cosine, sine));
    hn::StoreU(hn::Xor(a, hn::BitCast(d, hn::And(word, sign_bit))), d, first + i);
    hn::StoreU(hn::Xor(b, hn::BitCast(d, hn::And(hn::ShiftLeft<1>(word), sign_bit))), d, second + i);
  }
}

void laplace_block(const std::uint32_t* words, std::size_t count, float scale, float* values) {
  const Floats d;
  const Words dw;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const W word = hn::LoadU(dw, words + i);
    const F size = hn::Mul(negative_log(word), constant(scale));
    hn::StoreU(hn::Xor(size, hn::BitCast(d, hn::ShiftLeft<31>(word))), d, values + i);
  }
}

void uniform_block(const std::uint32_t* words, std::size_t count, float low, float high, float* values) {
  const Floats d;
  const Words dw;
  const F step = constant((high - low) * 0x1p-24F);
  const F most = constant(std::nextafter(high, low));  // rounding may reach `high`
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const F k = to_floats(hn::ShiftRight<8>(hn::LoadU(dw, words + i)));
    hn::StoreU(hn::Min(hn::Add(hn::Mul(k, step), constant(low)), most), d, values + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::tensor {
namespace {

HWY_EXPORT(gaussian_block);
HWY_EXPORT(laplace_block);
HWY_EXPORT(uniform_block);

// `make(stream, values)` fills a few numbers.
template <typename Make>
void fill_in_pieces(RandomStream& stream, const char* name, std::span<float> values, const Make& make) {
  static constexpr std::size_t kPiece = std::size_t{1} << 15;
  static constexpr std::size_t kFew = 64;  // cheaper than a fork
  if (values.size() <= kFew) return make(stream, values);
  // A fork is named by fresh bits: forks of a replayable stream by a fixed name would repeat themselves.
  const std::unique_ptr<RandomStream> base = stream.fork(name, stream.bits());
  const auto piece = [&](std::size_t begin, std::size_t end) {
    const std::unique_ptr<RandomStream> own = base->fork("piece", begin / kPiece);
    make(*own, values.subspan(begin, end - begin));
  };
  parallel_for(values.size(), kPiece, std::cref(piece));
}

void draw_words(RandomStream& stream, std::uint32_t* words, std::size_t count) {
  stream.fill(std::as_writable_bytes(std::span(words, count)));
  std::fill_n(words + count, kSlack, 0u);
}

// `block(words, count, values)` makes one number of each word.
template <typename MakeBlock>
void fill_one_by_one(RandomStream& stream, std::span<float> values, const MakeBlock& block) {
  alignas(64) std::uint32_t words[kRoom];
  alignas(64) float made[kRoom];
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, values.size() - begin);
    draw_words(stream, words, count);
    block(words, count, made);
    std::memcpy(values.data() + begin, made, count * sizeof(float));
  }
}

void fill_pairs(RandomStream& stream, std::span<float> values, float stddev) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(gaussian_block);
  alignas(64) std::uint32_t sizes[kRoom];
  alignas(64) std::uint32_t angles[kRoom];
  alignas(64) float first[kRoom];
  alignas(64) float second[kRoom];
  for (std::size_t begin = 0; begin < values.size(); begin += 2 * kBlock) {
    const std::size_t count = std::min(2 * kBlock, values.size() - begin);
    const std::size_t pairs = (count + 1) / 2;
    draw_words(stream, sizes, pairs);
    draw_words(stream, angles, pairs);
    kernel(sizes, angles, pairs, stddev, first, second);
    std::memcpy(values.data() + begin, first, pairs * sizeof(float));
    std::memcpy(values.data() + begin + pairs, second, (count - pairs) * sizeof(float));
  }
}

void require_width(float width, const char* where) {
  if (!(width >= 0 && std::isfinite(width))) {
    throw InvalidArgument({.what = fmt::format("a width of {}", width),
                           .where = where,
                           .expected = "a finite number, at least 0"});
  }
}

}  // namespace

void fill_uniform(RandomStream& stream, float low, float high, std::span<float> values) {
  if (!(low < high && std::isfinite(high - low))) {
    throw InvalidArgument({.what = fmt::format("no numbers from {} to {}", low, high),
                           .where = "uniform numbers",
                           .expected = "a lower end below the upper one"});
  }
  const auto kernel = HWY_DYNAMIC_DISPATCH(uniform_block);
  const auto block = [&](const std::uint32_t* words, std::size_t count, float* made) {
    kernel(words, count, low, high, made);
  };
  fill_in_pieces(stream, "uniform floats", values,
                 [&](RandomStream& own, std::span<float> part) { fill_one_by_one(own, part, block); });
}

void fill_gaussian(RandomStream& stream, float stddev, std::span<float> values) {
  require_width(stddev, "Gaussian numbers");
  fill_in_pieces(stream, "gaussian floats", values,
                 [&](RandomStream& own, std::span<float> part) { fill_pairs(own, part, stddev); });
}

void fill_laplace(RandomStream& stream, float scale, std::span<float> values) {
  require_width(scale, "Laplace numbers");
  const auto kernel = HWY_DYNAMIC_DISPATCH(laplace_block);
  const auto block = [&](const std::uint32_t* words, std::size_t count, float* made) {
    kernel(words, count, scale, made);
  };
  fill_in_pieces(stream, "laplace floats", values,
                 [&](RandomStream& own, std::span<float> part) { fill_one_by_one(own, part, block); });
}

}  // namespace privet::tensor

#endif  // HWY_ONCE
