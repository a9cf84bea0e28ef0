#include <gtest/gtest.h>

#include "audit/one_run_audits.hpp"
#include "support/effort.hpp"

namespace privet::audit {
namespace {

// Under a true mu-GDP mechanism both bounds hold, and the Gaussian one says more. 300 audits at 95 %: 15
// wrong ones are expected at most, 32 come up with probability below 1e-4.
TEST(OneRunAudit, HoldsUnderGaussianNoiseAndTheRefinementIsTighter) {
  constexpr int kAudits = 300 / privet::testing::kFewerRuns;
  for (const double mu : {0.5, 1.0, 2.0}) {
    const testing::OneRunAudits audits = testing::audit_gaussian(mu, kAudits, 2000);
    RecordProperty("mu_" + std::to_string(mu), std::to_string(audits.refined) + " against " +
                                                   std::to_string(audits.plain) + " of " +
                                                   std::to_string(audits.epsilon));
    RecordProperty("wrong_" + std::to_string(mu), audits.wrong);
    EXPECT_LE(audits.wrong, 32) << mu;
    EXPECT_LE(audits.wrong_plain, 32) << mu;
    EXPECT_GT(audits.refined, 1.3 * audits.plain) << mu;
    EXPECT_GT(audits.refined, 0.4 * audits.epsilon) << mu;
  }
}

}  // namespace
}  // namespace privet::audit
