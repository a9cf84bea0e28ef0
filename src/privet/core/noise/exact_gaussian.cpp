#include "privet/core/noise/exact_gaussian.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace privet::privacy {
namespace {

namespace mp = boost::multiprecision;
using Real = mp::number<mp::cpp_bin_float<1408, mp::digit_base_2>, mp::et_off>;

constexpr int kMoreWords = 18;

// Uniform on [0, 1): the middle of an interval.
Real more_bits(RandomStream& stream) {
  Real bits = 0;
  for (int i = 0; i < kMoreWords; ++i) bits = ldexp(bits, 64) + stream.bits();
  return ldexp(bits + 0.5, -64 * kMoreWords);
}

std::int32_t nearest(const Real& x) { return floor(x + 0.5).convert_to<std::int32_t>(); }

}  // namespace

std::array<double, 2> doubts(const PairBits& bits, double stddev, double first, double second) {
  const double square = first * first + second * second;
  double relative = 0x1p-49;
  if (bits.words == 1) {
    relative += 1.01 * stddev * stddev / (static_cast<double>(bits.low) * square);
  } else if (bits.high == 0) {
    relative = std::numeric_limits<double>::infinity();
  }
  const double turned = (std::abs(first) + std::abs(second)) * 0x1p-62;
  return {std::abs(first) * relative + turned, std::abs(second) * relative + turned};
}

double most_doubt(double stddev) { return stddev * (5 * 0x1p-49 + stddev * 7 * 0x1p-65); }

bool is_settled(const PairBits& bits, double stddev, double first, double second) {
  if (std::max(std::abs(first), std::abs(second)) < 0.125) return true;
  const auto [of_first, of_second] = doubts(bits, stddev, first, second);
  return std::abs(first - std::round(first)) < 0.5 - of_first &&
         std::abs(second - std::round(second)) < 0.5 - of_second;
}

std::array<std::int32_t, 2> exact_pair(const PairBits& bits, double stddev, RandomStream& more) {
  const Real known = ldexp(Real(bits.high), 64) + bits.low;
  const Real u = ldexp(known + more_bits(more), -64 * static_cast<int>(bits.words));
  const Real radius = stddev * sqrt(-2 * log(u));
  const std::int64_t interval = static_cast<std::int64_t>(bits.angle << 2) >> 2;
  const Real angle = ldexp(interval + more_bits(more), -62) * boost::math::constants::half_pi<Real>();
  const std::int32_t smaller = nearest(radius * sin(angle));
  const Real length = radius * cos(angle);
  const std::int32_t larger = nearest(bits.angle >> 63 != 0 ? Real(-length) : length);
  const bool swapped = (bits.angle >> 62 & 1) != 0;
  return {swapped ? smaller : larger, swapped ? larger : smaller};
}

std::array<std::int32_t, 2> rounded_pair(const PairBits& bits, double stddev, double first, double second,
                                         RandomStream& more) {
  if (!is_settled(bits, stddev, first, second)) return exact_pair(bits, stddev, more);
  return {static_cast<std::int32_t>(std::round(first)), static_cast<std::int32_t>(std::round(second))};
}

}  // namespace privet::privacy
