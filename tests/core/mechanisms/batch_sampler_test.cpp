#include "privet/core/mechanisms/batch_sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

std::vector<std::uint32_t> members_of(const SampledBatch& batch) {
  ReleaseLog log;
  return declassify(batch.members(), "members", "a test", log);
}

struct Tally {
  std::vector<int> each;
  std::vector<int> pairs;
  std::vector<std::size_t> sizes;
};

Tally draw_many(const BatchSampler& sampler, std::size_t population, int rounds) {
  SeededStream stream(1);
  Tally tally{std::vector<int>(population), std::vector<int>(population * population), {}};
  for (int round = 0; round < rounds; ++round) {
    const auto members = members_of(sampler.draw(stream));
    EXPECT_TRUE(std::is_sorted(members.begin(), members.end()));
    EXPECT_EQ(std::adjacent_find(members.begin(), members.end()), members.end());
    tally.sizes.push_back(members.size());
    for (const std::uint32_t i : members) {
      EXPECT_LT(i, population);
      ++tally.each[i];
      for (const std::uint32_t j : members) ++tally.pairs[i * population + j];
    }
  }
  return tally;
}

constexpr int kRounds = 40000;

TEST(BatchSampler, PoissonDrawsEachIndependently) {
  const Tally tally = draw_many(BatchSampler(PoissonSampling{0.3}, 8), 8, kRounds);
  for (std::size_t i = 0; i < 8; ++i) {
    // 5.5 standard deviations at 36 counts: a false alarm in 700,000.
    EXPECT_NEAR(tally.each[i], kRounds * 0.3, 5.5 * std::sqrt(kRounds * 0.21));
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NEAR(tally.pairs[i * 8 + j], kRounds * 0.09, 5.5 * std::sqrt(kRounds * 0.09 * 0.91));
    }
  }
  EXPECT_GT(std::count(tally.sizes.begin(), tally.sizes.end(), 0u), 0) << "empty batches are legal";
}

TEST(BatchSampler, FixedSizeDrawsEverySubsetAsOften) {
  const Tally tally = draw_many(BatchSampler(FixedSizeSampling{8, 3}, 8), 8, kRounds);
  for (const std::size_t size : tally.sizes) ASSERT_EQ(size, 3u);
  const double pair = 3.0 / 8 * 2 / 7;
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(tally.each[i], kRounds * 3 / 8.0, 5.5 * std::sqrt(kRounds * 15 / 64.0));
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NEAR(tally.pairs[i * 8 + j], kRounds * pair, 5.5 * std::sqrt(kRounds * pair * (1 - pair)));
    }
  }
}

TEST(BatchSampler, TheExtremes) {
  SeededStream stream(2);
  EXPECT_EQ(members_of(BatchSampler(PoissonSampling{1}, 3).draw(stream)),
            (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(members_of(BatchSampler(FixedSizeSampling{3, 3}, 3).draw(stream)),
            (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(BatchSampler, BatchesAreFreshFromAReplayableStreamToo) {
  SeededStream stream(3);
  const BatchSampler sampler(PoissonSampling{0.5}, 1000);
  EXPECT_NE(members_of(sampler.draw(stream)), members_of(sampler.draw(stream)));
}

TEST(BatchSampler, RefusesWhatTheEventWouldRefuse) {
  EXPECT_THROW(BatchSampler(PoissonSampling{0}, 3), InvalidArgument);
  EXPECT_THROW(BatchSampler(PoissonSampling{1.1}, 3), InvalidArgument);
  EXPECT_THROW(BatchSampler(FixedSizeSampling{3, 4}, 3), InvalidArgument);
  EXPECT_THROW(BatchSampler(FixedSizeSampling{4, 3}, 3), InvalidArgument) << "another population";
  EXPECT_THROW(BatchSampler(PoissonSampling{0.5}, 0), InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
