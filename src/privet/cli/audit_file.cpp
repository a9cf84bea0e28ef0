#include "privet/cli/audit_file.hpp"

#include <filesystem>

#include "privet/audit/certificate_match.hpp"
#include "privet/base/error.hpp"
#include "privet/base/file.hpp"

namespace privet::cli {
Json audit_beside(const privacy::Certificate& certificate, const std::optional<std::string>& method,
                  const std::string& path) {
  const std::string file = std::filesystem::is_directory(path) ? path + "/audit.json" : path;
  const audit::AuditReport report = audit::audit_from_json(read_json(file), file);
  if (const std::optional<audit::Mismatch> fault = audit::mismatch(report, certificate, method)) {
    throw DataError(
        {.what = fault->what, .where = file, .expected = fault->expected, .remedy = fault->remedy});
  }
  const Json written = audit::audit_json(report);
  Json beside = {{"file", file}};
  for (const char* key : {"test", "data", "claimed_epsilon", "largest_refutable_epsilon", "verdict",
                          "epsilon_lower_bound", "confidence", "finished"})
    beside[key] = written.at(key);
  beside["outcome"] = audit::audit_outcome(report);
  return beside;
}

}  // namespace privet::cli
