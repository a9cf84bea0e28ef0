#include "privet/base/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "privet/base/parallel.hpp"
#include "privet/base/sha256.hpp"

namespace privet {
namespace {

std::string take(RandomStream& stream, std::size_t count) {
  std::string bytes(count, '\0');
  stream.fill(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// AES-256-CTR with a zero counter, of the key SHA-256("privet seeded stream 1" || seed as 8 bytes): computed
// with Python's hashlib and the `openssl enc -aes-256-ctr` command. Saved runs depend on these bytes for
// ever.
TEST(SeededStream, FirstBytesNeverChange) {
  SeededStream stream(1);
  const auto bytes = take(stream, 16);
  EXPECT_EQ(to_hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), 16}),
            "535a663755657b82154366a4bb93540b");
}

TEST(SeededStream, SameSeedSameBytesHoweverTheyAreTaken) {
  SeededStream whole(7);
  SeededStream pieces(7);
  const auto expected = take(whole, 5000);
  std::string got;
  for (std::size_t size : {1u, 7u, 1024u, 2048u, 1u, 1919u}) {
    got += take(pieces, size);
  }
  EXPECT_EQ(got, expected);
}

TEST(SeededStream, BitsAreTheBytesInLittleEndianOrder) {
  SeededStream by_bits(3);
  SeededStream by_bytes(3);
  for (int i = 0; i < 300; ++i) {
    const auto bytes = take(by_bytes, 8);
    std::uint64_t expected = 0;
    for (std::size_t k = 0; k < 8; ++k)
      expected |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[k])) << (8 * k);
    ASSERT_EQ(by_bits.bits(), expected);
  }
}

TEST(SeededStream, ForksDependOnNameAndIndexOnly) {
  SeededStream root(5);
  const auto first = take(*root.fork("noise", 0), 32);
  root.bits();
  EXPECT_EQ(take(*root.fork("noise", 0), 32), first);
  std::set<std::string> different = {first};
  different.insert(take(*root.fork("noise", 1), 32));
  different.insert(take(*root.fork("weights", 0), 32));
  different.insert(take(*root.fork("noise", 0)->fork("noise", 0), 32));
  different.insert(take(root, 32));
  different.insert(take(*SeededStream(6).fork("noise", 0), 32));
  EXPECT_EQ(different.size(), 6u);
}

TEST(SeededStream, PiecesOfParallelWorkDrawTheSameOnAnyNumberOfThreads) {
  const std::size_t before = thread_count();
  const auto draw = [](std::size_t threads) {
    set_thread_count(threads);
    const SeededStream root(11);
    std::vector<std::uint64_t> drawn(1000);
    parallel_for(drawn.size(), 64, [&](std::size_t begin, std::size_t end) {
      const auto stream = root.fork("piece", begin);
      for (std::size_t i = begin; i < end; ++i) drawn[i] = stream->bits();
    });
    return drawn;
  };
  const auto one = draw(1);
  EXPECT_EQ(draw(2), one);
  EXPECT_EQ(draw(5), one);
  set_thread_count(before);
}

TEST(SecureStream, EveryStreamAndForkIsFresh) {
  SecureStream a;
  const SecureStream b;
  std::set<std::string> drawn;
  drawn.insert(take(a, 32));
  drawn.insert(take(*a.fork("noise", 0), 32));
  drawn.insert(take(*a.fork("noise", 0), 32));
  drawn.insert(take(*b.fork("noise", 0), 32));
  EXPECT_EQ(drawn.size(), 4u);
  EXPECT_FALSE(a.replayable());
  EXPECT_TRUE(SeededStream(1).replayable());
}

// Fixed seed; a fair stream fails either check with probability below 1e-6 (five standard deviations).
TEST(RandomStream, UniformHasTheRightMeanAndVariance) {
  SeededStream stream(21);
  constexpr int kDraws = 400'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kDraws));
}

// Chi-square with 6 degrees of freedom; 38.3 is exceeded with probability 1e-6.
TEST(RandomStream, BelowIsUniformForABoundThatIsNotAPowerOfTwo) {
  SeededStream stream(22);
  std::array<double, 7> counts{};
  constexpr double kDraws = 70'000;
  for (int i = 0; i < kDraws; ++i) ++counts[stream.below(7)];
  double chi_square = 0;
  for (const double count : counts) chi_square += (count - kDraws / 7) * (count - kDraws / 7) / (kDraws / 7);
  EXPECT_LT(chi_square, 38.3);
}

TEST(RandomStream, BelowStaysBelowEvenForHugeBounds) {
  SeededStream stream(23);
  const std::uint64_t bound = (std::uint64_t{1} << 63) + 12345;
  for (int i = 0; i < 1000; ++i) ASSERT_LT(stream.below(bound), bound);
  EXPECT_EQ(stream.below(1), 0u);
}

}  // namespace
}  // namespace privet
