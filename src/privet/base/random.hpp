#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "privet/base/counter_cipher.hpp"

namespace privet {

/// A stream of uniformly random bytes: AES-256 in counter mode. All randomness in Privet comes from one of
/// its two kinds, SecureStream and SeededStream; code that draws takes a RandomStream& and does not know
/// which.
///
/// A stream belongs to one thread. Parallel work forks one stream per *piece of work* (not per thread), so
/// that what is drawn does not depend on the number of threads.
class RandomStream {
 public:
  virtual ~RandomStream();
  RandomStream(const RandomStream&) = delete;
  RandomStream& operator=(const RandomStream&) = delete;

  /// The next bytes of the stream.
  void fill(std::span<std::byte> bytes);

  /// 64 uniform bits.
  std::uint64_t bits() {
    if (used_ + sizeof(std::uint64_t) > kBuffer) refill();
    std::uint64_t value = 0;
    std::memcpy(&value, buffer_.data() + used_, sizeof value);
    used_ += sizeof value;
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    return value;
  }

  /// Uniform on [0, 1): a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  /// Uniform on (0, 1]: never zero, so that its logarithm is finite.
  double uniform_positive() { return static_cast<double>((bits() >> 11) + 1) * 0x1p-53; }

  /// Uniform on {0, ..., bound-1}, exactly (rejection, no modulo bias). `bound` is positive.
  std::uint64_t below(std::uint64_t bound);

  /// An independent stream. From a SeededStream the same (name, index) gives the same stream every time, and
  /// different ones are independent; from a SecureStream every fork is fresh.
  [[nodiscard]] virtual std::unique_ptr<RandomStream> fork(std::string_view name,
                                                           std::uint64_t index = 0) const = 0;

  /// Whether someone who knows the seed can draw the same bytes again.
  [[nodiscard]] virtual bool replayable() const noexcept = 0;

 protected:
  using Key = CounterCipher::Key;
  explicit RandomStream(const Key& key);

 private:
  static constexpr std::size_t kBuffer = 2048;
  void refill();

  CounterCipher cipher_;
  std::size_t used_ = kBuffer;
  std::array<std::uint8_t, kBuffer> buffer_;
};

/// Keyed by 256 bits from the operating system's generator; the noise of production.
class SecureStream final : public RandomStream {
 public:
  SecureStream();
  [[nodiscard]] std::unique_ptr<RandomStream> fork(std::string_view name, std::uint64_t index) const override;
  [[nodiscard]] bool replayable() const noexcept override { return false; }
};

/// Keyed by a number that the user knows: for generators, splits, initial weights, tests and replayable runs.
/// Noise from it protects nobody who knows the seed, and certificates say so.
class SeededStream final : public RandomStream {
 public:
  explicit SeededStream(std::uint64_t seed);
  [[nodiscard]] std::unique_ptr<RandomStream> fork(std::string_view name, std::uint64_t index) const override;
  [[nodiscard]] bool replayable() const noexcept override { return true; }

 private:
  explicit SeededStream(const Key& key);
  Key key_;
};

/// Bytes from the operating system's generator, for keys and salts.
void fill_from_system(std::span<std::uint8_t> bytes);

}  // namespace privet
