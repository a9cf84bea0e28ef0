#include "privet/proof/certificate_json.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "proof/sample_certificate.hpp"

namespace privet::privacy {
namespace {

using testing::epsilon_by;
using testing::fixtures;
using testing::sample_certificate;
using testing::unsound_certificate;

std::string fault_of(const Json& document) {
  try {
    certificate_from_json(document, "run.json");
  } catch (const DataError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(CertificateJson, HasTheKeysOfTheContract) {
  const Json sound = certificate_to_json(sample_certificate());
  for (const char* key :
       {"unit", "rigor", "sound", "epsilon", "delta", "accountant", "releases", "assumptions",
        "failed_claims", "unaccounted", "noise", "data_fingerprint", "privet_version", "created"}) {
    EXPECT_TRUE(sound.contains(key)) << key;
  }
  for (const char* key :
       {"what", "mechanism", "sensitivity", "noise_stddev", "times", "sampling", "reference"}) {
    EXPECT_TRUE(sound["releases"][0].contains(key)) << key;
  }
  EXPECT_EQ(sound["sound"], true);
  EXPECT_EQ(sound["noise"], "secure");
  EXPECT_EQ(sound["bound"], "upper");
  EXPECT_FALSE(sound.contains("claimed_epsilon"));

  const Json unsound = certificate_to_json(unsound_certificate());
  EXPECT_EQ(unsound["sound"], false);
  EXPECT_TRUE(unsound["epsilon"].is_null());
  EXPECT_EQ(unsound["claimed_epsilon"], 1.0);
  EXPECT_EQ(unsound["noise"], "seeded");
}

TEST(CertificateJson, GoesThereAndBack) {
  for (const Certificate& c : {sample_certificate(), unsound_certificate()}) {
    const std::string text = to_text(certificate_to_json(c));
    EXPECT_EQ(to_text(certificate_to_json(parse_certificate(text))), text);
  }
}

TEST(CertificateJson, AMechanismWithoutSensitivityHasNull) {
  Certificate c = unsound_certificate();
  c.releases[0].sensitivity = 0;
  c.releases[0].noise_stddev = 0;
  const Json document = certificate_to_json(c);
  EXPECT_TRUE(document["releases"][0]["sensitivity"].is_null());
  EXPECT_EQ(certificate_from_json(document).releases[0].noise_stddev, 0);
}

/// Certificates that were once issued load for ever, mean the same, keep their digest, and hold under the
/// accountants of today. Written with format 1 by Privet 0.1.0.
TEST(CertificateJson, OldCertificatesLoad) {
  for (const auto& [file, expected] : {std::pair{"certificate_1_sound.json", sample_certificate()},
                                       std::pair{"certificate_1_unsound.json", unsound_certificate()}}) {
    const std::string text = read_text(fixtures() / file, 1 << 20);
    const Certificate c = parse_certificate(text, file);
    EXPECT_EQ(to_text(certificate_to_json(c)), text) << file;
    EXPECT_EQ(certificate_digest(c), certificate_digest(expected)) << file;
    EXPECT_TRUE(check_certificate(c, epsilon_by).holds()) << file;
  }
}

TEST(CertificateJson, WithoutAnyKeyOfTheContractItIsRefusedByName) {
  for (const Certificate& c : {sample_certificate(), unsound_certificate()}) {
    const Json whole = certificate_to_json(c);
    for (const auto& item : whole.items()) {
      const bool optional = item.key() == "bound" || item.key() == "readings" || item.key() == "protects" ||
                            item.key() == "leaves_public" || item.key() == "epsilon_lower" ||
                            item.key() == "ledger";
      if (optional) continue;
      Json document = whole;
      document.erase(item.key());
      EXPECT_EQ(fault_of(document), "run.json: " + item.key() + ": is missing");
    }
    for (const auto& item : whole["releases"][0].items()) {
      if (item.key() == "norm") continue;
      Json document = whole;
      document["releases"][0].erase(item.key());
      EXPECT_EQ(fault_of(document), "run.json: releases[0]." + item.key() + ": is missing");
    }
  }
}

TEST(CertificateJson, NoKeyTakesAnotherType) {
  const Json whole = certificate_to_json(sample_certificate());
  const std::vector<Json> others = {Json(nullptr), Json(true),       Json("text"),
                                    Json(-1.5),    Json::array({1}), Json{{"key", 1}}};
  for (const auto& item : whole.items()) {
    for (const Json& other : others) {
      if (other == item.value()) continue;
      Json document = whole;
      document[item.key()] = other;
      EXPECT_TRUE(fault_of(document).starts_with("run.json: ")) << item.key() << " " << other;
    }
  }
  for (const auto& item : whole["releases"][1].items()) {
    for (const Json& other : others) {
      Json document = whole;
      document["releases"][1][item.key()] = other;
      EXPECT_TRUE(fault_of(document).starts_with("run.json: ")) << item.key() << " " << other;
    }
  }
}

TEST(CertificateJson, FaultsNameTheKeyAndTheRemedy) {
  const Json whole = certificate_to_json(sample_certificate());
  const auto with = [&](auto change) {
    Json document = whole;
    change(document);
    return fault_of(document);
  };
  EXPECT_EQ(with([](Json& d) { d["rigor"] = "lax"; }),
            "run.json: rigor: is 'lax' (expected strict or paper)");
  EXPECT_EQ(with([](Json& d) { d["noise"] = "quantum"; }),
            "run.json: noise: is 'quantum' (expected secure or seeded)");
  EXPECT_EQ(with([](Json& d) { d["unit"] = "foo"; }),
            "run.json: unit is 'foo', which is no unit of protection");
  EXPECT_EQ(with([](Json& d) { d["epsilon"] = nullptr; }),
            "run.json: epsilon: is null in a certificate that is sound (expected a number)");
  EXPECT_EQ(with([](Json& d) { d["sound"] = false; }),
            "run.json: epsilon: is a number in a certificate that is not sound (expected null)");
  EXPECT_EQ(with([](Json& d) { d["epsilom"] = 1; }), "run.json: epsilom: is not a known key");
  EXPECT_EQ(with([](Json& d) { d["unaccounted"][0]["why"] = 1; }),
            "run.json: unaccounted[0].why: is not a known key");
  EXPECT_EQ(with([](Json& d) { d["format"] = 2; }),
            "run.json: format: is 2 (expected 1); a newer Privet wrote it; read it with that one");
  EXPECT_EQ(with([](Json& d) { d["releases"][0]["times"] = 3; }),
            "run.json: digest: does not match the rest of the certificate; the certificate was damaged or "
            "edited after it was issued");
  EXPECT_EQ(fault_of(Json::array()), "run.json: is array (expected an object)");
}

TEST(CertificateJson, AKeyThatStandsTwiceIsRefused) {
  std::string text = to_text(certificate_to_json(sample_certificate()));
  text.insert(text.find('{') + 1, "\"epsilon\": 0.1,");
  EXPECT_THROW(parse_certificate(text), DataError);
}

/// A flipped bit in any byte of a stored certificate is either refused or, in white space, changes nothing.
TEST(CertificateJson, NoFlippedBitPasses) {
  const std::string text = read_text(fixtures() / "certificate_1_sound.json", 1 << 20);
  const std::string digest = certificate_digest(sample_certificate());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const std::size_t bit : {std::size_t{0}, 1 + i % 7}) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      try {
        ASSERT_EQ(certificate_digest(parse_certificate(changed)), digest) << i << " " << bit;
      } catch (const DataError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, text.size() * 3 / 2);
}

TEST(CertificateJson, NoCutOffFilePasses) {
  const std::string text = read_text(fixtures() / "certificate_1_unsound.json", 1 << 20);
  const std::size_t last = text.rfind('}');
  for (std::size_t length = 0; length <= last; ++length) {
    ASSERT_THROW(parse_certificate(text.substr(0, length)), DataError) << length;
  }
}

TEST(CertificateJson, ReadsFiles) {
  EXPECT_EQ(read_certificate(fixtures() / "certificate_1_sound.json").unit, "edge");
  EXPECT_THROW(read_certificate(fixtures() / "no_such_certificate.json"), IoError);
}

}  // namespace
}  // namespace privet::privacy
