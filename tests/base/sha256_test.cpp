#include "privet/base/sha256.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace privet {
namespace {

// FIPS 180-4, example "abc".
TEST(Sha256, KnownDigest) {
  EXPECT_EQ(to_hex(Sha256().update("abc").finish()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(Sha256().update("a").update("bc").finish()), to_hex(Sha256().update("abc").finish()));
}

TEST(Sha256, NumbersAreEightLittleEndianBytes) {
  EXPECT_EQ(to_hex(Sha256().update(std::uint64_t{0x0102}).finish()),
            to_hex(Sha256().update(std::string_view("\x02\x01\0\0\0\0\0\0", 8)).finish()));
}

// RFC 4231, test case 2.
TEST(HmacSha256, KnownDigest) {
  const std::string key = "Jefe";
  EXPECT_EQ(to_hex(hmac_sha256({reinterpret_cast<const std::uint8_t*>(key.data()), key.size()},
                               "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

// RFC 4231, test case 6.
TEST(HmacSha256, LongKeysAreHashedFirst) {
  const std::vector<std::uint8_t> key(131, 0xaa);
  EXPECT_EQ(to_hex(hmac_sha256(key, "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace
}  // namespace privet
