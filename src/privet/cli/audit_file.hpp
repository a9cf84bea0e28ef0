#pragma once

#include <optional>
#include <string>

#include "privet/base/json.hpp"
#include "privet/proof/certificate.hpp"

namespace privet::cli {

/// What `privet audit --model DIR --out` wrote, as it is printed beside the certificate that it is about: for
/// the eyes of the data's owner.
///
/// `path` is audit.json or its folder. A DataError unless it is an audit of this very certificate (its
/// digest, unit, rigor, delta and epsilon), of the data that are behind it (their fingerprint) and, where
/// `method` is known, of the method that made its model; or where it contradicts itself.
Json audit_beside(const privacy::Certificate& certificate, const std::optional<std::string>& method,
                  const std::string& path);

}  // namespace privet::cli
