#include "privet/core/noise/sparse_coins.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/simulation.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

constexpr double kFalseAlarm = 1e-6;  // of each comparison of counts

TEST(SparseCoins, GapsAreGeometric) {
  SeededStream stream(1);
  Words words(stream);
  constexpr std::uint64_t kDraws = 300000;
  // One level, its top going round often (0.9), and two, three and four levels.
  for (const double p : {0.9, 0.5, 0.1, 0.018, 1e-3, 9e-4, 1e-5, 1e-8, 1e-11}) {
    const SparseCoins coins(p);
    const double tail = std::log1p(-p);
    // Cells of a tenth of an expected gap, of at least one coin.
    const double width = std::max(1.0, std::floor(0.1 / p));
    std::vector<std::uint64_t> counts(100);
    std::vector<double> mass;
    for (int cell = 0; cell < 100; ++cell) {
      mass.push_back(std::exp(tail * width * cell) * -std::expm1(tail * width));
    }
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const double cell = std::floor(static_cast<double>(coins.gap(words)) / width);
      if (cell < 100) ++counts[static_cast<std::size_t>(cell)];
    }
    EXPECT_GT(testing::chance_of(counts, mass, kDraws), kFalseAlarm) << p;
  }
}

// Every single gap, not only gaps in bulk: the places where tables meet are where mistakes hide.
TEST(SparseCoins, EveryGapOfATwoLevelTableComesUpAsOften) {
  SeededStream stream(2);
  Words words(stream);
  constexpr double kProbability = 0.0008;
  constexpr std::uint64_t kDraws = 2000000;
  const SparseCoins coins(kProbability);
  std::vector<std::uint64_t> counts(9000);
  std::vector<double> mass;
  for (std::size_t gap = 0; gap < counts.size(); ++gap) {
    mass.push_back(kProbability * std::pow(1 - kProbability, static_cast<double>(gap)));
  }
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const std::uint64_t gap = coins.gap(words);
    if (gap < counts.size()) ++counts[gap];
  }
  EXPECT_GT(testing::chance_of(counts, mass, kDraws), kFalseAlarm);
}

TEST(SparseCoins, EveryPlaceIsHitAsOften) {
  SeededStream stream(3);
  Words words(stream);
  const SparseCoins coins(0.2);
  std::vector<std::uint64_t> hits(50);
  constexpr std::uint64_t kRounds = 100000;
  std::vector<std::uint32_t> heads;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    heads.clear();
    coins.toss(words, 100, 50, heads);
    std::uint32_t before = 0;
    for (const std::uint32_t head : heads) {
      ASSERT_GT(head, before);
      ASSERT_GE(head, 100u);
      ASSERT_LT(head, 150u);
      before = head;
      ++hits[head - 100];
    }
  }
  // 5.5 standard deviations at 50 places: a false alarm in half a million.
  for (const std::uint64_t count : hits) {
    EXPECT_NEAR(static_cast<double>(count), kRounds * 0.2, 5.5 * std::sqrt(kRounds * 0.16));
  }
}

// Tossing many coins takes words in a loop of its own; gaps one by one are what is tested above.
TEST(SparseCoins, TossingGoesFromGapToGap) {
  for (const double p : {1.0, 0.9, 0.5, 0.1, 0.018, 1e-3, 9e-4, 1e-5}) {
    const SparseCoins coins(p);
    for (const std::uint32_t count : {0u, 1u, 7u, 1000u, 400000u}) {
      SeededStream stream(5);
      SeededStream same(5);
      Words words(stream);
      Words same_words(same);
      std::vector<std::uint32_t> heads;
      coins.toss(words, 9, count, heads);
      std::vector<std::uint32_t> expected;
      for (std::uint64_t at = coins.gap(same_words); at < count; at += 1 + coins.gap(same_words)) {
        expected.push_back(9 + static_cast<std::uint32_t>(at));
      }
      ASSERT_EQ(heads, expected) << p << " " << count;
    }
  }
}

// What leads past the end of one row must not be seen again in the next: heads of many short rows at the
// probability of randomised response with epsilon 4. 5.5 standard deviations: a false alarm in 25 million.
TEST(SparseCoins, RowsAreIndependent) {
  SeededStream stream(6);
  Words words(stream);
  constexpr double kProbability = 0.018;
  const SparseCoins coins(kProbability);
  constexpr std::uint32_t kRows = 200000;
  constexpr std::uint32_t kCoins = 60;
  std::vector<std::uint32_t> heads;
  std::uint64_t both = 0;
  bool before = false;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    const std::size_t size = heads.size();
    coins.toss(words, 0, kCoins, heads);
    const bool any = heads.size() > size;
    both += before && any ? 1 : 0;
    before = any;
  }
  const double trials = double{kRows} * kCoins;
  EXPECT_NEAR(static_cast<double>(heads.size()), trials * kProbability,
              5.5 * std::sqrt(trials * kProbability * (1 - kProbability)));
  // Two rows in a row with a head: the pairs overlap by one row, which less than doubles the variance.
  const double any = 1 - std::pow(1 - kProbability, kCoins);
  EXPECT_NEAR(static_cast<double>(both), (kRows - 1) * any * any,
              5.5 * std::sqrt(2.0 * kRows * any * any * (1 - any * any)));
}

TEST(SparseCoins, CertainCoinsAllComeUp) {
  SeededStream stream(4);
  Words words(stream);
  std::vector<std::uint32_t> heads;
  SparseCoins(1).toss(words, 3, 4, heads);
  EXPECT_EQ(heads, (std::vector<std::uint32_t>{3, 4, 5, 6}));
  SparseCoins(1).toss(words, 3, 0, heads);
  EXPECT_EQ(heads.size(), 4u);
}

TEST(SparseCoins, RefusesWhatIsNoProbability) {
  EXPECT_THROW(SparseCoins(0), InvalidArgument);
  EXPECT_THROW(SparseCoins(1.5), InvalidArgument);
  EXPECT_THROW(SparseCoins(std::nan("")), InvalidArgument);
  EXPECT_THROW(SparseCoins(1e-13), InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
