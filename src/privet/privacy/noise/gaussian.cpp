#include "privet/privacy/noise/gaussian.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/privacy/noise/gaussian.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

#ifndef PRIVET_PRIVACY_NOISE_GAUSSIAN_BLOCK  // this part belongs to no instruction set
#define PRIVET_PRIVACY_NOISE_GAUSSIAN_BLOCK
namespace privet::privacy {
// Pairs made at once. Which words become which numbers is part of what a seed means.
constexpr std::size_t kBlock = 512;
// A vector may reach past the end of the pairs asked for.
constexpr std::size_t kSlack = 64;

struct Block {
  std::size_t pairs = 0;
  alignas(64) std::uint64_t words[2 * kBlock + kSlack] = {};  // sizes of all pairs, then all angles
  alignas(64) double radii[kBlock + kSlack];
};
}  // namespace privet::privacy
#endif

HWY_BEFORE_NAMESPACE();
namespace privet::privacy {
namespace HWY_NAMESPACE {

// No fused multiplication here, and the compiler may not make any (-ffp-contract=off): only then do all
// instruction sets round alike and a seed means the same noise everywhere.
//
// The polynomials are Chebyshev fits, off by less than 2^-57 of what they stand for. All steps that follow
// are exact or correctly rounded operations on double precision.

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> next_term(D d, hn::Vec<D> sum, hn::Vec<D> x, double coefficient) {
  return hn::Add(hn::Mul(sum, x), hn::Set(d, coefficient));
}

// The nearest double, with one rounding: the upper and lower halves become 2^84 + 2^32 upper and 2^52 + lower
// by their exponent bits alone.
template <class D>
HWY_INLINE hn::Vec<D> to_double(D d, hn::Vec<hn::RebindToUnsigned<D>> words) {
  const hn::RebindToUnsigned<D> du;
  const auto upper = hn::BitCast(d, hn::Or(hn::ShiftRight<32>(words), hn::Set(du, 0x4530000000000000u)));
  const auto lower =
      hn::BitCast(d, hn::Or(hn::And(words, hn::Set(du, 0xffffffffu)), hn::Set(du, 0x4330000000000000u)));
  return hn::Add(hn::Sub(upper, hn::Set(d, 0x1.00000001p84)), lower);
}

// x = m 2^exponent with m from sqrt(1/2) to sqrt(2).
template <class D>
struct Parts {
  hn::Vec<D> m;
  hn::Vec<D> exponent;
};

// For x of at least 1.
template <class D>
HWY_INLINE Parts<D> split(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, x);
  const auto above = hn::ShiftRight<52>(hn::Sub(bits, hn::Set(du, 0x3fe6a09e667f3bcdu)));  // sqrt(1/2)
  const auto exponent = hn::BitCast(d, hn::Or(above, hn::Set(du, 0x4330000000000000u)));
  return {hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(above))), hn::Sub(exponent, hn::Set(d, 0x1p52))};
}

// sqrt(-2 log((1 + f) 2^exponent))
template <class D>
HWY_INLINE hn::Vec<D> radius(D d, hn::Vec<D> f, hn::Vec<D> exponent) {
  const auto s = hn::Div(f, hn::Add(f, hn::Set(d, 2.0)));  // log(1 + f) = 2 atanh(s)
  const auto z = hn::Mul(s, s);
  auto p = hn::Set(d, 0x1.0c04595972ab8p-3);  // (2 atanh(s) - 2 s) / s^3
  p = next_term(d, p, z, 0x1.0fbe83c2cbcf3p-3);
  p = next_term(d, p, z, 0x1.3b1c360763b8ap-3);
  p = next_term(d, p, z, 0x1.745cf901605f7p-3);
  p = next_term(d, p, z, 0x1.c71c720160b47p-3);
  p = next_term(d, p, z, 0x1.2492492476c87p-2);
  p = next_term(d, p, z, 0x1.9999999999a38p-2);
  p = next_term(d, p, z, 0x1.5555555555555p-1);
  // The first 40 bits of log 2, so that their product is exact, and the rest.
  const auto coarse = hn::Mul(exponent, hn::Set(d, 0x1.62e42fefa2p-1));
  const auto fine = hn::Mul(exponent, hn::Set(d, 0x1.9ef35793c7673p-41));
  const auto small = hn::Add(hn::Mul(hn::Mul(s, z), p), fine);
  const auto log = hn::Add(hn::Add(hn::Add(s, s), small), coarse);
  return hn::Sqrt(hn::Mul(log, hn::Set(d, -2.0)));
}

// Radii from the first words of all pairs: uniform numbers u = (word + 1/2) 2^-64. Close to 1 the logarithm
// comes from 1 - u, so that small radii have their full relative precision. Returns whether some word was
// below 2^52 and its radius is still to be made.
bool make_radii(const std::uint64_t* words, std::size_t pairs, double* radii) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto half = hn::Set(d, 0.5);
  auto rare = hn::FirstN(du, 0);
  for (std::size_t i = 0; i < pairs; i += hn::Lanes(d)) {
    const auto word = hn::LoadU(du, words + i);
    rare = hn::Or(rare, hn::Eq(hn::ShiftRight<52>(word), hn::Zero(du)));
    const auto parts = split(d, hn::Add(to_double(d, word), half));
    const auto exponent = hn::Sub(parts.exponent, hn::Set(d, 64.0));
    const auto below_one = hn::Mul(hn::Add(to_double(d, hn::Not(word)), half), hn::Set(d, -0x1p-64));
    const auto f =
        hn::IfThenElse(hn::Eq(exponent, hn::Zero(d)), below_one, hn::Sub(parts.m, hn::Set(d, 1.0)));
    hn::StoreU(radius(d, f, exponent), d, radii + i);
  }
  return !hn::AllFalse(du, rare);
}

// sqrt(-2 log(x 2^shift)) for x of at least 1.
double one_radius(double x, double shift) {
  const hn::CappedTag<double, 1> d;
  const auto parts = split(d, hn::Set(d, x));
  return hn::GetLane(
      radius(d, hn::Sub(parts.m, hn::Set(d, 1.0)), hn::Add(parts.exponent, hn::Set(d, shift))));
}

// Of the second word of a pair two bits are signs, one says which of the two is larger, and 61 are the angle
// within an eighth turn.
template <class D>
struct Turned {
  hn::Vec<D> first;
  hn::Vec<D> second;
};

template <class D>
HWY_INLINE Turned<D> turn(D d, hn::Vec<D> r, hn::Vec<hn::RebindToUnsigned<D>> word) {
  const hn::RebindToUnsigned<D> du;
  const auto fraction = hn::And(word, hn::Set(du, 0x1fffffffffffffffu));
  const auto x = hn::Mul(hn::Add(to_double(d, fraction), hn::Set(d, 0.5)), hn::Set(d, 0x1p-62));
  const auto z = hn::Mul(x, x);
  auto p = hn::Set(d, 0x1.e3f38399551bfp-25);  // sin(pi x / 2) / x
  p = next_term(d, p, z, -0x1.e30071afc3e59p-19);
  p = next_term(d, p, z, 0x1.50782fda12d96p-13);
  p = next_term(d, p, z, -0x1.32d2cce2e5b19p-8);
  p = next_term(d, p, z, 0x1.466bc677587f8p-4);
  p = next_term(d, p, z, -0x1.4abbce625be41p-1);
  p = next_term(d, p, z, 0x1.921fb54442d18p+0);
  const auto sine = hn::Mul(p, x);
  auto q = hn::Set(d, -0x1.b2f3eb054afcdp-28);  // (cos(pi x / 2) - 1) / x^2
  q = next_term(d, q, z, 0x1.f9ce245cada0bp-22);
  q = next_term(d, q, z, -0x1.a6d1eef479be1p-16);
  q = next_term(d, q, z, 0x1.e1f5068688d5bp-11);
  q = next_term(d, q, z, -0x1.55d3c7e3cb241p-6);
  q = next_term(d, q, z, 0x1.03c1f081b5ac0p-2);
  q = next_term(d, q, z, -0x1.3bd3cc9be45dep+0);
  const auto cosine = hn::Add(hn::Mul(q, z), hn::Set(d, 1.0));
  const auto swap = hn::RebindMask(d, hn::Ne(hn::And(word, hn::Set(du, 0x2000000000000000u)), hn::Zero(du)));
  const auto sign_bit = hn::Set(du, 0x8000000000000000u);
  const auto first_sign = hn::BitCast(d, hn::And(word, sign_bit));
  const auto second_sign = hn::BitCast(d, hn::And(hn::ShiftLeft<1>(word), sign_bit));
  return {hn::Xor(hn::Mul(r, hn::IfThenElse(swap, sine, cosine)), first_sign),
          hn::Xor(hn::Mul(r, hn::IfThenElse(swap, cosine, sine)), second_sign)};
}

void turn_block(const Block& block, double* first, double* second) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  for (std::size_t i = 0; i < block.pairs; i += hn::Lanes(d)) {
    const auto turned = turn(d, hn::LoadU(d, block.radii + i), hn::LoadU(du, block.words + block.pairs + i));
    hn::StoreU(turned.first, d, first + i);
    hn::StoreU(turned.second, d, second + i);
  }
}

void turn_and_round_block(const Block& block, double stddev, std::int32_t* first, std::int32_t* second) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  const auto factor = hn::Set(d, stddev);
  for (std::size_t i = 0; i < block.pairs; i += hn::Lanes(d)) {
    const auto turned = turn(d, hn::LoadU(d, block.radii + i), hn::LoadU(du, block.words + block.pairs + i));
    hn::StoreU(hn::DemoteTo(di, hn::Round(hn::Mul(turned.first, factor))), di, first + i);
    hn::StoreU(hn::DemoteTo(di, hn::Round(hn::Mul(turned.second, factor))), di, second + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::privacy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::privacy {
namespace {

HWY_EXPORT(make_radii);
HWY_EXPORT(one_radius);
HWY_EXPORT(turn_block);
HWY_EXPORT(turn_and_round_block);

// Below 2^-12 the first word of a uniform number has too few significant bits left: more words follow, as
// many as it takes to find one that is not zero, up to 2^-1088.
double small_uniform_radius(std::uint64_t word, RandomStream& stream) {
  int zeros = 0;
  while (word == 0 && zeros < 16) {
    word = stream.bits();
    ++zeros;
  }
  const double lower = (static_cast<double>(stream.bits()) + 0.5) * 0x1p-64;
  const double x = (static_cast<double>(word) + lower) * 0x1p66;  // at least 1
  return HWY_DYNAMIC_DISPATCH(one_radius)(x, -66 - 64 * (zeros + 1));
}

void draw_block(RandomStream& stream, std::size_t pairs, Block& block) {
  block.pairs = pairs;
  stream.fill(std::as_writable_bytes(std::span(block.words, 2 * pairs)));
  if (!HWY_DYNAMIC_DISPATCH(make_radii)(block.words, pairs, block.radii)) return;
  for (std::size_t i = 0; i < pairs; ++i) {
    if (block.words[i] >> 52 == 0) block.radii[i] = small_uniform_radius(block.words[i], stream);
  }
}

// `turn(block, first, second)` makes the numbers of a block from its radii and angles.
template <typename Number, typename Turn>
void fill_blocks(RandomStream& stream, std::span<Number> values, const Turn& turn) {
  Block block;
  alignas(64) Number first[kBlock + kSlack];
  alignas(64) Number second[kBlock + kSlack];
  for (std::size_t begin = 0; begin < values.size(); begin += 2 * kBlock) {
    const std::size_t count = std::min(2 * kBlock, values.size() - begin);
    const std::size_t pairs = (count + 1) / 2;
    draw_block(stream, pairs, block);
    turn(block, first, second);
    std::memcpy(values.data() + begin, first, pairs * sizeof(Number));
    std::memcpy(values.data() + begin + pairs, second, (count - pairs) * sizeof(Number));
  }
}

}  // namespace

void fill_gaussian(RandomStream& stream, std::span<double> values) {
  fill_blocks(stream, values, HWY_DYNAMIC_DISPATCH(turn_block));
}

void fill_rounded_gaussian(RandomStream& stream, double stddev, std::span<std::int32_t> values) {
  static constexpr std::size_t kPiece = std::size_t{1} << 14;
  static constexpr std::size_t kFew = 64;  // cheaper without a fork
  if (!(stddev > 0 && stddev <= kMostGaussianSteps)) {
    throw InvalidArgument({.what = fmt::format("noise of {} grid steps", stddev),
                           .where = "rounded Gaussian noise",
                           .expected = fmt::format("at most {}", kMostGaussianSteps)});
  }
  const auto kernel = HWY_DYNAMIC_DISPATCH(turn_and_round_block);
  const auto turn = [&](const Block& block, std::int32_t* first, std::int32_t* second) {
    kernel(block, stddev, first, second);
  };
  if (values.size() <= kFew) return fill_blocks(stream, values, turn);
  // A fork is named by fresh bits: forks of a replayable stream by a fixed name would repeat their noise.
  const std::unique_ptr<RandomStream> base = stream.fork("gaussian", stream.bits());
  const auto piece = [&](std::size_t begin, std::size_t end) {
    const std::unique_ptr<RandomStream> own = base->fork("piece", begin / kPiece);
    fill_blocks(*own, values.subspan(begin, end - begin), turn);
  };
  parallel_for(values.size(), kPiece, std::cref(piece));
}

}  // namespace privet::privacy

#endif  // HWY_ONCE
