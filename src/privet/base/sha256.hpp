#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace privet {

using Digest = std::array<std::uint8_t, 32>;

/// SHA-256, fed piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& update(std::span<const std::byte> bytes);
  Sha256& update(std::string_view text);
  /// A number as eight little-endian bytes, whatever the machine.
  Sha256& update(std::uint64_t number);
  /// The digest of all that was fed; the object takes no more after that.
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Digest hmac_sha256(std::span<const std::uint8_t> key, std::string_view message);

/// Lower-case hexadecimal.
std::string to_hex(std::span<const std::uint8_t> bytes);

}  // namespace privet
