#include "privet/core/noise/gaussian.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/core/noise/gaussian.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

// Where the numbers begin that will be wanted beside those of a block; null for none.
using NearBlock = std::array<const float*, 3>;
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

// x 2^shift = m 2^exponent with m from sqrt(1/2) to sqrt(2).
template <class D>
struct Parts {
  hn::Vec<D> m;
  hn::Vec<D> exponent;
};

// For x of at least 1 and a whole shift.
template <class D>
HWY_INLINE Parts<D> split(D d, hn::Vec<D> x, double shift) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, x);
  const auto above = hn::ShiftRight<52>(hn::Sub(bits, hn::Set(du, 0x3fe6a09e667f3bcdu)));  // sqrt(1/2)
  const auto exponent = hn::BitCast(d, hn::Or(above, hn::Set(du, 0x4330000000000000u)));
  return {hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(above))),
          hn::Sub(exponent, hn::Set(d, 0x1p52 - shift))};
}

// f / (2 + f) = tanh(log(1 + f) / 2).
template <class D>
HWY_INLINE hn::Vec<D> half_log_tanh(D d, hn::Vec<D> f) {
  return hn::Div(f, hn::Add(f, hn::Set(d, 2.0)));
}

// -2 variance log(u) of u = (1 + f) 2^exponent, from s = f / (2 + f).
template <class D>
HWY_INLINE hn::Vec<D> square_radius(D d, hn::Vec<D> s, hn::Vec<D> exponent, double variance) {
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
  return hn::Mul(log, hn::Set(d, -2 * variance));
}

// A uniform number (1 + f) 2^exponent.
template <class D>
struct Uniform {
  hn::Vec<D> f;
  hn::Vec<D> exponent;
};

// From the first word of a pair, of at least 2^52: u = word 2^-64. Close to 1, f comes from 1 - u, so that
// small radii have their full relative precision.
template <class D>
HWY_INLINE Uniform<D> large_uniform(D d, hn::Vec<hn::RebindToUnsigned<D>> word) {
  const hn::RebindToUnsigned<D> du;
  const auto parts = split(d, hn::ConvertTo(d, word), -64);
  const auto below_one = hn::Mul(hn::ConvertTo(d, hn::Sub(hn::Zero(du), word)), hn::Set(d, -0x1p-64));
  const auto near_one = hn::Eq(parts.exponent, hn::Zero(d));
  return {hn::IfThenElse(near_one, below_one, hn::Sub(parts.m, hn::Set(d, 1.0))), parts.exponent};
}

// Of the second word of a pair one bit is the sign of the larger of the two, one says which that is, and 62
// are an angle within an eighth turn to either side, whose sine is the smaller one.
template <class D>
struct Turned {
  hn::Vec<D> first;
  hn::Vec<D> second;
};

template <class D>
HWY_INLINE Turned<D> turn(D d, hn::Vec<D> r, hn::Vec<hn::RebindToUnsigned<D>> word) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto fraction = hn::Or(hn::ShiftLeft<2>(word), hn::Set(du, 2));  // the middle of its interval
  const auto x = hn::Mul(hn::ConvertTo(d, hn::BitCast(di, fraction)), hn::Set(d, 0x1p-64));
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
  const auto sign = hn::BitCast(d, hn::And(word, hn::Set(du, 0x8000000000000000u)));
  const auto cosine = hn::Xor(hn::Add(hn::Mul(q, z), hn::Set(d, 1.0)), sign);
  const auto swap = hn::RebindMask(d, hn::TestBit(word, hn::Set(du, 0x4000000000000000u)));
  return {hn::Mul(r, hn::IfThenElse(swap, sine, cosine)), hn::Mul(r, hn::IfThenElse(swap, cosine, sine))};
}

template <class D>
HWY_INLINE void store(D d, hn::Vec<D> values, double* to) {
  hn::StoreU(values, d, to);
}

template <class D>
HWY_INLINE void store(D d, hn::Vec<D> values, std::int32_t* to) {
  // Adding 3 2^51 rounds to an integer, the nearest or the even one, and leaves it in the lowest bits.
  const auto rounded = hn::Add(values, hn::Set(d, 0x1.8p52));
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<std::uint32_t, D> narrow;
  hn::StoreU(
      hn::BitCast(hn::RebindToSigned<decltype(narrow)>(), hn::TruncateTo(narrow, hn::BitCast(du, rounded))),
      hn::RebindToSigned<decltype(narrow)>(), to);
}

// What is wanted beside the two numbers of a pair. One request after some work, and the memory answers
// meanwhile; many at once, and everything behind them waits.
HWY_INLINE void ask_for(const float* near, std::size_t pair) {
  if (near != nullptr) hwy::Prefetch(near + 2 * pair);
}

// Returns whether some first word was below 2^52 and its pair is still to be made. In three short passes: one
// long chain of operations per pair would leave the processor waiting, for want of room to begin the next
// one.
template <typename Number>
HWY_INLINE bool make_pairs(const std::uint64_t* sizes, const std::uint64_t* angles, std::size_t pairs,
                           double variance, const NearBlock& near, Number* first, Number* second) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  auto smallest = hn::Set(du, ~std::uint64_t{0} >> 52);
  const std::size_t lanes = hn::Lanes(d);
  alignas(64) double squares[kBlock + kSlack];
  alignas(64) double exponents[kBlock + kSlack];
  for (std::size_t i = 0; i < pairs; i += lanes) {
    ask_for(near[0], i);
    const auto size = hn::LoadU(du, sizes + i);
    smallest = hn::Min(smallest, hn::ShiftRight<52>(size));
    const auto uniform = large_uniform(d, size);
    hn::Store(half_log_tanh(d, uniform.f), d, squares + i);
    hn::Store(uniform.exponent, d, exponents + i);
  }
  for (std::size_t i = 0; i < pairs; i += lanes) {
    ask_for(near[1], i);
    hn::Store(square_radius(d, hn::Load(d, squares + i), hn::Load(d, exponents + i), variance), d,
              squares + i);
  }
  for (std::size_t i = 0; i < pairs; i += lanes) {
    ask_for(near[2], i);
    const auto pair = turn(d, hn::Sqrt(hn::Load(d, squares + i)), hn::LoadU(du, angles + i));
    store(d, pair.first, first + i);
    store(d, pair.second, second + i);
  }
  return !hn::AllFalse(du, hn::Eq(smallest, hn::Zero(du)));
}

// One pair of the radius sqrt(-2 log(x 2^shift)), x at least 1.
template <typename Number>
HWY_INLINE void make_rare_pair(double x, double shift, std::uint64_t angle, double variance, Number* first,
                               Number* second) {
  const hn::CappedTag<double, 1> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto parts = split(d, hn::Set(d, x), shift);
  const auto s = half_log_tanh(d, hn::Sub(parts.m, hn::Set(d, 1.0)));
  const auto r = hn::Sqrt(square_radius(d, s, parts.exponent, variance));
  const auto pair = turn(d, r, hn::Set(du, angle));
  store(d, pair.first, first);
  store(d, pair.second, second);
}

bool make_doubles(const std::uint64_t* sizes, const std::uint64_t* angles, std::size_t pairs, double variance,
                  const NearBlock& near, double* first, double* second) {
  return make_pairs(sizes, angles, pairs, variance, near, first, second);
}
bool make_integers(const std::uint64_t* sizes, const std::uint64_t* angles, std::size_t pairs,
                   double variance, const NearBlock& near, std::int32_t* first, std::int32_t* second) {
  return make_pairs(sizes, angles, pairs, variance, near, first, second);
}
void make_rare_doubles(double x, double shift, std::uint64_t angle, double variance, double* first,
                       double* second) {
  make_rare_pair(x, shift, angle, variance, first, second);
}
void make_rare_integers(double x, double shift, std::uint64_t angle, double variance, std::int32_t* first,
                        std::int32_t* second) {
  make_rare_pair(x, shift, angle, variance, first, second);
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::privacy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::privacy {
namespace {

HWY_EXPORT(make_doubles);
HWY_EXPORT(make_integers);
HWY_EXPORT(make_rare_doubles);
HWY_EXPORT(make_rare_integers);

template <typename Number>
struct Kernels {
  bool (*pairs)(const std::uint64_t*, const std::uint64_t*, std::size_t, double, const NearBlock&, Number*,
                Number*);
  void (*rare)(double, double, std::uint64_t, double, Number*, Number*);
};

// Below 2^-12 the first word of a uniform number has too few significant bits left: more words follow, as
// many as it takes to find one that is not zero, up to 2^-1088. The number is x 2^shift, x at least 1.
struct SmallUniform {
  double x;
  double shift;
};

SmallUniform small_uniform(std::uint64_t word, RandomStream& stream) {
  int zeros = 0;
  while (word == 0 && zeros < 16) {
    word = stream.bits();
    ++zeros;
  }
  const double lower = (static_cast<double>(stream.bits()) + 0.5) * 0x1p-64;
  return {(static_cast<double>(word) + lower) * 0x1p66, -66.0 - 64 * (zeros + 1)};
}

template <typename Number>
void fill_blocks(RandomStream& stream, double variance, std::span<Number> values, const Kernels<Number>& make,
                 const NearNumbers& near = {}) {
  alignas(64) std::uint64_t words[2 * kBlock + kSlack];  // the first ones of all pairs, then the second ones
  alignas(64) Number first[kBlock + kSlack];
  alignas(64) Number second[kBlock + kSlack];
  for (std::size_t begin = 0; begin < values.size(); begin += 2 * kBlock) {
    const std::size_t count = std::min(2 * kBlock, values.size() - begin);
    const std::size_t pairs = (count + 1) / 2;
    const std::uint64_t* angles = words + pairs;
    stream.fill(std::as_writable_bytes(std::span(words, 2 * pairs)));
    std::fill_n(words + 2 * pairs, kSlack, ~std::uint64_t{0});
    NearBlock beside = {};
    for (std::size_t k = 0; k < near.size(); ++k)
      beside[k] = near[k].size() < begin + count ? nullptr : near[k].data() + begin;
    if (make.pairs(words, angles, pairs, variance, beside, first, second)) {
      for (std::size_t i = 0; i < pairs; ++i) {
        if (words[i] >> 52 != 0) continue;
        const SmallUniform uniform = small_uniform(words[i], stream);
        make.rare(uniform.x, uniform.shift, angles[i], variance, first + i, second + i);
      }
    }
    std::memcpy(values.data() + begin, first, pairs * sizeof(Number));
    std::memcpy(values.data() + begin + pairs, second, (count - pairs) * sizeof(Number));
  }
}

}  // namespace

void fill_gaussian(RandomStream& stream, std::span<double> values) {
  fill_blocks<double>(stream, 1, values,
                      {HWY_DYNAMIC_DISPATCH(make_doubles), HWY_DYNAMIC_DISPATCH(make_rare_doubles)});
}

namespace {

// Numbers from one fork of the stream: part of what a seed means.
constexpr std::size_t kForked = std::size_t{1} << 14;
static_assert(kForked % kNoisePiece == 0 && kNoisePiece % (2 * kBlock) == 0);

// `some(first, count, fill)` for all numbers, fork by fork, where fill(numbers, near) draws the next ones.
template <typename F>
void in_forks(RandomStream& stream, double stddev, std::size_t count, const F& some) {
  static constexpr std::size_t kFew = 64;  // cheaper without a fork
  if (!(stddev > 0 && stddev <= kMostGaussianSteps)) {
    throw InvalidArgument({.what = fmt::format("noise of {} grid steps", stddev),
                           .where = "rounded Gaussian noise",
                           .expected = fmt::format("at most {}", kMostGaussianSteps)});
  }
  const Kernels<std::int32_t> make = {HWY_DYNAMIC_DISPATCH(make_integers),
                                      HWY_DYNAMIC_DISPATCH(make_rare_integers)};
  if (count <= kFew) {
    some(std::size_t{0}, count, [&](std::span<std::int32_t> numbers, const NearNumbers& near) {
      fill_blocks(stream, stddev * stddev, numbers, make, near);
    });
    return;
  }
  // A fork is named by fresh bits: forks of a replayable stream by a fixed name would repeat their noise.
  const std::unique_ptr<RandomStream> base = stream.fork("gaussian", stream.bits());
  const auto body = [&](std::size_t begin, std::size_t end) {
    const std::unique_ptr<RandomStream> own = base->fork("piece", begin / kForked);
    some(begin, end - begin, [&](std::span<std::int32_t> numbers, const NearNumbers& near) {
      fill_blocks(*own, stddev * stddev, numbers, make, near);
    });
  };
  parallel_for(count, kForked, std::cref(body));
}

}  // namespace

void fill_rounded_gaussian(RandomStream& stream, double stddev, std::span<std::int32_t> values) {
  in_forks(stream, stddev, values.size(), [&](std::size_t first, std::size_t count, const auto& fill) {
    fill(values.subspan(first, count), NearNumbers());
  });
}

void for_each_noise_piece(RandomStream& stream, double stddev, std::size_t count,
                          const std::function<void(std::size_t, std::span<const std::int32_t>)>& use,
                          const NearNumbers& near) {
  in_forks(stream, stddev, count, [&](std::size_t first, std::size_t size, const auto& fill) {
    alignas(64) std::array<std::int32_t, kNoisePiece> room;  // NOLINT: filled before it is read
    for (std::size_t done = 0; done < size; done += kNoisePiece) {
      const std::span<std::int32_t> numbers = std::span(room).first(std::min(kNoisePiece, size - done));
      NearNumbers beside;
      for (std::size_t k = 0; k < near.size(); ++k) {
        if (near[k].size() == count) beside[k] = near[k].subspan(first + done, numbers.size());
      }
      fill(numbers, beside);
      use(first + done, numbers);
    }
  });
}

}  // namespace privet::privacy

#endif  // HWY_ONCE
