#include "privet/report/folder.hpp"

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/sha256.hpp"
#include "privet/privacy/certificate_json.hpp"

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
    if (const auto file = found(folder / "result.json")) {
      CellReport cell = cell_from_json(read_json(*file), file->string(), epsilon_of_);
      cell.where = shown(*file);
      result_.comparisons.push_back({shown(*file), {std::move(cell)}});
    }
    if (const auto file = found(folder / "certificate.json")) read_certificate(*file);
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
    if (!fs::is_regular_file(file)) return {};
    result_.sources.push_back({shown(file), to_hex(Sha256().update(read_text(file, kMaxBytes)).finish())});
    return file;
  }

  void read_certificate(const fs::path& file) {
    const privacy::Certificate certificate = privacy::read_certificate(file);
    require_holds(certificate, file.string(), epsilon_of_);
    const std::string digest = privacy::certificate_digest(certificate);
    for (const ComparisonFile& comparison : result_.comparisons) {
      for (const CellReport& cell : comparison.cells) {
        if (privacy::certificate_digest(cell.certificate) == digest) return;
      }
    }
    result_.certificates.push_back({shown(file), certificate});
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
    if (std::error_code ignored; entry.is_directory(ignored)) inside.push_back(entry.path());
  }
  if (error) throw IoError({.what = "can't read: " + error.message(), .where = folder.string()});
  std::ranges::sort(inside);
  return inside;
}

}  // namespace

ResultFolder read_folder(const fs::path& folder, const privacy::EpsilonOf& epsilon_of) {
  if (!fs::is_directory(folder)) {
    throw InvalidArgument({.what = "no such folder",
                           .where = folder.string(),
                           .expected = "what 'privet compare --out', 'train --out' or 'audit --out' made"});
  }
  Reader reader(folder, epsilon_of);
  reader.read(folder);
  for (const fs::path& inside : folders_in(folder)) reader.read(inside);
  ResultFolder result = reader.take();
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
