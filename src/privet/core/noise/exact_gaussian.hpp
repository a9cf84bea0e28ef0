#pragma once

#include <array>
#include <cstdint>

#include "privet/base/random.hpp"

namespace privet::privacy {

/// The bits that are known of the two uniform numbers behind a pair of Gaussian numbers. The numbers have no
/// end of bits; those behind the known ones are drawn where they are needed, which is next to never. Of the
/// first number u it is known that
///
///     high 2^64 + low <= u 2^(64 words) < high 2^64 + low + 1.
///
/// Of `angle` one bit is the sign of the larger Gaussian number, one says which of the two that is, and 62
/// are an interval of angles within an eighth turn to either side of an axis.
struct PairBits {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  unsigned words = 1;  ///< of the first number
  std::uint64_t angle = 0;
};

/// How far `first` and `second`, computed in double precision from the known bits, may be from the numbers of
/// standard deviation `stddev` that any bits behind them would make, where one of them is 1/8 or more. The
/// sum of
///
/// * 2^-49 of the number, for arithmetic. Counted step by step there are at most 10 errors of 2^-53: 7 in the
///   logarithm and 2 for the variance, of which the root takes half, 1 in the root, 3.4 in the sine, 1 in the
///   product. Comparing with a half costs 1 more. Numbers of several words have fewer.
/// * 1.01 / (w r^2) of the number, for the interval of u, where w is its one word and r the radius. At the
///   other end of the interval r' has r^2 - r'^2 = 2 log(1 + 1/w) <= 2 / w, and that is below 2^-8 r^2 as r
///   is 2^-27 or more. With several words it is within the first term; below 2^-1088 everything is in doubt.
/// * 2^-62 of both numbers together, for the interval of the angle.
std::array<double, 2> doubts(const PairBits& bits, double stddev, double first, double second);

/// A bound on the doubt of every number that is 0.49 or more off zero and has one word w, of at least 2^52: r
/// is at most 4.08, and w r at least 2^54 or 0.6 2^64 x 0.49 / stddev.
double most_doubt(double stddev);

/// Whether the known bits settle to which integers the two are rounded: none is within its doubt of a half,
/// or both are so small that they are 0.
bool is_settled(const PairBits& bits, double stddev, double first, double second);

/// The two numbers of standard deviation `stddev`, at most 2^24, rounded to the nearest integers: 1152 more
/// bits of each uniform number are drawn and all is computed in 1408. With probability below 2^-1150 a half
/// lies between what is computed and what no end of bits would make. (Bits leave 2^-1204 of u open at most,
/// so 2^-1155 of a number with radius 1/2 or more; the densities at all halves add up to less than 2.)
std::array<std::int32_t, 2> exact_pair(const PairBits& bits, double stddev, RandomStream& more);

/// The two rounded: as they are where that is settled, else by exact_pair.
std::array<std::int32_t, 2> rounded_pair(const PairBits& bits, double stddev, double first, double second,
                                         RandomStream& more);

}  // namespace privet::privacy
