#include <gtest/gtest.h>

#include "privet/audit/audit.hpp"
#include "privet/base/error.hpp"

namespace privet::audit {
namespace {

AuditReport sample() {
  return {.method = "gap",
          .data = "friends",
          .unit = "edge",
          .rigor = "paper",
          .published_defects = true,
          .test = "two-world",
          .claimed_epsilon = 1,
          .claim_is_sound = false,
          .failed_claims = {"its sensitivity"},
          .largest_refutable = 5,
          .delta = 1e-6,
          .epsilon_lower_bound = 0.5,
          .confidence = 0.99,
          .neighbors = "bridge",
          .findings = {{.what = "runs", .epsilon_lower_bound = 0.5, .detail = "rare", .seconds = 3}},
          .noise_faults = {},
          .finished = true,
          .certificate_digest = "abc"};
}

TEST(AuditReportFile, ReadsWhatItWrote) {
  AuditReport violated = sample();
  violated.noise_faults = {{.first = "a", .second = "b", .correlation = 0.5, .lag = -3, .chance = 1e-9}};
  AuditReport noise = sample();
  noise.test = "noise";
  for (const AuditReport& report : {sample(), violated, noise}) {
    const Json document = audit_json(report);
    const AuditReport back = audit_from_json(document, "file");
    EXPECT_EQ(audit_json(back), document);
    EXPECT_EQ(audit_text(back), audit_text(report));
  }
}

TEST(AuditReportFile, RefusesAVerdictThatItsNumbersDoNotGive) {
  Json document = audit_json(sample());
  document["verdict"] = "violated";
  EXPECT_THROW(static_cast<void>(audit_from_json(document, "file")), DataError);
  document = audit_json(sample());
  document["epsilon_lower_bound"] = 2;
  EXPECT_THROW(static_cast<void>(audit_from_json(document, "file")), DataError);
  document = audit_json(sample());
  document.erase("delta");
  EXPECT_THROW(static_cast<void>(audit_from_json(document, "file")), DataError);
}

TEST(AuditReportFile, RefusesOneThatTriedNothing) {
  AuditReport idle = sample();
  idle.findings.clear();
  idle.epsilon_lower_bound = 0;
  EXPECT_THROW(static_cast<void>(audit_from_json(audit_json(idle), "file")), DataError);
  idle.finished = false;  // interrupted before its first step
  EXPECT_NO_THROW(static_cast<void>(audit_from_json(audit_json(idle), "file")));
  AuditReport negative = sample();
  negative.findings[0].seconds = -1;
  EXPECT_THROW(static_cast<void>(audit_from_json(audit_json(negative), "file")), DataError);
}

}  // namespace
}  // namespace privet::audit
