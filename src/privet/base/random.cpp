#include "privet/base/random.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "privet/base/error.hpp"
#include "privet/base/sha256.hpp"

namespace privet {

struct RandomStream::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  explicit Cipher(const Key& key) {
    const std::array<std::uint8_t, 16> zero_counter{};
    if (context == nullptr ||
        EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key.data(), zero_counter.data()) != 1) {
      throw Error({.what = "AES-256-CTR is not available from OpenSSL"});
    }
  }
  ~Cipher() { EVP_CIPHER_CTX_free(context); }
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;

  // The key stream is the encryption of zeros.
  void produce(std::uint8_t* out, std::size_t size) {
    static constexpr std::size_t kMost = 1u << 30;
    while (size > 0) {
      const std::size_t piece = std::min(size, kMost);
      std::memset(out, 0, piece);
      int made = 0;
      if (EVP_EncryptUpdate(context, out, &made, out, static_cast<int>(piece)) != 1 ||
          made != static_cast<int>(piece)) {
        throw Error({.what = "AES-256-CTR failed"});
      }
      out += piece;
      size -= piece;
    }
  }
};

RandomStream::RandomStream(const Key& key) : cipher_(std::make_unique<Cipher>(key)) {}

RandomStream::~RandomStream() { OPENSSL_cleanse(buffer_.data(), buffer_.size()); }

void RandomStream::refill() {
  cipher_->produce(buffer_.data(), kBuffer);
  used_ = 0;
}

void RandomStream::fill(std::span<std::byte> bytes) {
  auto* out = reinterpret_cast<std::uint8_t*>(bytes.data());
  std::size_t left = bytes.size();
  const std::size_t buffered = std::min(left, kBuffer - used_);
  std::memcpy(out, buffer_.data() + used_, buffered);
  used_ += buffered;
  cipher_->produce(out + buffered, left - buffered);
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  // Lemire's multiply-and-reject: exact, and nearly always one draw.
  __extension__ typedef unsigned __int128 Wide;
  Wide product = static_cast<Wide>(bits()) * bound;
  auto low = static_cast<std::uint64_t>(product);
  if (low < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (low < threshold) {
      product = static_cast<Wide>(bits()) * bound;
      low = static_cast<std::uint64_t>(product);
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

void fill_from_system(std::span<std::uint8_t> bytes) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      throw Error({.what = "the operating system gives no random bytes"});
    }
    filled += static_cast<std::size_t>(got);
  }
}

namespace {

Digest system_key() {
  Digest key;
  fill_from_system(key);
  return key;
}

Digest seed_key(std::uint64_t seed) {
  return Sha256().update("privet seeded stream 1").update(seed).finish();
}

}  // namespace

SecureStream::SecureStream() : RandomStream(system_key()) {}

std::unique_ptr<RandomStream> SecureStream::fork(std::string_view, std::uint64_t) const {
  return std::make_unique<SecureStream>();
}

SeededStream::SeededStream(std::uint64_t seed) : SeededStream(seed_key(seed)) {}

SeededStream::SeededStream(const Key& key) : RandomStream(key), key_(key) {}

std::unique_ptr<RandomStream> SeededStream::fork(std::string_view name, std::uint64_t index) const {
  const Digest message = Sha256().update(index).update(name).finish();
  const Digest key =
      hmac_sha256(key_, std::string_view(reinterpret_cast<const char*>(message.data()), message.size()));
  return std::unique_ptr<RandomStream>(new SeededStream(key));
}

}  // namespace privet
