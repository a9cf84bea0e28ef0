#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "privet/base/random.hpp"

namespace privet::privacy {

/// Standard Gaussian numbers, in double precision, by the method of Box and Muller: no table, no rejection,
/// and the same number of draws for the same number of values (but for one more with probability 2^-12 per
/// pair). Vectorised; the numbers depend on the stream alone, not on the instruction set.
///
/// How far from ideal: the radius comes from a uniform number with 52 significant bits however small it is,
/// cut off at 2^-1088, so nothing is drawn beyond 38.8 standard deviations, which ideal noise exceeds with
/// probability below 1e-320: less than any delta that can be asked for. The logarithm, sine and cosine are
/// our own: each number is within 2^-49 of itself of what its words stand for, near zero as well as far out
/// (the worst of 600,000 that a test compares is 2^-50.8 off).
void fill_gaussian(RandomStream& stream, std::span<double> values);

/// More grid steps per standard deviation are refused: 38.8 times as many must fit an integer.
inline constexpr double kMostGaussianSteps = 0x1p24;

/// Gaussian noise of standard deviation `stddev` (in grid steps, at most kMostGaussianSteps, else an
/// InvalidArgument), rounded to the nearest integer. Filled in pieces, each from its own fork of the stream,
/// on all threads; the numbers do not depend on how many there are. Two calls draw independently, also from a
/// replayable stream.
///
/// The probability of each integer within 38 standard deviations is that of ideal rounded noise up to a
/// factor 1 +- 2^-44 (stddev + 41). The ends of its interval are off by r <= 2^-49 of their distance d from 0
/// and by less than 2^-57 for the 62 bits of an angle; the density at an end is at most stddev + d + 1.5
/// times the interval's probability; and 2 d r <= 2^-44 also for the largest d, where the logarithm is large,
/// the angle close to an axis and both are precise: r <= 2^-50.1 from 24 standard deviations on.
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
