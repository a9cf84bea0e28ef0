#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "privet/base/json.hpp"
#include "privet/proof/certificate.hpp"

namespace privet::privacy {

/// The certificate as a document, with the keys that docs/privacy/certificate.md lists, its digest last. One
/// with form_faults() is an InvalidArgument: it is never written.
Json certificate_to_json(const Certificate& certificate);

/// Reads a document back and checks all of it: a missing or unknown key, a wrong type, an unknown name, a
/// number out of range, an impossible combination or a digest that does not match is a DataError that begins
/// with `where` and the path of the key. Whether the numbers are *true* is check_certificate()'s to say.
Certificate certificate_from_json(const Json& document, const std::string& where = "certificate");

/// The same from text; a key that stands twice in one object is a DataError too.
Certificate parse_certificate(std::string_view text, const std::string& where = "certificate");

/// The same from a file.
Certificate read_certificate(const std::filesystem::path& file);

}  // namespace privet::privacy
