#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "privet/base/error.hpp"

namespace privet::privacy {

/// The numbers that messages of the local protocol are made of: 7 bits per byte, the lowest first, every
/// number in its shortest form.
inline void put_number(std::uint64_t number, std::vector<std::byte>& bytes) {
  for (; number >= 0x80; number >>= 7U) bytes.push_back(static_cast<std::byte>((number & 0x7fU) | 0x80U));
  bytes.push_back(static_cast<std::byte>(number));
}

/// All 64 bits in eight bytes, the lowest first.
inline void put_word(std::uint64_t word, std::vector<std::byte>& bytes) {
  for (unsigned shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::byte>(word >> shift));
}

/// Reads them from bytes of any origin; what is not there or not in its one form is a DataError of `where`.
class WireReader {
 public:
  WireReader(std::span<const std::byte> bytes, const char* where) : bytes_(bytes), where_(where) {}

  [[noreturn]] void refuse(std::string what) const {
    throw DataError({.what = std::move(what), .where = where_});
  }
  std::span<const std::byte> take(std::size_t count) {
    if (bytes_.size() < count) refuse("bytes are missing");
    const std::span<const std::byte> taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  /// Below 2^63.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(take(1).front());
      value |= (byte & 0x7fU) << shift;
      if (byte >= 0x80) continue;
      if (byte == 0 && shift > 0) refuse("a number is not in its shortest form");
      return value;
    }
    refuse("a number is too long");
  }
  std::uint64_t word() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const std::byte byte : take(8)) {
      value |= std::to_integer<std::uint64_t>(byte) << shift;
      shift += 8;
    }
    return value;
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  const char* where_;
};

}  // namespace privet::privacy
