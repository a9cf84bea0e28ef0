#include "privet/core/noise/gaussian.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/core/noise/gaussian.cpp"  // compiled once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/core/noise/exact_gaussian.hpp"

#ifndef PRIVET_PRIVACY_NOISE_GAUSSIAN_BLOCK  // this part belongs to no instruction set
#define PRIVET_PRIVACY_NOISE_GAUSSIAN_BLOCK
namespace privet::privacy {
// Pairs made at once. Which words become which numbers is part of what a seed means.
constexpr std::size_t kBlock = 512;
// A vector may reach past the end of the pairs asked for.
constexpr std::size_t kSlack = 64;

// Where the numbers begin that will be wanted beside those of a block; null for none.
using NearBlock = std::array<const float*, 3>;

// What is still to be done for some pairs of a block.
struct Left {
  bool small;  // some first word is below 2^52: its pair is still to be made
  bool close;  // some number is so close to a half that its rounding may not be settled
};

// Finds numbers close to a half: with `shift` added, the bits `fraction` are those behind the point, moved by
// a half and rounded. They are all zero for numbers within half of the last one of them, and for few others.
struct Halves {
  double shift = 0;
  std::int64_t fraction = 0;
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

// 0 for numbers that are close to a half.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> from_half(D d, hn::Vec<D> values, Halves halves) {
  const hn::RebindToSigned<D> di;
  return hn::And(hn::BitCast(di, hn::Add(values, hn::Set(d, halves.shift))), hn::Set(di, halves.fraction));
}

// What is wanted beside the two numbers of a pair. One request after some work, and the memory answers
// meanwhile; many at once, and everything behind them waits.
HWY_INLINE void ask_for(const float* near, std::size_t pair) {
  if (near != nullptr) hwy::Prefetch(near + 2 * pair);
}

// In three short passes: one long chain of operations per pair would leave the processor waiting, for want of
// room to begin the next one.
template <typename Number>
HWY_INLINE Left make_pairs(const std::uint64_t* sizes, const std::uint64_t* angles, std::size_t pairs,
                           double variance, Halves halves, const NearBlock& near, Number* first,
                           Number* second) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  auto smallest = hn::Set(d, 0x1p64);
  const std::size_t lanes = hn::Lanes(d);
  alignas(64) double squares[kBlock + kSlack];
  alignas(64) double exponents[kBlock + kSlack];
  for (std::size_t i = 0; i < pairs; i += lanes) {
    ask_for(near[0], i);
    const auto size = hn::LoadU(du, sizes + i);
    smallest = hn::Min(smallest, hn::ConvertTo(d, size));
    const auto uniform = large_uniform(d, size);
    hn::Store(half_log_tanh(d, uniform.f), d, squares + i);
    hn::Store(uniform.exponent, d, exponents + i);
  }
  for (std::size_t i = 0; i < pairs; i += lanes) {
    ask_for(near[1], i);
    hn::Store(square_radius(d, hn::Load(d, squares + i), hn::Load(d, exponents + i), variance), d,
              squares + i);
  }
  const hn::RebindToSigned<decltype(d)> di;
  auto closest = hn::Set(di, 1);
  for (std::size_t i = 0; i < pairs; i += lanes) {
    ask_for(near[2], i);
    const auto pair = turn(d, hn::Sqrt(hn::Load(d, squares + i)), hn::LoadU(du, angles + i));
    store(d, pair.first, first + i);
    store(d, pair.second, second + i);
    if constexpr (std::is_same_v<Number, std::int32_t>) {
      closest =
          hn::Min(closest, hn::Min(from_half(d, pair.first, halves), from_half(d, pair.second, halves)));
    }
  }
  return {!hn::AllFalse(d, hn::Lt(smallest, hn::Set(d, 0x1p52))),
          !hn::AllFalse(di, hn::Eq(closest, hn::Zero(di)))};
}

Left make_doubles(const std::uint64_t* sizes, const std::uint64_t* angles, std::size_t pairs, double variance,
                  Halves halves, const NearBlock& near, double* first, double* second) {
  return make_pairs(sizes, angles, pairs, variance, halves, near, first, second);
}
Left make_integers(const std::uint64_t* sizes, const std::uint64_t* angles, std::size_t pairs,
                   double variance, Halves halves, const NearBlock& near, std::int32_t* first,
                   std::int32_t* second) {
  return make_pairs(sizes, angles, pairs, variance, halves, near, first, second);
}
// One pair of the radius sqrt(-2 log(x 2^shift)), x at least 1.
void make_rare_pair(double x, double shift, std::uint64_t angle, double variance, double* first,
                    double* second) {
  const hn::CappedTag<double, 1> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto parts = split(d, hn::Set(d, x), shift);
  const auto s = half_log_tanh(d, hn::Sub(parts.m, hn::Set(d, 1.0)));
  const auto r = hn::Sqrt(square_radius(d, s, parts.exponent, variance));
  const auto pair = turn(d, r, hn::Set(du, angle));
  hn::StoreU(pair.first, d, first);
  hn::StoreU(pair.second, d, second);
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::privacy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::privacy {
namespace {

HWY_EXPORT(make_doubles);
HWY_EXPORT(make_integers);
HWY_EXPORT(make_rare_pair);

using RarePair = void (*)(double, double, std::uint64_t, double, double*, double*);

template <typename Number>
struct Kernels {
  Left (*pairs)(const std::uint64_t*, const std::uint64_t*, std::size_t, double, Halves, const NearBlock&,
                Number*, Number*);
  RarePair rare;
};

// Below 2^-12 the first word of a uniform number has too few significant bits left: more words follow, as
// many as it takes to find one that is not zero, but no more than 16, and one behind it.
PairBits small_bits(std::uint64_t word, std::uint64_t angle, RandomStream& stream) {
  unsigned words = 2;
  while (word == 0 && words < 18) {
    word = stream.bits();
    ++words;
  }
  return {.high = word, .low = stream.bits(), .words = words, .angle = angle};
}

std::array<double, 2> rare_pair(const PairBits& bits, double variance, RarePair make) {
  const double lower = (static_cast<double>(bits.low) + 0.5) * 0x1p-64;
  const double x = (static_cast<double>(bits.high) + lower) * 0x1p66;
  std::array<double, 2> pair{};
  make(x, -66.0 - 64 * static_cast<double>(bits.words - 1), bits.angle, variance, pair.data(),
       pair.data() + 1);
  return pair;
}

// The first words of some pairs and then the second ones, with the slack that vectors need behind them.
struct BlockWords {
  alignas(64) std::array<std::uint64_t, 2 * kBlock + kSlack> words;
  std::size_t pairs;

  void fill(std::size_t count, RandomStream& stream) {
    pairs = count;
    stream.fill(std::as_writable_bytes(std::span(words).first(2 * pairs)));
    std::fill_n(words.data() + 2 * pairs, kSlack, ~std::uint64_t{0});
  }
  [[nodiscard]] const std::uint64_t* sizes() const { return words.data(); }
  [[nodiscard]] const std::uint64_t* angles() const { return words.data() + pairs; }
};

// The closer, the fewer are made twice; numbers of up to 2^31 steps must leave room in a double.
Halves halves_for(double stddev) {
  static constexpr std::int64_t kMostBits = 20;
  const auto exponent =
      static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(most_doubt(stddev)) >> 52) - 1023;
  const std::int64_t bits = std::min(kMostBits, -exponent - 2);
  const std::uint64_t shift = (std::uint64_t{1023} + 52 - static_cast<std::uint64_t>(bits)) << 52;
  return {1.5 * std::bit_cast<double>(shift) + 0.5, (std::int64_t{1} << bits) - 1};
}

double from_integer(double x) { return std::abs(x - std::nearbyint(x)); }

// Makes the pairs of a block again, of which some number is close to a half, and rounds those exactly that
// need it: which ones does not depend on what found the block.
void settle(const BlockWords& block, double stddev, RandomStream& stream, std::int32_t* first,
            std::int32_t* second) {
  alignas(64) std::array<double, kBlock + kSlack> firsts;   // NOLINT: filled before it is read
  alignas(64) std::array<double, kBlock + kSlack> seconds;  // NOLINT
  (void)HWY_DYNAMIC_DISPATCH(make_doubles)(block.sizes(), block.angles(), block.pairs, stddev * stddev, {},
                                           {}, firsts.data(), seconds.data());
  const double near_half = 0.5 - 2 * most_doubt(stddev);
  for (std::size_t i = 0; i < block.pairs; ++i) {
    const PairBits bits{.low = block.sizes()[i], .angle = block.angles()[i]};
    const double closest = std::max(from_integer(firsts[i]), from_integer(seconds[i]));
    if (closest < near_half || bits.low >> 52 == 0 || is_settled(bits, stddev, firsts[i], seconds[i]))
      continue;
    const auto pair = exact_pair(bits, stddev, stream);
    first[i] = pair[0];
    second[i] = pair[1];
  }
}

template <typename Number>
void fill_blocks(RandomStream& stream, double stddev, std::span<Number> values, const Kernels<Number>& make,
                 const NearNumbers& near = {}) {
  constexpr bool kRounds = std::is_same_v<Number, std::int32_t>;
  BlockWords block;  // NOLINT: filled before it is read
  alignas(64) Number first[kBlock + kSlack];
  alignas(64) Number second[kBlock + kSlack];
  const double variance = stddev * stddev;
  const Halves halves = halves_for(stddev);
  for (std::size_t begin = 0; begin < values.size(); begin += 2 * kBlock) {
    const std::size_t count = std::min(2 * kBlock, values.size() - begin);
    const std::size_t pairs = (count + 1) / 2;
    block.fill(pairs, stream);
    NearBlock beside = {};
    for (std::size_t k = 0; k < near.size(); ++k)
      beside[k] = near[k].size() < begin + count ? nullptr : near[k].data() + begin;
    const Left left =
        make.pairs(block.sizes(), block.angles(), pairs, variance, halves, beside, first, second);
    if (left.small) {
      for (std::size_t i = 0; i < pairs; ++i) {
        if (block.sizes()[i] >> 52 != 0) continue;
        const PairBits bits = small_bits(block.sizes()[i], block.angles()[i], stream);
        const auto pair = rare_pair(bits, variance, make.rare);
        if constexpr (kRounds) {
          const auto rounded = rounded_pair(bits, stddev, pair[0], pair[1], stream);
          first[i] = rounded[0];
          second[i] = rounded[1];
        } else {
          first[i] = pair[0];
          second[i] = pair[1];
        }
      }
    }
    if constexpr (kRounds) {
      if (left.close) settle(block, stddev, stream, first, second);
    }
    std::memcpy(values.data() + begin, first, pairs * sizeof(Number));
    std::memcpy(values.data() + begin + pairs, second, (count - pairs) * sizeof(Number));
  }
}

}  // namespace

void fill_gaussian(RandomStream& stream, std::span<double> values) {
  fill_blocks<double>(stream, 1, values,
                      {HWY_DYNAMIC_DISPATCH(make_doubles), HWY_DYNAMIC_DISPATCH(make_rare_pair)});
}

void gaussian_pairs(std::span<const std::uint64_t> sizes, std::span<const std::uint64_t> angles,
                    double stddev, std::span<double> first, std::span<double> second) {
  BlockWords block;                                     // NOLINT: filled before it is read
  alignas(64) std::array<double, kBlock + kSlack> one;  // NOLINT
  alignas(64) std::array<double, kBlock + kSlack> two;  // NOLINT
  for (std::size_t begin = 0; begin < sizes.size(); begin += kBlock) {
    block.pairs = std::min(kBlock, sizes.size() - begin);
    block.words.fill(~std::uint64_t{0});
    std::ranges::copy(sizes.subspan(begin, block.pairs), block.words.begin());
    std::ranges::copy(angles.subspan(begin, block.pairs), block.words.data() + block.pairs);
    (void)HWY_DYNAMIC_DISPATCH(make_doubles)(block.sizes(), block.angles(), block.pairs, stddev * stddev, {},
                                             {}, one.data(), two.data());
    std::copy_n(one.data(), block.pairs, first.data() + begin);
    std::copy_n(two.data(), block.pairs, second.data() + begin);
  }
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
                                      HWY_DYNAMIC_DISPATCH(make_rare_pair)};
  if (count <= kFew) {
    some(std::size_t{0}, count, [&](std::span<std::int32_t> numbers, const NearNumbers& near) {
      fill_blocks(stream, stddev, numbers, make, near);
    });
    return;
  }
  // A fork is named by fresh bits: forks of a replayable stream by a fixed name would repeat their noise.
  const std::unique_ptr<RandomStream> base = stream.fork("gaussian", stream.bits());
  const auto body = [&](std::size_t begin, std::size_t end) {
    const std::unique_ptr<RandomStream> own = base->fork("piece", begin / kForked);
    some(begin, end - begin, [&](std::span<std::int32_t> numbers, const NearNumbers& near) {
      fill_blocks(*own, stddev, numbers, make, near);
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
