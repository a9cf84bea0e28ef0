#include <gtest/gtest.h>

#include <cmath>

#include "audit/samplers.hpp"
#include "privet/accounting/accountant.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/audit/epsilon_bound.hpp"
#include "privet/audit/mechanism_trials.hpp"
#include "support/effort.hpp"

/// How sharp the audit is, and how often it cries wolf. Numbers are recorded with every test.
namespace privet::audit {
namespace {

using privet::testing::kFewerRuns;

constexpr std::uint64_t kDraws = 1000000;

// A bound above the true epsilon: probability 1e-3 in each of six audits, with fixed seeds.
TEST(AuditPower, NinetyPercentOfGaussianAndResponse) {
  SeededStream stream(1);
  for (const double epsilon : {1.0, 2.0, 4.0}) {
    const double mu = privacy::gaussian_mu(epsilon, 1e-6);
    const double gaussian =
        audit_mechanism(testing::gaussian_sampler(mu), kDraws, 1e-6, 0.999, stream).epsilon;
    RecordProperty("gaussian_" + std::to_string(static_cast<int>(epsilon)), std::to_string(gaussian));
    EXPECT_LE(gaussian, epsilon);
    EXPECT_GE(gaussian, 0.9 * epsilon);
    const double response =
        audit_mechanism(testing::response_sampler(epsilon), kDraws, 0, 0.999, stream).epsilon;
    RecordProperty("response_" + std::to_string(static_cast<int>(epsilon)), std::to_string(response));
    EXPECT_LE(response, epsilon);
    EXPECT_GE(response, 0.9 * epsilon);
  }
}

// Private SGD in Poisson batches, nothing known of the shape: at least half of what the accountant says.
TEST(AuditPower, HalfOfPrivateSgd) {
  SeededStream stream(2);
  constexpr double kDelta = 1e-5;
  for (const auto& [noise, rate, steps] :
       {std::tuple(1.0, 0.5, 4U), std::tuple(0.8, 0.2, 10U), std::tuple(1.0, 1.0, 2U)}) {
    const SgdCanary canary{.noise_multiplier = noise, .rate = rate, .steps = steps};
    const double claimed =
        privacy::epsilon(
            privacy::repeated(
                privacy::SubsampledGaussianEvent{
                    .sampling = privacy::PoissonSampling{rate}, .noise_multiplier = noise, .added = 1},
                steps),
            privacy::Delta(kDelta))
            .upper;
    const double seen =
        audit_mechanism(sgd_canary_sampler(canary), kDraws / kFewerRuns, kDelta, 0.999, stream).epsilon;
    RecordProperty("sgd_" + std::to_string(rate), std::to_string(seen) + " of " + std::to_string(claimed));
    EXPECT_LE(seen, claimed);
    EXPECT_GE(seen, 0.5 * claimed) << noise << ' ' << rate << ' ' << steps;
  }
}

// 1000 audits at 95 % of a mechanism that leaks nothing. By the theorem at most 50 bounds are above 0 on
// average; the two-sided bounds make it far fewer.
TEST(AuditValidity, NothingLeakedNothingSeen) {
  constexpr int kAudits = 1000 / kFewerRuns;
  for (const bool gaussian : {false, true}) {
    int above = 0;
    for (int audit = 0; audit < kAudits; ++audit) {
      SeededStream stream(100 + static_cast<std::uint64_t>(audit));
      methods::AuditSampler sampler = testing::gaussian_sampler(0);
      sampler.gaussian = gaussian;
      above += audit_mechanism(sampler, 2000, 1e-5, 0.95, stream).epsilon > 0 ? 1 : 0;
    }
    RecordProperty(gaussian ? "above_zero_gaussian" : "above_zero", above);
    EXPECT_LE(above, kAudits / 20);
  }
}

// 1000 audits of healthy mechanisms whose epsilon is exactly what is claimed, the hardest case, at the
// default confidence: at most one false alarm.
TEST(AuditValidity, AtMostOneFalseAlarmInAThousand) {
  constexpr int kAudits = 1000 / kFewerRuns;
  int alarms = 0;
  for (int audit = 0; audit < kAudits; ++audit) {
    SeededStream stream(5000 + static_cast<std::uint64_t>(audit));
    const double epsilon = 0.5 + audit % 4;
    const bool response = audit % 2 == 0;
    const double mu = privacy::gaussian_mu(epsilon, 1e-5);
    const double seen =
        response ? audit_mechanism(testing::response_sampler(epsilon), 20000, 0, 0.999, stream).epsilon
                 : audit_mechanism(testing::gaussian_sampler(mu), 20000, 1e-5, 0.999, stream).epsilon;
    alarms += seen > epsilon ? 1 : 0;
  }
  RecordProperty("false_alarms", alarms);
  EXPECT_LE(alarms, 1);
}

}  // namespace
}  // namespace privet::audit
