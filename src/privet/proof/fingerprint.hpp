#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace privet::privacy {

/// A certificate says which data it speaks of without giving the data away. The plain SHA-256 of a private
/// graph would be a release without noise: who knows all edges but one could try both graphs and compare. So
/// certificates and ledgers carry HMAC-SHA-256 of the fingerprint under a random key that stays with the
/// owner of the data (docs/decisions/0001-blinded-fingerprint.md).

/// 256 secret bits. Whoever holds them can test guesses about the data against published certificates.
using BlindingKey = std::array<std::uint8_t, 32>;

/// A fresh key from the operating system's generator.
BlindingKey make_blinding_key();

/// "hmac-sha256:<64 hexadecimal digits>". `fingerprint` is the plain one, 64 lower-case hexadecimal digits;
/// anything else is an InvalidArgument.
std::string blinded_fingerprint(std::string_view fingerprint, const BlindingKey& key);

/// Whether the text has the form that blinded_fingerprint() gives.
bool is_blinded_fingerprint(std::string_view text) noexcept;

/// Whether the text is 64 lower-case hexadecimal digits, as a SHA-256 is written everywhere in Privet.
bool is_sha256_hex(std::string_view text) noexcept;

/// The key in hexadecimal and back (DataError for anything but 64 digits): the form in which it is stored.
std::string blinding_key_text(const BlindingKey& key);
BlindingKey blinding_key_from_text(std::string_view text, const std::string& where);

}  // namespace privet::privacy
