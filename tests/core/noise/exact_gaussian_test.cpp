#include "privet/core/noise/exact_gaussian.hpp"

#include <gtest/gtest.h>

#include <hwy/highway.h>
#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "privet/core/noise/gaussian.hpp"

namespace privet::privacy {
namespace {

using Real = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<420, boost::multiprecision::digit_base_2>,
    boost::multiprecision::et_off>;

struct Ideal {
  Real first;
  Real second;
};

// The definition of a pair: the bits behind the known ones are `of_size` and `of_angle`, both from 0 to 1.
Ideal ideal(const PairBits& bits, double stddev, const Real& of_size, const Real& of_angle) {
  Real u = ldexp(Real(bits.high), 64) + bits.low + of_size;
  u = ldexp(u, -64 * static_cast<int>(bits.words));
  const Real radius = u < 1 ? Real(stddev * sqrt(-2 * log(u))) : Real(0);
  const std::int64_t interval = static_cast<std::int64_t>(bits.angle << 2) >> 2;
  const Real angle = ldexp(interval + of_angle, -62) * boost::math::constants::half_pi<Real>();
  const Real smaller = radius * sin(angle);
  const Real larger = (bits.angle >> 63 != 0 ? -1 : 1) * radius * cos(angle);
  return (bits.angle >> 62 & 1) != 0 ? Ideal{smaller, larger} : Ideal{larger, smaller};
}

std::int64_t rounded(const Real& x) { return floor(x + 0.5).convert_to<std::int64_t>(); }

// The same in 64 bits of precision, for one word: enough to judge double precision.
std::array<long double, 2> ideal_in_long_double(std::uint64_t size, std::uint64_t angle, double stddev,
                                                int of_size, int of_angle) {
  const auto above = static_cast<long double>(0 - size) - static_cast<long double>(of_size);
  const long double log =
      size >> 63 != 0 ? log1pl(-above * 0x1p-64L)
                      : logl((static_cast<long double>(size) + static_cast<long double>(of_size)) * 0x1p-64L);
  const long double radius = stddev * sqrtl(-2 * log);
  const long double x = (static_cast<long double>(static_cast<std::int64_t>(angle << 2) >> 2) +
                         static_cast<long double>(of_angle)) *
                        0x1p-62L * (std::numbers::pi_v<long double> / 2);
  const long double larger = (angle >> 63 != 0 ? -radius : radius) * cosl(x);
  const long double smaller = radius * sinl(x);
  if ((angle >> 62 & 1) != 0) return {smaller, larger};
  return {larger, smaller};
}

constexpr std::uint64_t kRoot = 0xb504f333f9de6484;  // sqrt(1/2) 2^64

// First words where the arithmetic changes its way or loses most, and their surroundings; then any.
std::vector<std::uint64_t> sizes(std::size_t count, SeededStream& stream) {
  std::vector<std::uint64_t> words;
  for (const std::uint64_t centre : {std::uint64_t{1} << 52, std::uint64_t{1} << 63, kRoot, kRoot >> 1,
                                     kRoot >> 11, ~std::uint64_t{0}, std::uint64_t{1} << 53}) {
    for (int bits = 1; bits < 62; ++bits) {
      for (const std::uint64_t by : {stream.bits() >> (64 - bits), 0 - (stream.bits() >> (64 - bits))})
        words.push_back(std::max(centre + by, std::uint64_t{1} << 52));
    }
  }
  while (words.size() < count) words.push_back(std::max(stream.bits(), std::uint64_t{1} << 52));
  return words;
}

// Angles close to an axis, at an eighth turn from one, and any.
std::vector<std::uint64_t> angles(std::size_t count, SeededStream& stream) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t top = stream.bits() & 0xc000000000000000U;
    const std::uint64_t few = stream.bits() >> (2 + stream.below(62));
    const std::uint64_t way = stream.below(4);
    const std::uint64_t low = way == 0   ? few
                              : way == 1 ? 0 - few
                              : way == 2 ? 0x1fffffffffffffffU - few
                                         : stream.bits();
    words.push_back(top | (low & 0x3fffffffffffffffU));
  }
  return words;
}

void on_every_instruction_set(const std::function<void()>& check) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Words whose pair has its larger number within their own resolution of a half, and words up to `away` steps
// of 2^-64 from them.
PairBits near_half(double stddev, std::uint64_t away, SeededStream& stream) {
  for (;;) {
    PairBits bits{.low = std::max(stream.bits(), std::uint64_t{1} << 52), .angle = stream.bits()};
    const bool swapped = (bits.angle >> 62 & 1) != 0;
    const Ideal pair = ideal(bits, stddev, 0, Real(0.5));
    const Real larger = abs(swapped ? pair.second : pair.first);
    const Real half = floor(larger) + 0.5;
    const Real log_u = log(ldexp(Real(bits.low), -64)) * (half / larger) * (half / larger);
    const Real word = floor(ldexp(exp(log_u), 64));
    if (word < ldexp(Real(1), 52) + away || word >= ldexp(Real(1), 64) - away) continue;
    bits.low = word.convert_to<std::uint64_t>() + (away == 0 ? 0 : stream.below(2 * away + 1) - away);
    return bits;
  }
}

TEST(ExactGaussian, DoublePrecisionErrsByLessThanTheDoubt) {
  long double worst = 0;
  long double worst_arithmetic = 0;
  on_every_instruction_set([&] {
    SeededStream stream(1);
    const std::vector<std::uint64_t> first_words = sizes(60000, stream);
    const std::vector<std::uint64_t> second_words = angles(60000, stream);
    std::vector<double> first(first_words.size());
    std::vector<double> second(first_words.size());
    for (const double stddev : {0.3, 1048576.0, 1234567.89, 16777216.0}) {
      gaussian_pairs(first_words, second_words, stddev, first, second);
      for (std::size_t i = 0; i < first.size(); ++i) {
        const PairBits bits{.low = first_words[i], .angle = second_words[i]};
        if (std::max(std::abs(first[i]), std::abs(second[i])) < 0.125) continue;
        const auto doubt = doubts(bits, stddev, first[i], second[i]);
        for (const auto& [of_size, of_angle] :
             {std::pair(0, 0), std::pair(0, 1), std::pair(1, 0), std::pair(1, 1)}) {
          const auto exact = ideal_in_long_double(bits.low, bits.angle, stddev, of_size, of_angle);
          const long double off = std::max(fabsl(static_cast<long double>(first[i]) - exact[0]) / doubt[0],
                                           fabsl(static_cast<long double>(second[i]) - exact[1]) / doubt[1]);
          ASSERT_LT(off, 1.0L) << std::hex << bits.low << ' ' << bits.angle << ", stddev " << stddev;
          worst = std::max(worst, off);
          // Where the intervals are a small part of the doubt.
          if (doubt[0] < 0x1.08p-49 * std::abs(first[i]))
            worst_arithmetic =
                std::max(worst_arithmetic, fabsl(static_cast<long double>(first[i]) - exact[0]) / doubt[0]);
        }
      }
    }
  });
  RecordProperty("largest share of the doubt", std::to_string(static_cast<double>(worst)));
  RecordProperty("largest share by arithmetic", std::to_string(static_cast<double>(worst_arithmetic)));
  EXPECT_GT(worst, 0.9L);               // of small radii the interval is nearly all
  EXPECT_GT(worst_arithmetic, 0.05L);   // less would be no double precision: nothing was compared
  EXPECT_LT(worst_arithmetic, 0.625L);  // 10 of 16 roundings
}

TEST(ExactGaussian, NoDoubtIsLargerThanTheVectorsLookFor) {
  SeededStream stream(2);
  const std::vector<std::uint64_t> first_words = sizes(100000, stream);
  const std::vector<std::uint64_t> second_words = angles(100000, stream);
  std::vector<double> first(first_words.size());
  std::vector<double> second(first_words.size());
  double worst = 0;
  for (const double stddev : {0.13, 0.5, 1.0, 40.0, 1e5, 0x1p20, 0x1p21, 0x1p24}) {
    gaussian_pairs(first_words, second_words, stddev, first, second);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const auto doubt =
          doubts({.low = first_words[i], .angle = second_words[i]}, stddev, first[i], second[i]);
      if (std::abs(first[i]) >= 0.49) worst = std::max(worst, doubt[0] / most_doubt(stddev));
      if (std::abs(second[i]) >= 0.49) worst = std::max(worst, doubt[1] / most_doubt(stddev));
    }
    EXPECT_LT(worst, 1) << stddev;
  }
  EXPECT_GT(worst, 0.3);
}

// Settled numbers are those of every end of the bits: double precision rounds them rightly. Words around
// halves, a few doubts away: the law must be right on both sides of where the doubt ends.
TEST(ExactGaussian, SettledNumbersAreRoundedRightly) {
  on_every_instruction_set([] {
    SeededStream stream(3);
    std::size_t settled = 0;
    std::size_t open = 0;
    for (int trial = 0; trial < 600; ++trial) {
      const double stddev = trial % 3 == 0 ? 0x1p24 : trial % 3 == 1 ? 1.3 * 0x1p20 : 2.5;
      const PairBits bits = near_half(stddev, std::uint64_t{1} << stream.below(20), stream);
      double first = 0;
      double second = 0;
      gaussian_pairs({&bits.low, 1}, {&bits.angle, 1}, stddev, {&first, 1}, {&second, 1});
      if (!is_settled(bits, stddev, first, second)) {
        ++open;
        continue;
      }
      ++settled;
      for (const int end : {0, 1, 2, 3}) {
        const Ideal pair = ideal(bits, stddev, end & 1, end >> 1);
        ASSERT_EQ(std::llround(first), rounded(pair.first)) << std::hex << bits.low << ' ' << bits.angle;
        ASSERT_EQ(std::llround(second), rounded(pair.second)) << std::hex << bits.low << ' ' << bits.angle;
      }
    }
    EXPECT_GT(settled, 100u);
    EXPECT_GT(open, 100u);
  });
}

// The middle of the interval that the first six of 18 words leave, which is all that 420 bits can tell.
Real six_of_18(SeededStream& stream) {
  Real bits = 0;
  for (int i = 0; i < 18; ++i) {
    const std::uint64_t word = stream.bits();
    if (i < 6) bits = ldexp(bits, 64) + word;
  }
  return ldexp(bits + 0.5, -64 * 6);
}

TEST(ExactGaussian, ExactPairsAreTheIdealNumbersRounded) {
  SeededStream words(4);
  for (int trial = 0; trial < 200; ++trial) {
    const double stddev = trial % 3 == 0 ? 0x1p24 : trial % 3 == 1 ? 1e6 : 0.8;
    PairBits bits{.low = words.bits(), .angle = words.bits()};
    if (trial % 4 == 1) bits = near_half(stddev, 0, words);
    if (trial % 4 == 2)
      bits = {
          .high = words.bits() >> words.below(64), .low = words.bits(), .words = 2, .angle = words.bits()};
    if (trial % 4 == 3) bits = {.high = 0, .low = 0, .words = 18, .angle = words.bits()};
    SeededStream stream(100 + static_cast<std::uint64_t>(trial));
    SeededStream twin(100 + static_cast<std::uint64_t>(trial));
    const auto pair = exact_pair(bits, stddev, stream);
    const Real of_size = six_of_18(twin);
    const Ideal expected = ideal(bits, stddev, of_size, six_of_18(twin));
    EXPECT_EQ(pair[0], rounded(expected.first)) << trial;
    EXPECT_EQ(pair[1], rounded(expected.second)) << trial;
    EXPECT_EQ(stream.bits(), twin.bits());
  }
}

// On words that leave a half open, both integers come, each as often as the bits behind the words say: the
// law of the number of the words' interval, not that of its middle.
TEST(ExactGaussian, WordsOnAHalfAreDecidedByTheBitsBehindThem) {
  SeededStream stream(5);
  for (int trial = 0; trial < 3; ++trial) {
    const PairBits bits = near_half(0x1p24, 0, stream);
    const bool swapped = (bits.angle >> 62 & 1) != 0;
    constexpr int kDraws = 400;
    int larger_ones = 0;
    int expected = 0;
    const auto of = [&](const Ideal& pair) { return abs(swapped ? pair.second : pair.first); };
    const std::int64_t above = rounded(floor(of(ideal(bits, 0x1p24, 0, Real(0.5)))) + 1);
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto pair = exact_pair(bits, 0x1p24, stream);
      const std::int64_t number = std::abs(swapped ? pair[1] : pair[0]);
      larger_ones += number >= above;
      expected += rounded(of(ideal(bits, 0x1p24, Real(stream.uniform()), Real(stream.uniform())))) >= above;
    }
    const double share = static_cast<double>(expected) / kDraws;
    EXPECT_NEAR(static_cast<double>(larger_ones) / kDraws, share, 7 * std::sqrt(0.25 / kDraws));
  }
}

// Golden pairs: worked out in Python's decimal with 80 digits, by its own series for sine and cosine. Their
// larger numbers are above or below a half for all ends of the bits, and double precision rounds the first of
// each wrongly.
TEST(ExactGaussian, AgreesWithDecimalArithmetic) {
  struct Golden {
    std::uint64_t size;
    std::uint64_t angle;
    std::int32_t first;   // 13304424.50000000033..., 15819097.7, 20498402.9
    std::int32_t second;  // -8365854.8, -12143349.4999999979..., -14926127.49999999922...
  };
  for (const Golden& pair : {Golden{0xa5144ad9272fcc3e, 0x2921205069a8e238, 13304425, -8365855},
                             Golden{0x7e4e797e403ebd9c, 0x255349c37f0f1ae9, 15819098, -12143349},
                             Golden{0x51b2a019e1332085, 0x265b5ce7f9556047, 20498403, -14926127}}) {
    const PairBits bits{.low = pair.size, .angle = pair.angle};
    SeededStream stream(6);
    EXPECT_EQ(exact_pair(bits, 0x1p24, stream), (std::array{pair.first, pair.second}));
    double first = 0;
    double second = 0;
    gaussian_pairs({&bits.low, 1}, {&bits.angle, 1}, 0x1p24, {&first, 1}, {&second, 1});
    EXPECT_FALSE(is_settled(bits, 0x1p24, first, second));
    EXPECT_EQ(rounded_pair(bits, 0x1p24, first, second, stream), (std::array{pair.first, pair.second}));
  }
}

}  // namespace
}  // namespace privet::privacy
