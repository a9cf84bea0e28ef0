#include "privet/base/sha256.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>

#include "privet/base/error.hpp"

namespace privet {

namespace {

// Found once: finding it anew takes longer than hashing a short message.
const EVP_MD* algorithm() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found;
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() = default;
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (state_->context == nullptr || algorithm() == nullptr ||
      EVP_DigestInit_ex(state_->context, algorithm(), nullptr) != 1) {
    throw Error({.what = "SHA-256 is not available from OpenSSL"});
  }
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::update(std::span<const std::byte> bytes) {
  if (EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) != 1) {
    throw Error({.what = "SHA-256 failed"});
  }
  return *this;
}

Sha256& Sha256::update(std::string_view text) { return update(std::as_bytes(std::span(text))); }

Sha256& Sha256::update(std::uint64_t number) {
  std::array<std::byte, 8> bytes;
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(number & 0xff);
    number >>= 8;
  }
  return update(bytes);
}

Digest Sha256::finish() {
  Digest digest;
  unsigned size = 0;
  if (EVP_DigestFinal_ex(state_->context, digest.data(), &size) != 1 || size != digest.size()) {
    throw Error({.what = "SHA-256 failed"});
  }
  return digest;
}

// RFC 2104. Streams fork by it, and OpenSSL's own takes longer to set up than to hash such short messages.
Digest hmac_sha256(std::span<const std::uint8_t> key, std::string_view message) {
  std::array<std::uint8_t, 64> block{};
  if (key.size() > block.size()) {
    const Digest shorter = Sha256().update(std::as_bytes(key)).finish();
    std::copy(shorter.begin(), shorter.end(), block.begin());
  } else {
    std::copy(key.begin(), key.end(), block.begin());
  }
  for (std::uint8_t& byte : block) byte ^= 0x36;
  const Digest inner = Sha256().update(std::as_bytes(std::span(block))).update(message).finish();
  for (std::uint8_t& byte : block) byte ^= 0x36 ^ 0x5c;
  const Digest digest =
      Sha256().update(std::as_bytes(std::span(block))).update(std::as_bytes(std::span(inner))).finish();
  OPENSSL_cleanse(block.data(), block.size());
  return digest;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace privet
