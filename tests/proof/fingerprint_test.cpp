#include "privet/proof/fingerprint.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

TEST(Fingerprint, IsHmacSha256OfTheHexText) {
  BlindingKey key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  // python3: hmac.new(bytes(range(32)), b"0" * 64, "sha256").hexdigest()
  EXPECT_EQ(blinded_fingerprint(std::string(64, '0'), key),
            "hmac-sha256:316f015283f48487bfe5d490ce40c9cab087c68ce59d700d781e6b686cd1b4f9");
}

TEST(Fingerprint, KeysMakeItDifferentAndAreDifferent) {
  const BlindingKey one = make_blinding_key();
  const BlindingKey two = make_blinding_key();
  EXPECT_NE(one, two);  // equal with probability 2^-256
  EXPECT_NE(blinded_fingerprint(std::string(64, '0'), one), blinded_fingerprint(std::string(64, '0'), two));
}

TEST(Fingerprint, RefusesWhatIsNone) {
  EXPECT_THROW(blinded_fingerprint("abc", BlindingKey{}), InvalidArgument);
  EXPECT_THROW(blinded_fingerprint(std::string(64, 'A'), BlindingKey{}), InvalidArgument);
  EXPECT_TRUE(is_blinded_fingerprint("hmac-sha256:" + std::string(64, 'f')));
  EXPECT_FALSE(is_blinded_fingerprint(std::string(64, 'f')));
  EXPECT_FALSE(is_blinded_fingerprint("hmac-sha256:" + std::string(63, 'f')));
}

TEST(Fingerprint, KeysGoThroughText) {
  const BlindingKey key = make_blinding_key();
  EXPECT_EQ(blinding_key_from_text(blinding_key_text(key), "key"), key);
  EXPECT_THROW(blinding_key_from_text("12", "key"), DataError);
}

}  // namespace
}  // namespace privet::privacy
