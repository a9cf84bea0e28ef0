#include "privet/report/audit_section.hpp"

#include "report/sample_results.hpp"
#include "report/well_formed.hpp"

namespace privet::report {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(AuditSection, SetsTheLowerBoundBesideTheUpperOne) {
  const Section section = audit_section({"audit.json", testing::sample_audit(1, 0.5)}, 3);
  EXPECT_EQ(section.id, "audit-3");
  EXPECT_FALSE(section.is_warning);
  for (const char* part :
       {"CONSISTENT", "upper bound epsilon = 1 at delta = 1e-06, for the unit of protection \u2018edge\u2019",
        "lower bound epsilon = 0.5 at delta = 1e-06", "with confidence 0.999",
        "The clearest outcome would have shown a lower bound of 10", "bridge: the edge 1 2", "whole runs",
        "for the eyes of the data&#39;s owner", "From audit.json", "<svg"})
    EXPECT_TRUE(has(section.body.html, part)) << part;
  EXPECT_EQ(testing::page_fault(section.body.html), "");
}

TEST(AuditSection, ARefutedClaimIsNoUpperBound) {
  audit::AuditReport report = testing::sample_audit(1, 1.5);
  report.claim_is_sound = false;  // as its file has it
  const Section section = audit_section({"audit.json", report}, 1);
  EXPECT_TRUE(section.is_warning);
  EXPECT_TRUE(has(section.title, "VIOLATED"));
  EXPECT_TRUE(has(section.body.html, "that is a claim and no upper bound"));
  EXPECT_FALSE(has(section.body.html, "upper bound epsilon"));
  EXPECT_TRUE(has(section.body.html, "Do not publish"));
}

TEST(AuditSection, ATestWithoutPowerIsNotPraised) {
  audit::AuditReport report = testing::sample_audit(1, 0);
  report.largest_refutable = 0.9;
  EXPECT_TRUE(audit::is_powerless(report));
  const std::string html = audit_section({"audit.json", report}, 1).body.html;
  EXPECT_FALSE(has(html, "good"));
  EXPECT_TRUE(has(html, "nothing could have been found"));
}

TEST(AuditSection, AClaimWithoutProofListsWhatFails) {
  audit::AuditReport report = testing::sample_audit(1, 0.5);
  report.claim_is_sound = false;
  report.failed_claims = {"its sensitivity"};
  const std::string html = audit_section({"audit.json", report}, 1).body.html;
  EXPECT_TRUE(has(html, "<li>its sensitivity</li>"));
  EXPECT_FALSE(has(html, "good"));
}

TEST(AttackSection, HasAreasIntervalsAndCurves) {
  const Section section = attack_section({"attacks.json", testing::sample_attacks()}, 1);
  const std::string& html = section.body.html;
  for (const char* part : {"correlation", "cosine", "<td class=\"number\">0.944</td>", "3 there, 3 not",
                           "reads no edge", "<svg", "<desc>", "they prove no leak and no privacy"})
    EXPECT_TRUE(has(html, part)) << part;
  EXPECT_EQ(testing::page_fault(html), "");
  audit::AttackReport bare = testing::sample_attacks();
  for (audit::AttackResult& attack : bare.attacks) attack.curve.clear();
  EXPECT_FALSE(has(attack_section({"attacks.json", bare}, 1).body.html, "<svg"));
}

}  // namespace
}  // namespace privet::report
