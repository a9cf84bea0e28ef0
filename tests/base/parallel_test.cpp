#include "privet/base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "privet/base/error.hpp"

namespace privet {
namespace {

class Parallel : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    before_ = thread_count();
    set_thread_count(GetParam());
  }
  void TearDown() override { set_thread_count(before_); }

 private:
  std::size_t before_ = 1;
};

TEST_P(Parallel, VisitsEveryItemOnceInPiecesThatDoNotDependOnThreads) {
  std::mutex mutex;
  std::set<std::pair<std::size_t, std::size_t>> pieces;
  parallel_for(1003, 100, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard lock(mutex);
    pieces.emplace(begin, end);
  });
  std::set<std::pair<std::size_t, std::size_t>> expected;
  for (std::size_t i = 0; i < 1000; i += 100) expected.emplace(i, i + 100);
  expected.emplace(1000, 1003);
  EXPECT_EQ(pieces, expected);
}

TEST_P(Parallel, TheFailureOfTheLowestPieceIsRethrown) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      parallel_for(100, 1, [](std::size_t begin, std::size_t) {
        if (begin >= 10) throw std::runtime_error(std::to_string(begin));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "10");
    }
  }
}

TEST_P(Parallel, NestedRegionsRunInPlace) {
  std::atomic<int> visits = 0;
  parallel_for(8, 1, [&](std::size_t, std::size_t) {
    parallel_for(10, 3, [&](std::size_t begin, std::size_t end) { visits += static_cast<int>(end - begin); });
  });
  EXPECT_EQ(visits, 80);
}

TEST_P(Parallel, ManySmallRegionsComeToAnEnd) {
  std::vector<int> counts(16);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    parallel_for(counts.size(), 1, [&](std::size_t begin, std::size_t) { ++counts[begin]; });
  }
  EXPECT_EQ(counts, std::vector<int>(16, 2000));
}

TEST_P(Parallel, NothingToDoIsDone) {
  parallel_for(0, 10, [](std::size_t, std::size_t) { FAIL(); });
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, ::testing::Values(1, 2, 4));

TEST(ThreadCount, ZeroIsRefused) { EXPECT_THROW(set_thread_count(0), InvalidArgument); }

}  // namespace
}  // namespace privet
