#include "privet/cli/audit_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "privet/audit/audit.hpp"
#include "privet/base/error.hpp"
#include "privet/base/file.hpp"

namespace privet::cli {
namespace {

// The audit plans anew from the certificate's epsilon: calibration and rounding may leave a little of it.
constexpr double kReplanned = 0.1;

void require_same(const std::string& what, const std::string& found, const std::string& expected,
                  const std::string& file) {
  if (found == expected) return;
  throw DataError({.what = fmt::format("audits {} '{}'", what, found),
                   .where = file,
                   .expected = fmt::format("'{}', as the certificate has", expected)});
}

void require_same_claim(const privacy::Certificate& certificate, const audit::AuditReport& report,
                        const std::string& file) {
  require_same("unit", report.unit, certificate.unit, file);
  require_same("rigor", report.rigor, std::string(privacy::name(certificate.rigor)), file);
  if (certificate.delta > 0 && report.delta != certificate.delta) {
    throw DataError({.what = fmt::format("audits delta {:g}", report.delta),
                     .where = file,
                     .expected = fmt::format("{:g}, as the certificate has", certificate.delta)});
  }
  const std::optional<double> stated =
      certificate.epsilon ? certificate.epsilon : certificate.claimed_epsilon;
  if (stated && *stated > 0 && std::abs(report.claimed_epsilon - *stated) > kReplanned * *stated) {
    throw DataError({.what = fmt::format("audits epsilon {:.4g}", report.claimed_epsilon),
                     .where = file,
                     .expected = fmt::format("about {:.4g}, as the certificate has", *stated)});
  }
}

}  // namespace

Json audit_beside(const privacy::Certificate& certificate, const std::optional<std::string>& method,
                  const std::string& path) {
  const std::string file = std::filesystem::is_directory(path) ? path + "/audit.json" : path;
  const audit::AuditReport report = audit::audit_from_json(read_json(file), file);
  if (report.certificate_digest != privacy::certificate_digest(certificate)) {
    throw DataError({.what = "is not an audit of this certificate",
                     .where = file,
                     .expected = "what 'privet audit --model DIR --out' writes for its model"});
  }
  if (report.data_fingerprint != certificate.data_fingerprint) {
    throw DataError(
        {.what = fmt::format("audits other data than the certificate is about: '{}'", report.data),
         .where = file,
         .expected = "the data that the model was trained on, prepared in the same way",
         .remedy = "audit it on those; with --ledger if a ledger paid for the model"});
  }
  if (method) require_same("method", report.method, *method, file);
  require_same_claim(certificate, report, file);
  const Json written = audit::audit_json(report);
  Json beside = {{"file", file}};
  for (const char* key : {"test", "data", "claimed_epsilon", "largest_refutable_epsilon", "verdict",
                          "epsilon_lower_bound", "confidence", "finished"})
    beside[key] = written.at(key);
  return beside;
}

}  // namespace privet::cli
