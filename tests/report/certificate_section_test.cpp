#include "privet/report/certificate_section.hpp"

#include "report/sample_results.hpp"

namespace privet::report {
namespace {

using privacy::testing::sample_certificate;
using privacy::testing::unsound_certificate;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ResultFolder folder_of(const std::vector<methods::CellResult>& results) {
  ResultFolder folder;
  folder.comparisons.push_back({.file = "results.jsonl"});
  for (const methods::CellResult& result : results)
    folder.comparisons.back().cells.push_back(
        cell_from_json(result.to_json(), "results.jsonl", testing::epsilon_by));
  return folder;
}

TEST(CertificateSection, SaysWhatIsGuaranteedAndWhatWasReleased) {
  const std::vector<Section> sections =
      certificate_sections(folder_of({testing::sample_result("ballot", 1, 0.8, sample_certificate())}));
  ASSERT_EQ(sections.size(), 1U);
  EXPECT_TRUE(has(sections[0].title, "upper bound epsilon = ")) << sections[0].title;
  EXPECT_TRUE(has(sections[0].title, "at delta = 1e-06, unit edge")) << sections[0].title;
  const std::string& html = sections[0].body.html;
  for (const char* part :
       {"GUARANTEE: UPPER BOUND", "The privacy loss has the upper bound epsilon = ",
        "for the unit of protection &#39;edge&#39;", "Publishing all 2 has the upper bound epsilon = ",
        "<th scope=\"row\" class=\"word\">number of edges</th>", "<td class=\"number\">L2 1.41421</td>",
        "<td class=\"number\">11.3137</td>", "Dong, Roth, Su 2022, Corollary 3.3",
        "It is assumed: the list of nodes is public", "accuracy on the test nodes. Reason given",
        "secure generator", "Privet 0.1.0", "hmac-sha256:aaaa"})
    EXPECT_TRUE(has(html, part)) << part;
  EXPECT_FALSE(has(html, "NOT SOUND"));
}

TEST(CertificateSection, NamesOnlyAuditsOfItsOwnDataAndAsWhatTheyAre) {
  ResultFolder folder = folder_of({testing::sample_result("gap", 1, 0.8, sample_certificate())});
  const privacy::Certificate& certificate = folder.comparisons[0].cells[0].certificate;
  audit::AuditReport report = testing::sample_audit(*certificate.epsilon, 0.5);
  report.certificate_digest = privacy::certificate_digest(certificate);
  report.data_fingerprint = certificate.data_fingerprint;
  report.delta = certificate.delta;
  report.unit = certificate.unit;
  const auto page_with = [&](const audit::AuditReport& one) {
    folder.audits = {{.file = "audit.json", .report = one}};
    return certificate_sections(folder).at(0).body.html;
  };
  EXPECT_TRUE(has(page_with(report), "nothing was found against it"));
  audit::AuditReport small = report;
  small.largest_refutable = 0.1;
  EXPECT_TRUE(has(page_with(small), "too few trials to find anything"));
  EXPECT_FALSE(has(page_with(small), "nothing was found"));
  audit::AuditReport cut = report;
  cut.finished = false;
  EXPECT_TRUE(has(page_with(cut), "interrupted; until then nothing was found against it"));
  audit::AuditReport noise = report;
  noise.test = "noise";
  EXPECT_TRUE(has(page_with(noise), "says nothing about epsilon"));
  audit::AuditReport other = report;
  other.data_fingerprint = "hmac-sha256:bbbb";
  EXPECT_TRUE(has(page_with(other), "Not audited: "));
  EXPECT_FALSE(has(page_with(other), "nothing was found"));
}

TEST(CertificateSection, AnUnsoundOneShowsNoEpsilonButTheClaimedOne) {
  const ResultFolder folder = folder_of({testing::sample_result("dpdgc", 1, 0.8, unsound_certificate())});
  const Section section = certificate_sections(folder).at(0);
  EXPECT_TRUE(section.is_warning);
  EXPECT_TRUE(has(section.title, "NOT SOUND"));
  EXPECT_FALSE(has(section.title, "epsilon"));
  const std::string& html = section.body.html;
  EXPECT_TRUE(has(html, "NOT SOUND"));
  EXPECT_TRUE(has(html, "the sensitivity of the aggregate is sqrt(2), not 1"));
  const std::size_t only = html.find("epsilon =");
  ASSERT_NE(only, std::string::npos);
  EXPECT_EQ(html.find("epsilon =", only + 1), std::string::npos);
  EXPECT_TRUE(has(html, "claims epsilon = 1 at delta = 1e-06"));
  EXPECT_TRUE(has(html, "it is not an upper bound"));
  const std::string table = certificate_table(folder).html;
  EXPECT_TRUE(has(table, "<td class=\"warning\">NOT SOUND: 1 is claimed only</td>"));
  EXPECT_TRUE(has(table, "<td class=\"number\">\u2013</td>"));
}

TEST(CertificateSection, TheSameIsShownOnceAndOpenRunsTogether) {
  privacy::Certificate later = sample_certificate();
  later.created = "2025-03-02T12:00:00Z";
  const ResultFolder folder =
      folder_of({testing::sample_result("mlp", 1, 0.8, sample_certificate()),
                 testing::sample_result("mlp", 4, 0.8, later), testing::sample_result("gap", 4, 0.8, later),
                 testing::sample_result("gcn", {}, 0.9, testing::open_certificate()),
                 testing::sample_result("sage", {}, 0.9, testing::open_certificate())});
  const std::vector<Section> sections = certificate_sections(folder);
  ASSERT_EQ(sections.size(), 3U);
  EXPECT_TRUE(sections[0].title.starts_with("mlp on friends"));
  EXPECT_TRUE(sections[1].title.starts_with("gap on friends"));
  EXPECT_EQ(sections[2].title, "Without privacy");
  EXPECT_TRUE(has(sections[2].body.html, "sage on friends"));
  EXPECT_FALSE(has(sections[2].body.html, "epsilon"));
  EXPECT_EQ(count_certificates(folder).sound, 3U);  // mlp's was issued twice
  EXPECT_EQ(count_certificates(folder).unsound, 0U);
}

TEST(CertificateSection, LeadsToTheAuditOfThisVeryCertificate) {
  const privacy::Certificate certificate = sample_certificate();
  const std::string digest = privacy::certificate_digest(certificate);
  ResultFolder folder;
  folder.certificates.push_back({"certificate.json", certificate, digest});
  audit::AuditReport report = testing::sample_audit(*certificate.epsilon, 0.5);
  report.data_fingerprint = certificate.data_fingerprint;
  folder.audits.push_back({"audit.json", report});
  EXPECT_FALSE(has(certificate_sections(folder).at(0).body.html, "#audit-1"));
  folder.audits[0].report.certificate_digest = digest;
  EXPECT_TRUE(has(certificate_sections(folder).at(0).body.html,
                  "<a href=\"#audit-1\">nothing was found against it</a>"));
}

TEST(CertificateSection, WhatWasBoughtTwiceIsCountedTwice) {
  privacy::Certificate other = sample_certificate();
  other.created = "2031-01-01T00:00:00Z";
  ResultFolder folder;
  folder.certificates.push_back({"a/certificate.json", sample_certificate(), "first"});
  folder.certificates.push_back({"b/certificate.json", other, "second"});
  EXPECT_EQ(count_certificates(folder).sound, 2U);
  ResultFolder runs = folder_of({testing::sample_result("ballot", 1, 0.8, sample_certificate()),
                                 testing::sample_result("ballot", 1, 0.8, other)});
  EXPECT_EQ(count_certificates(runs).sound, 2U);
  const std::vector<Section> sections = certificate_sections(runs);
  ASSERT_EQ(sections.size(), 1U);
  EXPECT_TRUE(has(sections[0].body.html, "2 certificates have these numbers"));
  runs.comparisons[0].cells[1].result.runs.push_back(runs.comparisons[0].cells[1].result.runs[0]);
  EXPECT_EQ(certificate_sections(runs).size(), 2U);  // of another number of runs
}

}  // namespace
}  // namespace privet::report
