#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "privet/base/random.hpp"

namespace privet::privacy {

/// Standard Gaussian numbers, in double precision, by the method of Box and Muller: no table, no rejection.
/// Vectorised; the numbers depend on the stream alone, not on the instruction set. For simulations: what is
/// released gets the rounded numbers below.
///
/// A pair is made of two words, and of one or more further ones with probability 2^-12, where the radius
/// would have too few significant bits. The logarithm, sine and cosine are our own: each number is within
/// 2^-49 of itself of what its words stand for, near zero as well as far out (`doubts`, exact_gaussian.hpp;
/// the worst of 600,000 that a test compares is 2^-50.8 off).
void fill_gaussian(RandomStream& stream, std::span<double> values);

/// The same of words that are given: first words of at least 2^52, a second word for each, and what becomes
/// of them, times `stddev`. For tests.
void gaussian_pairs(std::span<const std::uint64_t> sizes, std::span<const std::uint64_t> angles,
                    double stddev, std::span<double> first, std::span<double> second);

/// More grid steps per standard deviation are refused: 57 times as many, more than is ever drawn, must fit an
/// integer.
inline constexpr double kMostGaussianSteps = 0x1p24;

/// Gaussian noise of standard deviation `stddev` (in grid steps, at most kMostGaussianSteps, else an
/// InvalidArgument), rounded to the nearest integer. Filled in pieces, each from its own fork of the stream,
/// on all threads; the numbers do not depend on how many there are. Two calls draw independently, also from a
/// replayable stream.
///
/// The noise is ideal Gaussian noise, rounded, but for a probability below 2^-1150 per number. Words are the
/// first bits of uniform numbers that have no end of them. Where the error of double precision and the
/// missing bits together can't move a number over a half, its integer is that of the ideal number, whatever
/// those bits are. Where they can (for 2^20 steps, once in some hundred million numbers), 1152 more bits of
/// both uniform numbers are drawn, and what they leave open has that probability (exact_gaussian.hpp). So
/// 2^40 numbers differ from ideal ones in total variation by less than 2^-1110, which no double above 0 is:
/// no delta that can be written has to be enlarged for it where epsilon is at most 20.
void fill_rounded_gaussian(RandomStream& stream, double stddev, std::span<std::int32_t> values);

/// How many numbers a piece of noise has; the last may have fewer.
inline constexpr std::size_t kNoisePiece = std::size_t{1} << 13;

/// Arrays with a number for each number of noise, which somebody will want beside it: parameters that it
/// changes. They are asked to come near while the noise is drawn, which waits for no memory. They are not
/// read here and change nothing; those that have more numbers than the noise, or fewer, are passed over.
using NearNumbers = std::array<std::span<const float>, 3>;

/// The same `count` numbers as fill_rounded_gaussian, piece by piece: `use(first, noise)` gets those from
/// `first` on, in order on each thread, and is called for several pieces at once on different threads. Noise
/// that is used up at once never leaves the nearest caches.
void for_each_noise_piece(RandomStream& stream, double stddev, std::size_t count,
                          const std::function<void(std::size_t, std::span<const std::int32_t>)>& use,
                          const NearNumbers& near = {});

}  // namespace privet::privacy
