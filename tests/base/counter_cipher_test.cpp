#include "privet/base/counter_cipher.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "privet/base/random.hpp"

namespace privet {
namespace {

using Engine = CounterCipher::Engine;

// The first block is the encryption of zeros alone. From NIST's AESAVS, appendix C.3 (variable key, 256
// bits), the key with only its first bit set, and the one with all bits set.
TEST(CounterCipher, EncryptsZerosAsTheStandardSays) {
  CounterCipher::Key first_bit{};
  first_bit[0] = 0x80;
  CounterCipher::Key all_bits{};
  all_bits.fill(0xff);
  const std::array<std::uint8_t, 16> of_first_bit = {0xe3, 0x5a, 0x6d, 0xcb, 0x19, 0xb2, 0x01, 0xa0,
                                                     0x1e, 0xbc, 0xfa, 0x8a, 0xa2, 0x2b, 0x57, 0x59};
  const std::array<std::uint8_t, 16> of_all_bits = {0x4b, 0xf8, 0x5f, 0x1b, 0x5d, 0x54, 0xad, 0xbc,
                                                    0x30, 0x7b, 0x0a, 0x04, 0x83, 0x89, 0xad, 0xcb};
  for (const Engine engine : {Engine::fastest, Engine::openssl}) {
    std::array<std::uint8_t, 16> block;
    CounterCipher(first_bit, engine).produce(block.data(), block.size());
    EXPECT_EQ(block, of_first_bit);
    CounterCipher(all_bits, engine).produce(block.data(), block.size());
    EXPECT_EQ(block, of_all_bits);
  }
}

// Counters beyond one and two bytes, and pieces that end anywhere within a block, four blocks and 32 blocks.
TEST(CounterCipher, AllEnginesGiveTheSameBytesHoweverTheyAreTaken) {
  constexpr std::size_t kBytes = 70000 * 16;
  SeededStream stream(3);
  for (int repetition = 0; repetition < 4; ++repetition) {
    CounterCipher::Key key;
    stream.fill(std::as_writable_bytes(std::span(key)));
    std::vector<std::uint8_t> expected(kBytes);
    CounterCipher(key, Engine::openssl).produce(expected.data(), expected.size());
    for (const std::uint64_t most : {3, 40, 700, 5000, 200000}) {
      CounterCipher cipher(key);
      std::vector<std::uint8_t> taken(kBytes);
      for (std::size_t begin = 0; begin < kBytes;) {
        const std::size_t size = std::min<std::size_t>(stream.below(most + 1), kBytes - begin);
        cipher.produce(taken.data() + begin, size);
        begin += size;
      }
      EXPECT_TRUE(taken == expected) << "pieces of at most " << most << " bytes";
    }
  }
}

}  // namespace
}  // namespace privet
