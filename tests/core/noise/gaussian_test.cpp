#include "privet/core/noise/gaussian.hpp"

#include <gtest/gtest.h>

#include <hwy/highway.h>

#include <cmath>
#include <numbers>

#include "core/simulation.hpp"
#include "privet/base/parallel.hpp"

namespace privet::privacy {
namespace {

constexpr double kFalseAlarm = 1e-6;  // of each comparison of counts

double below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

TEST(Gaussian, HasTheRightLaw) {
  SeededStream stream(1);
  std::vector<double> values(1000000);
  fill_gaussian(stream, values);
  std::vector<std::uint64_t> counts(100);
  std::vector<double> mass;
  for (int cell = 0; cell < 100; ++cell)
    mass.push_back(below(-5 + 0.1 * (cell + 1)) - below(-5 + 0.1 * cell));
  for (const double value : values) {
    ASSERT_TRUE(std::isfinite(value));
    const double cell = std::floor((value + 5) * 10);
    if (cell >= 0 && cell < 100) ++counts[static_cast<std::size_t>(cell)];
  }
  EXPECT_GT(testing::chance_of(counts, mass, values.size()), kFalseAlarm);
}

struct ExactPair {
  long double first;
  long double second;
};

// The definition of a pair in 64 bits of precision, from the words it is made of.
ExactPair exact_pair(std::uint64_t size, std::uint64_t angle, RandomStream& more) {
  constexpr long double kLn2 = std::numbers::ln2_v<long double>;
  long double log = 0;
  if (size >> 63 != 0) {
    log = log1pl(-static_cast<long double>(0 - size) * 0x1p-64L);
  } else if (size >> 52 != 0) {
    log = logl(static_cast<long double>(size) * 0x1p-64L);
  } else {
    log = logl(static_cast<long double>(size) + (static_cast<long double>(more.bits()) + 0.5L) * 0x1p-64L) -
          64 * kLn2;
  }
  const long double radius = sqrtl(-2 * log);
  // The lower 62 bits, the highest of them as a sign.
  const auto fraction = static_cast<std::int64_t>(angle << 2) >> 2;
  const long double x = (static_cast<long double>(fraction) + 0.5L) * 0x1p-62L;
  const long double smaller = radius * sinl(x * (std::numbers::pi_v<long double> / 2));
  const long double larger =
      (angle >> 63 != 0 ? -radius : radius) * cosl(x * (std::numbers::pi_v<long double> / 2));
  const bool swapped = (angle >> 62 & 1) != 0;
  return {swapped ? smaller : larger, swapped ? larger : smaller};
}

TEST(Gaussian, IsOffByLessThanItSays) {
  constexpr std::size_t kPairs = 512;  // of one block
  SeededStream stream(7);
  SeededStream twin(7);
  std::vector<double> values(2 * kPairs);
  std::vector<std::uint64_t> words(2 * kPairs);
  std::size_t small = 0;
  long double worst = 0;
  for (int block = 0; block < 600; ++block) {
    fill_gaussian(stream, values);
    twin.fill(std::as_writable_bytes(std::span(words)));
    for (std::size_t i = 0; i < kPairs; ++i) {
      small += words[i] >> 52 == 0;
      const ExactPair exact = exact_pair(words[i], words[kPairs + i], twin);
      worst = std::max(worst, fabsl(static_cast<long double>(values[i]) / exact.first - 1));
      worst = std::max(worst, fabsl(static_cast<long double>(values[kPairs + i]) / exact.second - 1));
    }
  }
  EXPECT_GT(small, 10u);       // first words below 2^52, one in 4096
  EXPECT_LT(worst, 0x1p-50L);  // half of what the header grants
  EXPECT_GT(worst, 0x1p-53L);  // a worst of less would be no double precision: nothing was compared
}

TEST(Gaussian, SameBytesOnEveryInstructionSet) {
  const auto make = [] {
    SeededStream stream(8);
    std::vector<std::int32_t> values(40001);
    fill_rounded_gaussian(stream, 0x1p24, values);
    fill_rounded_gaussian(stream, 0x1p24, std::span(values).first(33));
    return values;
  };
  const auto expected = make();
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    EXPECT_EQ(make(), expected) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Gaussian, TheTwoOfAPairAreIndependent) {
  SeededStream stream(2);
  std::vector<double> values(1024000);
  fill_gaussian(stream, values);
  double product = 0;
  double squares = 0;
  constexpr std::size_t kBlock = 512;  // pairs whose first numbers come before the second ones
  for (std::size_t begin = 0; begin < values.size(); begin += 2 * kBlock) {
    for (std::size_t i = begin; i < begin + kBlock; ++i) {
      product += values[i] * values[i + kBlock];
      squares += (values[i] * values[i] - 1) * (values[i + kBlock] * values[i + kBlock] - 1);
    }
  }
  const double pairs = static_cast<double>(values.size()) / 2;
  EXPECT_NEAR(product / pairs, 0, 5 / std::sqrt(pairs));  // five standard deviations
  EXPECT_NEAR(squares / pairs, 0, 10 / std::sqrt(pairs));
}

TEST(Gaussian, OddCountsAreFilled) {
  SeededStream stream(3);
  std::vector<double> three(3, 99.0);
  fill_gaussian(stream, three);
  for (const double value : three) EXPECT_LT(std::abs(value), 14);
}

TEST(RoundedGaussian, HasTheRightLaw) {
  SeededStream stream(4);
  for (const std::size_t size : {std::size_t{64}, std::size_t{65536}}) {  // word by word, and in pieces
    std::vector<std::uint64_t> counts(41);
    std::uint64_t draws = 0;
    std::vector<std::int32_t> values(size);
    while (draws < 400000) {
      fill_rounded_gaussian(stream, 3.3, values);
      draws += values.size();
      for (const std::int32_t value : values) {
        if (std::abs(value) <= 20) ++counts[static_cast<std::size_t>(value + 20)];
      }
    }
    std::vector<double> mass;
    for (int k = -20; k <= 20; ++k) mass.push_back(below((k + 0.5) / 3.3) - below((k - 0.5) / 3.3));
    EXPECT_GT(testing::chance_of(counts, mass, draws), kFalseAlarm);
  }
}

// Seeds of which double precision rounds a number wrongly, whatever the bits behind its words are: found by
// comparing 2 10^9 numbers with arithmetic in 400 bits. The numbers are those of Python's decimal with 80
// digits (13304424.500000000330, -12143349.499999997915 and -14926127.499999999225 at the near ends).
TEST(RoundedGaussian, NumbersCloseToAHalfAreRoundedRightly) {
  struct Golden {
    std::uint64_t seed;
    std::size_t place;
    std::int32_t number;
  };
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    for (const Golden& golden :
         {Golden{962, 323837, 13304425}, Golden{1023, 507533, -12143349}, Golden{1044, 80549, -14926127}}) {
      SeededStream stream(golden.seed);
      std::vector<std::int32_t> values(1U << 20);
      fill_rounded_gaussian(stream, 0x1p24, values);
      EXPECT_EQ(values[golden.place], golden.number) << hwy::TargetName(target);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// A seed means the same noise as before close numbers were looked at again: sums of the bytes (FNV) of the
// numbers that the vectors made alone.
TEST(RoundedGaussian, OtherNumbersAreWhatTheyWere) {
  const auto sum = [](double stddev) {
    SeededStream stream(9);
    std::vector<std::int32_t> values(100001);
    fill_rounded_gaussian(stream, stddev, values);
    fill_rounded_gaussian(stream, stddev, std::span(values).first(33));
    std::uint64_t hash = 14695981039346656037U;
    for (const std::int32_t value : values) {
      hash ^= static_cast<std::uint32_t>(value);
      hash *= 1099511628211U;
    }
    return hash;
  };
  EXPECT_EQ(sum(1e6), 0x947c4d65ff230ff9U);
  EXPECT_EQ(sum(3.3), 0x40ead05a6ed972c6U);
  EXPECT_EQ(sum(0x1p24), 0xb26fa93a9e3195bbU);
}

TEST(RoundedGaussian, DoesNotDependOnThreads) {
  std::vector<std::int32_t> one(100001);
  std::vector<std::int32_t> many(one.size());
  const std::size_t before = thread_count();
  set_thread_count(1);
  SeededStream first(5);
  fill_rounded_gaussian(first, 1e5, one);
  set_thread_count(3);
  SeededStream second(5);
  fill_rounded_gaussian(second, 1e5, many);
  set_thread_count(before);
  EXPECT_EQ(one, many);
}

// Whatever is to come near meanwhile, of the length of the noise or not: the pieces are the same numbers, and
// it is left as it was.
TEST(RoundedGaussian, ComesInPiecesBesideWhatItsReceiverWants) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{65}, std::size_t{40001}}) {
    SeededStream stream(8);
    std::vector<std::int32_t> whole(count);
    fill_rounded_gaussian(stream, 1e5, whole);
    const std::vector<float> wanted(count, 3);
    const std::vector<float> shorter(count / 2, 3);
    for (const NearNumbers& near :
         {NearNumbers(), NearNumbers{wanted, {}, wanted}, NearNumbers{shorter, wanted}}) {
      SeededStream again(8);
      std::vector<std::int32_t> pieces(count);
      for_each_noise_piece(
          again, 1e5, count,
          [&](std::size_t first, std::span<const std::int32_t> noise) {
            std::ranges::copy(noise, pieces.begin() + static_cast<std::ptrdiff_t>(first));
          },
          near);
      EXPECT_EQ(pieces, whole);
    }
    EXPECT_EQ(wanted, std::vector<float>(count, 3));
  }
}

// With forks by a fixed name a replayable stream would give the same noise twice, and the difference of two
// releases would show the data.
TEST(RoundedGaussian, NeverRepeatsItsNoise) {
  SeededStream stream(6);
  std::vector<std::int32_t> first(50000);
  std::vector<std::int32_t> second(first.size());
  fill_rounded_gaussian(stream, 1e6, first);
  fill_rounded_gaussian(stream, 1e6, second);
  std::size_t same = 0;
  for (std::size_t i = 0; i < first.size(); ++i) same += first[i] == second[i];
  EXPECT_LT(same, 20u);  // by chance one in 3.5 million values
}

}  // namespace
}  // namespace privet::privacy
