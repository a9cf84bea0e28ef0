#include "privet/reports/client.hpp"

#include <gtest/gtest.h>

#include "reports/worst_pair.hpp"

namespace privet::privacy {
namespace {

// A million reports of each of two neighbouring lists. Above the stated value only with probability 2e-6 for
// each line; below it by what a million draws leave open.
TEST(LocalClientSimulation, AMillionReportsCostWhatTheySay) {
  const testing::WorstPair seen = testing::draw_worst_pair(1, 0.5, 1'000'000);
  EXPECT_LE(testing::measured_epsilon(seen.bit), 1);
  EXPECT_GE(testing::measured_epsilon(seen.bit), 0.98);
  EXPECT_LE(testing::measured_epsilon(seen.degrees), 0.5);
  EXPECT_GE(testing::measured_epsilon(seen.degrees), 0.48);
  EXPECT_LE(testing::measured_epsilon(seen.both), 1.5);
  EXPECT_GE(testing::measured_epsilon(seen.both), 1.47);
}

}  // namespace
}  // namespace privet::privacy
