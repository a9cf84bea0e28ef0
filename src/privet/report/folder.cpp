#include "privet/report/folder.hpp"

#include <algorithm>
#include <optional>

#include "privet/audit/certificate_match.hpp"
#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/sha256.hpp"
#include "privet/proof/certificate_json.hpp"

namespace privet::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

class Reader {
 public:
  Reader(fs::path root, const privacy::EpsilonOf& epsilon_of)
      : root_(std::move(root)), epsilon_of_(epsilon_of) {}

  void read(const fs::path& folder) {
    if (const auto file = found(folder / "results.jsonl"))
      result_.comparisons.push_back({shown(*file), read_results(*file, shown(*file), epsilon_of_)});
    std::optional<privacy::Certificate> of_result;
    if (const auto file = found(folder / "result.json")) {
      CellReport cell = cell_from_json(read_json(*file), file->string(), epsilon_of_);
      cell.where = shown(*file);
      of_result = cell.certificate;
      result_.comparisons.push_back({shown(*file), {std::move(cell)}});
    }
    if (const auto file = found(folder / "certificate.json")) read_certificate(*file, of_result);
    if (const auto file = found(folder / "audit.json"))
      result_.audits.push_back({shown(*file), audit::audit_from_json(read_json(*file), file->string())});
    if (const auto file = found(folder / "attacks.json")) {
      audit::AttackReport report = audit::attacks_from_json(read_json(*file), file->string());
      if (const auto curves = found(folder / "roc.json"))
        audit::add_curves(report, read_json(*curves), curves->string());
      result_.attacks.push_back({shown(*file), std::move(report)});
    }
  }

  ResultFolder take() { return std::move(result_); }

 private:
  std::optional<fs::path> found(const fs::path& file) {
    if (fs::is_symlink(file) || !fs::is_regular_file(file)) return {};
    result_.sources.push_back({shown(file), to_hex(Sha256().update(read_text(file, kMaxBytes)).finish())});
    return file;
  }

  void read_certificate(const fs::path& file, const std::optional<privacy::Certificate>& beside) {
    const privacy::Certificate certificate = privacy::read_certificate(file);
    require_holds(certificate, file.string(), epsilon_of_);
    const std::string digest = privacy::certificate_digest(certificate);
    if (beside && privacy::certificate_digest(*beside) != digest) {
      throw DataError({.what = "is not the certificate of the result.json beside it",
                       .where = file.string(),
                       .expected = "the one that 'privet train --out' wrote there"});
    }
    for (const ComparisonFile& comparison : result_.comparisons) {
      for (const CellReport& cell : comparison.cells) {
        if (privacy::certificate_digest(cell.certificate) == digest) return;
      }
    }
    result_.certificates.push_back({shown(file), certificate, digest});
  }

  [[nodiscard]] std::string shown(const fs::path& file) const {
    return file.lexically_relative(root_).generic_string();
  }

  fs::path root_;
  const privacy::EpsilonOf& epsilon_of_;
  ResultFolder result_;
};

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> inside;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (std::error_code ignored; !entry.is_symlink(ignored) && entry.is_directory(ignored))
      inside.push_back(entry.path());
  }
  if (error) throw IoError({.what = "can't read: " + error.message(), .where = folder.string()});
  std::ranges::sort(inside);
  return inside;
}

}  // namespace

namespace {

// What an audit of this very certificate refutes is a claim and no bound.
bool take_back(const AuditFile& audit, const std::string& digest, privacy::Certificate& certificate) {
  if (!audit.report.violated() || audit.report.certificate_digest != digest || !certificate.sound ||
      audit::mismatch(audit.report, certificate, {}))
    return false;
  certificate.sound = false;
  certificate.claimed_epsilon = certificate.epsilon;
  certificate.epsilon.reset();
  certificate.epsilon_lower.reset();
  certificate.readings.clear();
  certificate.failed_claims.push_back("an audit refutes it: " + audit.file);
  return true;
}

void take_back(const AuditFile& audit, ResultFolder& folder) {
  for (CertificateFile& one : folder.certificates) take_back(audit, one.digest, one.certificate);
  for (ComparisonFile& comparison : folder.comparisons) {
    for (CellReport& cell : comparison.cells) {
      if (!take_back(audit, cell.digest, cell.certificate)) continue;
      cell.result.certificate["sound"] = false;
      cell.all_runs_epsilon.reset();
    }
  }
}

}  // namespace

ResultFolder read_folder(const fs::path& folder, const privacy::EpsilonOf& epsilon_of) {
  if (!fs::is_directory(folder)) {
    throw InvalidArgument({.what = fs::exists(folder) ? "not a folder" : "no such folder",
                           .where = folder.string(),
                           .expected = "what 'privet compare --out', 'train --out' or 'audit --out' made"});
  }
  Reader reader(folder, epsilon_of);
  reader.read(folder);
  for (const fs::path& inside : folders_in(folder)) reader.read(inside);
  ResultFolder result = reader.take();
  for (const AuditFile& audit : result.audits) take_back(audit, result);
  if (result.sources.empty()) {
    throw DataError({.what = "no results in it",
                     .where = folder.string(),
                     .expected =
                         "results.jsonl (compare --out), result.json or certificate.json (train "
                         "--out), audit.json or attacks.json (audit --out), in it or in a folder in it"});
  }
  return result;
}

}  // namespace privet::report
