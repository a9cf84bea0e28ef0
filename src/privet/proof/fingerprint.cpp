#include "privet/proof/fingerprint.hpp"

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"
#include "privet/base/sha256.hpp"

namespace privet::privacy {
namespace {

constexpr std::string_view kPrefix = "hmac-sha256:";

}  // namespace

bool is_sha256_hex(std::string_view text) noexcept {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

BlindingKey make_blinding_key() {
  BlindingKey key;
  fill_from_system(key);
  return key;
}

std::string blinded_fingerprint(std::string_view fingerprint, const BlindingKey& key) {
  if (!is_sha256_hex(fingerprint)) {
    throw InvalidArgument({.what = "is not a fingerprint of data",
                           .where = "fingerprint",
                           .expected = "64 lower-case hexadecimal digits"});
  }
  return std::string(kPrefix) + to_hex(hmac_sha256(key, fingerprint));
}

bool is_blinded_fingerprint(std::string_view text) noexcept {
  return text.starts_with(kPrefix) && is_sha256_hex(text.substr(kPrefix.size()));
}

std::string blinding_key_text(const BlindingKey& key) { return to_hex(key); }

BlindingKey blinding_key_from_text(std::string_view text, const std::string& where) {
  if (!is_sha256_hex(text)) {
    throw DataError(
        {.what = "is not a blinding key", .where = where, .expected = "64 lower-case hexadecimal digits"});
  }
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  BlindingKey key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<std::uint8_t>(digit(text[2 * i]) * 16 + digit(text[2 * i + 1]));
  }
  return key;
}

}  // namespace privet::privacy
