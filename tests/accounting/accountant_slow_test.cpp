#include "privet/accounting/accountant.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/random.hpp"
#include "support/effort.hpp"

namespace privet::privacy {
namespace {

/// From `low` to `high`, even in the logarithm.
double between(RandomStream& stream, double low, double high) {
  return low * std::pow(high / low, stream.uniform());
}

std::uint64_t count(RandomStream& stream, double low, double high) {
  return static_cast<std::uint64_t>(between(stream, low, high));
}

Event random_part(RandomStream& stream) {
  switch (count(stream, 1, 9)) {
    case 1:
      return GaussianEvent{between(stream, 1, 20)};
    case 2:
      return LaplaceEvent{between(stream, 2, 30)};
    case 3:
      return RandomizedResponseEvent{between(stream, 0.05, 1)};
    case 4:
      return PureEvent{between(stream, 0.05, 1)};
    case 5:
      return ContractiveGaussianEvent{stream.uniform(), count(stream, 1, 20), between(stream, 2, 20)};
    case 6:
      return SubsampledGaussianEvent{PoissonSampling{between(stream, 0.01, 1)}, between(stream, 1, 8), 1, 0};
    case 7:
      return SubsampledGaussianEvent{PoissonSampling{between(stream, 0.01, 0.5)}, between(stream, 8, 30),
                                     count(stream, 1, 3), count(stream, 1, 3)};
    default:
      return DpGnnEvent{1000, count(stream, 10, 400), count(stream, 1, 6), between(stream, 1, 5)};
  }
}

Event random_plan(RandomStream& stream) {
  std::vector<Event> parts;
  const std::uint64_t kinds = count(stream, 1, 4);
  for (std::uint64_t i = 0; i < kinds; ++i)
    parts.push_back(repeated(random_part(stream), count(stream, 1, 40)));
  return composed(std::move(parts));
}

TEST(AccountantsTogether, AgreeOnAThousandRandomPlans) {
  SeededStream stream(20240607);
  for (int i = 0; i < 1000 / privet::testing::kFewerRuns; ++i) {
    const Event plan = random_plan(stream);
    const Delta at(between(stream, 1e-10, 1e-3));
    const EpsilonBound renyi = epsilon(plan, at, Accountant::rdp);
    const EpsilonBound losses = epsilon(plan, at, Accountant::pld);
    const std::string text = plan.describe() + " at delta " + std::to_string(at.value());
    ASSERT_TRUE(std::isfinite(renyi.upper)) << text;
    EXPECT_GE(renyi.upper, losses.upper) << text;
    EXPECT_GE(losses.upper, losses.lower) << text;
    EXPECT_LE(losses.upper, 1.01 * losses.lower) << text;
    if (gaussian_dp_supports(plan)) {
      const double exact = epsilon(plan, at, Accountant::gdp).upper;
      EXPECT_GE(losses.upper, exact * (1 - 1e-9)) << text;
      EXPECT_LE(losses.lower, exact * (1 + 1e-9)) << text;
    }
  }
}

}  // namespace
}  // namespace privet::privacy
