#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace privet {

/// The key stream of AES-256 in counter mode, from a counter of zero: what RandomStream draws from.
///
/// Where the processor encrypts four blocks at once (VAES with AVX-512) it is asked directly, which is twice
/// as fast as OpenSSL 3.0 is there; elsewhere OpenSSL does it. The bytes are the same, and neither looks up
/// tables by secret bytes. A stream holds 2^64 blocks.
class CounterCipher {
 public:
  using Key = std::array<std::uint8_t, 32>;
  enum class Engine { fastest, openssl };

  explicit CounterCipher(const Key& key, Engine engine = Engine::fastest);
  ~CounterCipher();
  CounterCipher(const CounterCipher&) = delete;
  CounterCipher& operator=(const CounterCipher&) = delete;

  /// The next `size` bytes.
  void produce(std::uint8_t* out, std::size_t size);

  /// Whether this processor is asked directly.
  static bool has_vectors() noexcept;

 private:
  static constexpr std::size_t kRounds = 14;
  struct OpenSsl;

  void produce_by_vectors(std::uint8_t* out, std::size_t size);

  std::unique_ptr<OpenSsl> openssl_;  ///< none where the processor is asked directly
  alignas(16) std::array<std::array<std::uint8_t, 16>, kRounds + 1> round_keys_;
  std::uint64_t next_block_ = 0;
  std::array<std::uint8_t, 16> begun_;  ///< a block of which only the first bytes have been given out
  std::size_t given_ = 16;
};

}  // namespace privet
