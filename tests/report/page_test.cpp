#include "privet/report/page.hpp"

#include "privet/base/error.hpp"
#include "report/sample_results.hpp"
#include "report/well_formed.hpp"

namespace privet::report {
namespace {

using privacy::testing::sample_certificate;
using privacy::testing::unsound_certificate;
using testing::line_of;
using testing::sample_result;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A folder as a demo leaves it: two comparisons, a model, an audit, attacks.
void fill(const testing::TestFolder& folder) {
  folder.write("edges/results.jsonl",
               line_of(sample_result("mlp", 1, 0.7, sample_certificate())) +
                   line_of(sample_result("ballot", 1, 0.8, sample_certificate())) +
                   line_of(sample_result("ballot", 4, 0.9, sample_certificate())) +
                   line_of(sample_result("gcn", {}, 0.95, testing::open_certificate())));
  folder.write("paper/results.jsonl", line_of(sample_result("dpdgc", 1, 0.85, unsound_certificate())));
  privacy::Certificate certificate = sample_certificate();
  certificate.created = "2026-01-01T00:00:00Z";
  const methods::CellResult trained = sample_result("gap", 1, 0.75, certificate);
  folder.write("model/result.json", to_text(trained.to_json()));
  folder.write("model/certificate.json", to_text(trained.certificate));
  folder.write("model/model.json", "{}");
  folder.write("audit/audit.json", to_text(audit::audit_json(testing::sample_audit(1, 0.5))));
  folder.write("attacks/attacks.json", to_text(audit::attack_json(testing::sample_attacks())));
  folder.write("attacks/roc.json", to_text(audit::curves_json(testing::sample_attacks())));
}

TEST(Page, IsOneWellFormedDocumentWithEverySection) {
  const testing::TestFolder folder;
  fill(folder);
  const Page page = report_page(folder.read());
  EXPECT_EQ(testing::page_fault(page.html), "");
  EXPECT_TRUE(page.html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_TRUE(has(page.html, "<title>Privacy report: friends</title>"));
  EXPECT_EQ(page.html.find("<h1>"), page.html.rfind("<h1>"));
  std::vector<std::string> ids;
  for (const PageEntry& entry : page.sections) ids.push_back(entry.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"comparison-1", "comparison-2", "comparison-3", "certificate-1",
                                           "certificate-2", "certificate-3", "certificate-4", "certificate-5",
                                           "audit-1", "attacks-1"}));
}

TEST(Page, BeginsWithWhatTheBudgetsBuy) {
  const testing::TestFolder folder;
  fill(folder);
  const std::string html = report_page(folder.read()).html;
  EXPECT_TRUE(has(html,
                  "ballot classifies 80.0 \u00b1 1.3 % of the test nodes correctly, 10.0 points above "
                  "features alone (mlp: 70.0 %)."))
      << html.substr(html.find("Summary"), 800);
  EXPECT_FALSE(has(html, "dpdgc classifies"));  // what has no guarantee is no answer
  EXPECT_TRUE(has(html, "1 certificate guarantees nothing"));
  EXPECT_TRUE(has(html, " of gap on friends in strict rigor: nothing was found against it."));
  EXPECT_TRUE(has(html, "For the eyes of the data\u2019s owner"));
}

// The numbers of a table stand below their headings: unit, delta and bound are always beside an epsilon.
TEST(Page, TablesOfEpsilonsHaveUnitDeltaAndBound) {
  const testing::TestFolder folder;
  fill(folder);
  const std::string html = report_page(folder.read()).html;
  std::size_t tables = 0;
  for (std::size_t at = html.find("<thead>"); at != std::string::npos; at = html.find("<thead>", at + 1)) {
    const std::string header = html.substr(at, html.find("</thead>", at) - at);
    if (!has(header, ">epsilon,")) continue;
    ++tables;
    EXPECT_TRUE(has(header, ">epsilon, upper bound<") && has(header, ">delta<") && has(header, ">unit<"))
        << header;
  }
  EXPECT_EQ(tables, 5U);  // three of results, one of budgets, one of certificates
}

TEST(Page, NothingFromFilesBecomesATag) {
  const std::string name = "<b>&\"'</title>";
  methods::CellResult result = sample_result("ballot", 1, 0.8, sample_certificate());
  methods::CellResult other = sample_result("ballot", 4, 0.9, sample_certificate());
  result.cell.data = other.cell.data = name;
  result.cell.assignments = {"text=<script>"};
  result.cell.split = "<i>";
  privacy::Certificate certificate = sample_certificate();
  certificate.assumptions = {"<img src=x>"};
  certificate.releases[0].what = "</table>";
  result.certificate = privacy::certificate_to_json(certificate);
  audit::AuditReport audit = testing::sample_audit(1, 0.5);
  audit.neighbors = audit.findings[0].detail = "<u>";
  audit::AttackReport attacks = testing::sample_attacks();
  attacks.data = attacks.attacks[0].target = attacks.attacks[0].note = name;
  const testing::TestFolder folder;
  folder.write("results.jsonl", line_of(result) + line_of(other));
  folder.write("<s>/audit.json", to_text(audit::audit_json(audit)));
  folder.write("attacks.json", to_text(audit::attack_json(attacks)));
  const std::string html = report_page(folder.read(), "</h1><script>").html;
  EXPECT_EQ(testing::page_fault(html), "");
  for (const char* tag : {"<b>", "<script", "<img", "<u>", "<s>", "<i>"}) EXPECT_FALSE(has(html, tag)) << tag;
  EXPECT_TRUE(has(html, "<title>&lt;/h1&gt;&lt;script&gt;</title>"));
}

// Otherwise the same page would promise and take back.
TEST(Page, WhatAnAuditRefutesIsNoGuarantee) {
  const privacy::Certificate certificate = sample_certificate();
  audit::AuditReport report = testing::sample_audit(*certificate.epsilon, *certificate.epsilon + 1);
  report.claim_is_sound = false;
  report.certificate_digest = privacy::certificate_digest(certificate);
  report.data_fingerprint = certificate.data_fingerprint;
  const testing::TestFolder folder;
  folder.write("results.jsonl", line_of(testing::sample_result("gap", 1, 0.8, certificate)));
  EXPECT_TRUE(has(report_page(folder.read()).html, "GUARANTEE: UPPER BOUND"));
  folder.write("audit.json", to_text(audit::audit_json(report)));
  const std::string html = report_page(folder.read()).html;
  EXPECT_FALSE(has(html, "GUARANTEE: UPPER BOUND"));
  EXPECT_FALSE(has(html, "with a guarantee"));
  EXPECT_TRUE(has(html, "an audit refutes it: audit.json"));
  EXPECT_TRUE(has(html, "the audit REFUTES it"));
}

TEST(Page, TheSameFolderGivesTheSameBytes) {
  const testing::TestFolder folder;
  fill(folder);
  const std::string first = report_page(folder.read()).html;
  folder.write("report.html", first);
  EXPECT_EQ(report_page(folder.read()).html, first);
  folder.write("audit/audit.json", to_text(audit::audit_json(testing::sample_audit(1, 0.25))));
  EXPECT_NE(report_page(folder.read()).html, first);
}

TEST(Page, AModelAloneIsEnough) {
  const testing::TestFolder folder;
  folder.write("certificate.json", to_text(privacy::certificate_to_json(sample_certificate())));
  const Page page = report_page(folder.read());
  EXPECT_EQ(testing::page_fault(page.html), "");
  ASSERT_EQ(page.sections.size(), 1U);
  EXPECT_FALSE(has(page.html, "For the eyes of the data"));  // nothing on it was measured
}

TEST(Page, WithoutAnythingToShowSaysWhatWasExpected) {
  const testing::TestFolder folder;
  try {
    static_cast<void>(folder.read());
    FAIL() << "read";
  } catch (const DataError& error) {
    EXPECT_TRUE(has(error.what(), "results.jsonl (compare --out)")) << error.what();
  }
  EXPECT_THROW(static_cast<void>(read_folder(folder.path() / "absent", testing::epsilon_by)),
               InvalidArgument);
}

TEST(Page, ACertificateFileThatDoesNotHoldIsRefused) {
  privacy::Certificate c = sample_certificate();
  c.epsilon = *c.epsilon / 2;
  c.epsilon_lower.reset();
  const testing::TestFolder folder;
  folder.write("certificate.json", to_text(privacy::certificate_to_json(c)));
  EXPECT_THROW(static_cast<void>(folder.read()), DataError);
}

TEST(Page, ManyDataSetsHaveAShortSummary) {
  std::string lines;
  for (int i = 0; i < 9; ++i) {
    methods::CellResult result = sample_result("ballot", 1, 0.8, sample_certificate());
    result.cell.data = "graph" + std::to_string(i);
    lines += line_of(result);
  }
  const testing::TestFolder folder;
  folder.write("results.jsonl", lines);
  const std::string html = report_page(folder.read()).html;
  EXPECT_TRUE(has(html, "On graph5, with"));
  EXPECT_FALSE(has(html, "On graph6, with"));
  EXPECT_TRUE(has(html, "9 in all"));
}

}  // namespace
}  // namespace privet::report
