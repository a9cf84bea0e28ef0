#include "privet/base/counter_cipher.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstring>

#include "privet/base/error.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#define PRIVET_VECTOR_AES __attribute__((target("aes,vaes,avx512f,avx512bw")))
#endif

namespace privet {

struct CounterCipher::OpenSsl {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  explicit OpenSsl(const Key& key) {
    const std::array<std::uint8_t, 16> zero_counter{};
    if (context == nullptr ||
        EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key.data(), zero_counter.data()) != 1) {
      throw Error({.what = "AES-256-CTR is not available from OpenSSL"});
    }
  }
  ~OpenSsl() { EVP_CIPHER_CTX_free(context); }
  OpenSsl(const OpenSsl&) = delete;
  OpenSsl& operator=(const OpenSsl&) = delete;

  // The key stream is the encryption of zeros.
  void produce(std::uint8_t* out, std::size_t size) const {
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

#if defined(__x86_64__)

namespace {

constexpr std::size_t kBlockBytes = 16;
constexpr std::size_t kVectorBytes = 64;
constexpr std::size_t kAtOnce = 8;  // vectors, enough to hide how long a round takes

using RoundKeys = std::array<std::array<std::uint8_t, kBlockBytes>, 15>;

// Every word is the sum of the word a key's length before it and the one just before, the latter substituted
// where a key begins (and rotated) or is half way (FIPS 197, section 5.2).
PRIVET_VECTOR_AES __m128i next_round_key(__m128i before, __m128i substituted) {
  before = _mm_xor_si128(before, _mm_slli_si128(before, 4));
  before = _mm_xor_si128(before, _mm_slli_si128(before, 8));
  return _mm_xor_si128(before, substituted);
}

template <int kRoundConstant>
PRIVET_VECTOR_AES void next_round_keys(__m128i& even, __m128i& odd) {
  even = next_round_key(even, _mm_shuffle_epi32(_mm_aeskeygenassist_si128(odd, kRoundConstant), 0xff));
  odd = next_round_key(odd, _mm_shuffle_epi32(_mm_aeskeygenassist_si128(even, 0), 0xaa));
}

PRIVET_VECTOR_AES void expand(const std::array<std::uint8_t, 32>& key, RoundKeys& round_keys) {
  __m128i even = _mm_loadu_si128(reinterpret_cast<const __m128i*>(key.data()));
  __m128i odd = _mm_loadu_si128(reinterpret_cast<const __m128i*>(key.data() + kBlockBytes));
  std::size_t round = 0;
  const auto keep = [&](__m128i value) { std::memcpy(round_keys[round++].data(), &value, sizeof value); };
  const auto keep_both = [&] {
    keep(even);
    if (round < round_keys.size()) keep(odd);
  };
  keep_both();
  next_round_keys<0x01>(even, odd);
  keep_both();
  next_round_keys<0x02>(even, odd);
  keep_both();
  next_round_keys<0x04>(even, odd);
  keep_both();
  next_round_keys<0x08>(even, odd);
  keep_both();
  next_round_keys<0x10>(even, odd);
  keep_both();
  next_round_keys<0x20>(even, odd);
  keep_both();
  next_round_keys<0x40>(even, odd);
  keep_both();
}

// The one without a mask warns of a variable of its own (GCC bug 105593).
PRIVET_VECTOR_AES __m512i four_times(__m128i block) { return _mm512_maskz_broadcast_i32x4(0xffff, block); }

// Whole groups of four blocks.
PRIVET_VECTOR_AES void encrypt_counters(const RoundKeys& round_keys, std::uint64_t first_block,
                                        std::uint8_t* out, std::size_t vectors) {
  __m512i keys[15];
  for (std::size_t i = 0; i < 15; ++i) {
    keys[i] = four_times(_mm_load_si128(reinterpret_cast<const __m128i*>(round_keys[i].data())));
  }
  // Counters are 128 bits, the highest byte first; here their lower halves, and so reversed.
  const __m512i reversed = four_times(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  const __m512i step = _mm512_set_epi64(0, 4, 0, 4, 0, 4, 0, 4);
  __m512i counter = _mm512_add_epi64(_mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0),
                                     _mm512_maskz_set1_epi64(0x55, static_cast<long long>(first_block)));
  while (vectors >= kAtOnce) {
    __m512i state[kAtOnce];
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kAtOnce; ++j) {
      state[j] = _mm512_xor_si512(_mm512_shuffle_epi8(counter, reversed), keys[0]);
      counter = _mm512_add_epi64(counter, step);
    }
#pragma GCC unroll 14
    for (std::size_t i = 1; i < 14; ++i) {
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kAtOnce; ++j) state[j] = _mm512_aesenc_epi128(state[j], keys[i]);
    }
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kAtOnce; ++j)
      _mm512_storeu_si512(out + j * kVectorBytes, _mm512_aesenclast_epi128(state[j], keys[14]));
    out += kAtOnce * kVectorBytes;
    vectors -= kAtOnce;
  }
  for (; vectors > 0; --vectors, out += kVectorBytes) {
    __m512i state = _mm512_xor_si512(_mm512_shuffle_epi8(counter, reversed), keys[0]);
    counter = _mm512_add_epi64(counter, step);
    for (std::size_t i = 1; i < 14; ++i) state = _mm512_aesenc_epi128(state, keys[i]);
    _mm512_storeu_si512(out, _mm512_aesenclast_epi128(state, keys[14]));
  }
}

bool detect_vectors() noexcept {
  __builtin_cpu_init();
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned kVectorAes = 1u << 9;
  return __builtin_cpu_supports("aes") != 0 && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
         (c & kVectorAes) != 0;
}

}  // namespace

bool CounterCipher::has_vectors() noexcept {
  static const bool has = detect_vectors();
  return has;
}

void CounterCipher::produce_by_vectors(std::uint8_t* out, std::size_t size) {
  const std::size_t left = std::min(size, kBlockBytes - given_);
  std::memcpy(out, begun_.data() + given_, left);
  given_ += left;
  out += left;
  size -= left;

  const std::size_t vectors = size / kVectorBytes;
  encrypt_counters(round_keys_, next_block_, out, vectors);
  next_block_ += 4 * vectors;
  out += vectors * kVectorBytes;
  size -= vectors * kVectorBytes;
  if (size == 0) return;

  std::array<std::uint8_t, kVectorBytes> last;
  encrypt_counters(round_keys_, next_block_, last.data(), 1);
  std::memcpy(out, last.data(), size);
  const std::size_t whole = size / kBlockBytes;
  next_block_ += whole;
  if (size % kBlockBytes != 0) {
    std::memcpy(begun_.data(), last.data() + whole * kBlockBytes, kBlockBytes);
    given_ = size % kBlockBytes;
    ++next_block_;
  }
  OPENSSL_cleanse(last.data(), last.size());
}

#else

bool CounterCipher::has_vectors() noexcept { return false; }
void CounterCipher::produce_by_vectors(std::uint8_t*, std::size_t) {}

#endif

CounterCipher::CounterCipher(const Key& key, Engine engine) {
#if defined(__x86_64__)
  if (engine == Engine::fastest && has_vectors()) {
    expand(key, round_keys_);
    return;
  }
#else
  static_cast<void>(engine);
#endif
  openssl_ = std::make_unique<OpenSsl>(key);
}

CounterCipher::~CounterCipher() {
  OPENSSL_cleanse(round_keys_.data(), sizeof round_keys_);
  OPENSSL_cleanse(begun_.data(), begun_.size());
}

void CounterCipher::produce(std::uint8_t* out, std::size_t size) {
  if (openssl_ != nullptr) {
    openssl_->produce(out, size);
  } else {
    produce_by_vectors(out, size);
  }
}

}  // namespace privet
