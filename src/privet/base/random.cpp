#include "privet/base/random.hpp"

#include <openssl/crypto.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "privet/base/error.hpp"
#include "privet/base/sha256.hpp"

namespace privet {

RandomStream::RandomStream(const Key& key) : cipher_(key) {}

RandomStream::~RandomStream() { OPENSSL_cleanse(buffer_.data(), buffer_.size()); }

void RandomStream::refill() {
  cipher_.produce(buffer_.data(), kBuffer);
  used_ = 0;
}

void RandomStream::fill(std::span<std::byte> bytes) {
  auto* out = reinterpret_cast<std::uint8_t*>(bytes.data());
  std::size_t left = bytes.size();
  const std::size_t buffered = std::min(left, kBuffer - used_);
  std::memcpy(out, buffer_.data() + used_, buffered);
  used_ += buffered;
  cipher_.produce(out + buffered, left - buffered);
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
