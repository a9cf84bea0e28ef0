#include "privet/core/release.hpp"

#include <gtest/gtest.h>

namespace privet::privacy {
namespace {

Release step(double multiplier) {
  return {.what = "gradient",
          .unit = "edge",
          .mechanism = "gaussian",
          .sensitivity = 1,
          .norm = "L2",
          .noise_stddev = multiplier,
          .times = 1,
          .sampling = "none",
          .reference = "here",
          .replayable = false,
          .event = GaussianEvent{multiplier}};
}

TEST(ReleaseLog, TheSameMechanismAgainIsCountedNotListed) {
  ReleaseLog log;
  for (int i = 0; i < 1000; ++i) log.add(step(2));
  ASSERT_EQ(log.releases().size(), 1u);
  EXPECT_EQ(log.releases()[0].times, 1000u);
  EXPECT_EQ(log.total(), repeated(GaussianEvent{2}, 1000));
}

TEST(ReleaseLog, AnythingElseIsAnEntryOfItsOwn) {
  ReleaseLog log;
  log.add(step(2));
  log.add(step(3));
  log.add(step(2));
  Release other = step(2);
  other.what = "another gradient";
  log.add(other);
  ASSERT_EQ(log.releases().size(), 4u);
  EXPECT_EQ(log.total(), composed({GaussianEvent{2}, GaussianEvent{3}, GaussianEvent{2}, GaussianEvent{2}}));
}

TEST(ReleaseLog, NothingReleasedCostsNothing) { EXPECT_EQ(ReleaseLog().total(), composed({})); }

}  // namespace
}  // namespace privet::privacy
