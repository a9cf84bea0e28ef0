#pragma once

#include <optional>
#include <string>

#include "privet/audit/audit.hpp"
#include "privet/privacy/certificate.hpp"

namespace privet::audit {

/// Why an audit says nothing about a certificate.
struct Mismatch {
  std::string what;
  std::string expected;
  std::string remedy = {};
};

/// Empty if the audit is of this very certificate (its digest, unit, rigor, delta and epsilon), of the data
/// that are behind it (their fingerprint) and, where `method` is known, of the method that made its model.
std::optional<Mismatch> mismatch(const AuditReport& report, const privacy::Certificate& certificate,
                                 const std::optional<std::string>& method);

/// What came of it, in a few words that go behind "audited: ". Nothing is called a success that could not
/// have failed: tests of the noise alone, audits with too few trials, those that were interrupted.
std::string outcome(const AuditReport& report);
/// Whether it ended, could have refuted the claim, and did not.
bool is_reassuring(const AuditReport& report);

}  // namespace privet::audit
