#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "privet/accounting/pld.hpp"
#include "support/effort.hpp"

namespace privet::privacy {
namespace {

Event private_sgd(double rate, double multiplier, std::uint64_t steps) {
  return repeated(SubsampledGaussianEvent{PoissonSampling{rate}, multiplier, 1, 0}, steps);
}

TEST(PldSlow, TellsSomethingSensibleAtTheExtremes) {
  int met = 0;
  const auto check = [&met](const Event& event, double delta) {
    if (met++ % privet::testing::kFewerRuns != 0) return;
    const Bounds bounds = pld_epsilon(event, delta);
    EXPECT_GE(bounds.lower, 0) << event.describe() << ' ' << delta;
    EXPECT_GE(bounds.upper, bounds.lower) << event.describe() << ' ' << delta;
    EXPECT_LT(bounds.upper, std::numeric_limits<double>::infinity()) << event.describe() << ' ' << delta;
    const Bounds back = pld_delta(event, std::min(bounds.upper, 1e4));
    EXPECT_GE(back.lower, 0) << event.describe() << ' ' << delta;
    EXPECT_GE(back.upper, back.lower) << event.describe() << ' ' << delta;
    EXPECT_LE(back.upper, 1) << event.describe() << ' ' << delta;
  };
  for (double delta : {1e-300, 1e-5, 0.1}) {
    for (double multiplier : {1e-3, 0.1, 1.0, 30.0, 1e6}) {
      for (std::uint64_t times : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{10'000'000}}) {
        check(repeated(GaussianEvent{multiplier}, times), delta);
        check(repeated(LaplaceEvent{multiplier}, times), delta);
        for (double rate : {1e-8, 1e-4, 0.01, 0.5, 1.0}) check(private_sgd(rate, multiplier, times), delta);
      }
    }
    for (double one : {1e-9, 1e4}) {
      for (std::uint64_t times : {1, 1000}) check(repeated(PureEvent{one}, times), delta);
    }
    check(repeated(SubsampledGaussianEvent{FixedSizeSampling{1'000'000'000'000, 1'000'000}, 10, 3, 1000}, 10),
          delta);
    check(DpGnnEvent{10, 9, 9, 1}, delta);
    check(composed({GaussianEvent{1e-3}, private_sgd(1e-6, 10, 100000)}), delta);
  }
}

}  // namespace
}  // namespace privet::privacy
