#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "privet/audit/attacks/attacks.hpp"
#include "privet/audit/audit.hpp"
#include "privet/report/cell_report.hpp"

namespace privet::report {

/// What a folder of results holds, read and checked, in the order of its files' names.

struct ComparisonFile {
  std::string file = {};  ///< as seen from the folder
  std::vector<CellReport> cells = {};
};
struct CertificateFile {
  std::string file = {};
  privacy::Certificate certificate = {};
  std::string digest = {};  ///< as it was read
};
struct AuditFile {
  std::string file = {};
  audit::AuditReport report = {};
};
struct AttackFile {
  std::string file = {};
  audit::AttackReport report = {};
};
/// A file that was read, for who wants to know whether it is still the same.
struct Source {
  std::string file = {};
  std::string sha256 = {};
};

struct ResultFolder {
  std::vector<ComparisonFile> comparisons = {};    ///< results.jsonl, and result.json of one training
  std::vector<CertificateFile> certificates = {};  ///< certificate.json that no result.json beside it repeats
  std::vector<AuditFile> audits = {};              ///< audit.json
  std::vector<AttackFile> attacks = {};            ///< attacks.json, with the curves of roc.json
  std::vector<Source> sources = {};
};

/// Reads the folder and the folders in it, one level down; links are not followed. A certificate that an
/// audit among them refutes is not sound from there on: its epsilon is a claim, and the audit is why. A file
/// that can't be read, is cut off or has a certificate that does not hold is a DataError that names it; so is
/// a folder without any of these files.
ResultFolder read_folder(const std::filesystem::path& folder, const privacy::EpsilonOf& epsilon_of);

}  // namespace privet::report
