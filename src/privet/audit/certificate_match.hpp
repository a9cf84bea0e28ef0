#pragma once

#include <optional>
#include <string>

#include "privet/audit/audit.hpp"
#include "privet/proof/certificate.hpp"

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

}  // namespace privet::audit
