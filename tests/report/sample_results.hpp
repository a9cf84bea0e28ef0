#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "privet/audit/attacks/attacks.hpp"
#include "privet/audit/audit.hpp"
#include "privet/base/file.hpp"
#include "privet/proof/certificate_json.hpp"
#include "privet/report/folder.hpp"
#include "privet/run/comparison.hpp"
#include "proof/sample_certificate.hpp"

namespace privet::report::testing {

using privacy::testing::epsilon_by;

/// An empty folder for one test, removed with it.
class TestFolder {
 public:
  TestFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("privet-report-" + std::to_string(::getpid()) + "-" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    write_text(path_ / file, text);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] ResultFolder read() const { return read_folder(path_, epsilon_by); }

 private:
  std::filesystem::path path_;
};

/// A certificate of a run that protects nothing.
inline privacy::Certificate open_certificate() {
  privacy::Certificate c = privacy::testing::unsound_certificate();
  c.unit = "none";
  c.rigor = privacy::Rigor::kStrict;
  c.protects = c.leaves_public = "";
  c.claimed_epsilon.reset();
  c.releases.clear();
  c.failed_claims.clear();
  return c;
}

/// Two runs of a method with this certificate, as `compare` writes them.
inline methods::CellResult sample_result(const std::string& method, std::optional<double> epsilon,
                                         double accuracy, const privacy::Certificate& certificate) {
  methods::CellResult result;
  result.cell.method = method;
  result.cell.data = "folder/friends";
  result.cell.unit = certificate.unit;
  result.cell.rigor = certificate.rigor;
  result.cell.epsilon = epsilon;
  result.cell.runs = 2;
  result.delta = certificate.delta;
  result.certificate = privacy::certificate_to_json(certificate);
  for (const double apart : {-0.001, 0.001}) {
    result.runs.push_back({{"run", result.runs.size()},
                           {"test_accuracy", accuracy + apart},
                           {"train_seconds", 0.5},
                           {"plan", Json::object()},
                           {"all_runs_epsilon", nullptr},
                           {"certificate", result.certificate}});
  }
  return result;
}

/// The cell as one of a local method, whose epsilon is for one bit, with this price of an undirected edge.
inline void make_local(CellReport& cell, double edge_epsilon) {
  cell.certificate.unit = "local-edge";
  cell.certificate.readings = {{.unit = "edge", .epsilon = edge_epsilon, .delta = 0, .event = {}}};
}

inline std::string line_of(const methods::CellResult& result) { return to_line(result.to_json()); }

inline audit::AuditReport sample_audit(double claimed, double measured) {
  return {.method = "gap",
          .data = "folder/friends",
          .unit = "edge",
          .rigor = "strict",
          .test = "two-world",
          .claimed_epsilon = claimed,
          .claim_is_sound = true,
          .largest_refutable = 10,
          .delta = 1e-6,
          .epsilon_lower_bound = measured,
          .confidence = 0.999,
          .neighbors = "bridge: the edge 1 2",
          .findings =
              {{.what = "whole runs", .epsilon_lower_bound = measured, .detail = "rare event", .seconds = 2}},
          .finished = true};
}

inline audit::AttackReport sample_attacks() {
  audit::AttackReport report{.method = "gcn", .data = "folder/friends", .unit = "none"};
  const audit::Scored scored{{3, 2, 1}, {0, 1, 0.5}};
  for (const char* variant : {"correlation", "cosine"}) {
    audit::AttackResult attack = audit::AttackResult::of("lpa", variant, scored);
    attack.target = "gcn";
    attack.about = "balanced pairs";
    report.attacks.push_back(attack);
  }
  report.attacks.push_back(
      {.name = "linkteller", .variant = "both", .target = "mlp", .note = "reads no edge"});
  return report;
}

}  // namespace privet::report::testing
