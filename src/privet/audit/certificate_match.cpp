#include "privet/audit/certificate_match.hpp"

#include <fmt/format.h>

#include <cmath>

namespace privet::audit {
namespace {

// The audit plans anew within the certificate's epsilon: calibration and rounding may leave a little of it.
constexpr double kReplanned = 0.1;

std::optional<Mismatch> differing(const char* what, const std::string& found, const std::string& expected) {
  if (found == expected) return {};
  return Mismatch{.what = fmt::format("audits {} '{}'", what, found),
                  .expected = fmt::format("'{}', as the certificate has", expected)};
}

}  // namespace

std::optional<Mismatch> mismatch(const AuditReport& report, const privacy::Certificate& certificate,
                                 const std::optional<std::string>& method) {
  if (report.certificate_digest != privacy::certificate_digest(certificate)) {
    return Mismatch{.what = "is not an audit of this certificate",
                    .expected = "what 'privet audit --model DIR --out' writes for its model"};
  }
  if (report.data_fingerprint != certificate.data_fingerprint) {
    return Mismatch{.what = fmt::format("audits other data than the certificate is about: '{}'", report.data),
                    .expected = "the data that the model was trained on, prepared in the same way",
                    .remedy = "audit it on those; with --ledger if a ledger paid for the model"};
  }
  if (method) {
    if (auto found = differing("method", report.method, *method)) return found;
  }
  if (auto found = differing("unit", report.unit, certificate.unit)) return found;
  if (auto found = differing("rigor", report.rigor, std::string(privacy::name(certificate.rigor))))
    return found;
  if (!report.violated() && report.claim_is_sound != certificate.sound) {
    return Mismatch{
        .what = fmt::format("audits a claim that is {}sound", report.claim_is_sound ? "" : "not "),
        .expected = fmt::format("the certificate's, which is {}", certificate.sound ? "sound" : "not")};
  }
  if (!certificate.releases.empty() && report.delta != certificate.delta) {
    return Mismatch{.what = fmt::format("audits delta {:g}", report.delta),
                    .expected = fmt::format("{:g}, as the certificate has", certificate.delta)};
  }
  const std::optional<double> stated =
      certificate.epsilon ? certificate.epsilon : certificate.claimed_epsilon;
  const bool replanned = stated && report.claimed_epsilon <= *stated * (1 + 1e-9) &&
                         report.claimed_epsilon >= (1 - kReplanned) * *stated;
  if (stated && (*stated > 0 || !certificate.releases.empty()) && !replanned) {
    return Mismatch{.what = fmt::format("audits epsilon {:.4g}", report.claimed_epsilon),
                    .expected = fmt::format("{:.4g} or a little less, as the certificate has", *stated)};
  }
  return {};
}

}  // namespace privet::audit
