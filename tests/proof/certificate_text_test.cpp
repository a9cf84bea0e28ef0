#include "privet/proof/certificate_text.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "proof/sample_certificate.hpp"

namespace privet::privacy {
namespace {

using testing::fixtures;
using testing::sample_certificate;
using testing::unsound_certificate;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The text as one line, so that sentences can be looked for across line breaks.
std::string joined(const std::string& text) {
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// Sentences that give a number for epsilon.
std::vector<std::string> epsilon_sentences(const std::string& text) {
  std::vector<std::string> found;
  const std::string line = joined(text);
  for (std::size_t at = line.find("epsilon ="); at != std::string::npos;
       at = line.find("epsilon =", at + 1)) {
    const std::size_t before = line.rfind(". ", at);
    const std::size_t begin = before == std::string::npos ? 0 : before + 2;
    std::size_t end = line.find(". ", at);
    if (end == std::string::npos) end = line.size();
    found.push_back(line.substr(begin, end - begin));
  }
  return found;
}

TEST(CertificateText, IsTheStoredPage) {
  EXPECT_EQ(certificate_text(sample_certificate()),
            read_text(fixtures() / "certificate_1_sound.txt", 1 << 20));
  EXPECT_EQ(certificate_text(unsound_certificate()),
            read_text(fixtures() / "certificate_1_unsound.txt", 1 << 20));
}

// From one group of people to another the promise of a unit may not hold at every step: no factor is named.
TEST(CertificateText, NamesNoFactorForSeveralPeople) {
  Certificate people = sample_certificate();
  people.unit = "node:5";
  const std::string text = certificate_text(people);
  EXPECT_TRUE(has(text, "Several people at once are protected less"));
  EXPECT_FALSE(has(text, "times this epsilon"));
  EXPECT_TRUE(has(certificate_text(sample_certificate()), "k times this epsilon"));
}

TEST(CertificateText, EveryEpsilonHasItsUnitDeltaAndBound) {
  const std::vector<std::string> sentences = epsilon_sentences(certificate_text(sample_certificate()));
  ASSERT_EQ(sentences.size(), 3u);  // the bound, its lower companion, one reading
  for (const std::string& sentence : sentences) {
    EXPECT_TRUE(has(sentence, "upper bound")) << sentence;
    EXPECT_TRUE(has(sentence, "delta = 1e-06")) << sentence;
    EXPECT_TRUE(has(sentence, "'edge'") || has(sentence, "'directed-edge'")) << sentence;
  }
}

TEST(CertificateText, AnUnsoundOneSaysSoFirstAndGuaranteesNothing) {
  const std::string text = certificate_text(unsound_certificate());
  EXPECT_TRUE(text.starts_with("NOT SOUND"));
  EXPECT_TRUE(has(text, "the sensitivity of the aggregate is sqrt(2), not 1"));
  const std::vector<std::string> sentences = epsilon_sentences(text);
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_TRUE(has(sentences[0], "claims"));
  EXPECT_TRUE(has(joined(text), "it is not an upper bound, and it must not be relied on"));
  EXPECT_FALSE(has(text, "has the upper bound"));
}

TEST(CertificateText, SeededNoiseAndUnaccountedUsesAreSaid) {
  const std::string text = joined(certificate_text(unsound_certificate()));
  EXPECT_TRUE(has(text, "SEEDED"));
  EXPECT_TRUE(has(text, "accuracy on the test nodes. Reason given: measured for this experiment."));
  Certificate quiet = sample_certificate();
  quiet.unaccounted.clear();
  const std::string other = certificate_text(quiet);
  EXPECT_FALSE(has(other, "SEEDED"));
  EXPECT_FALSE(has(other, "nothing on this certificate covers"));
}

TEST(CertificateText, NoPrivacyIsSaidFirst) {
  Certificate c = unsound_certificate();
  c.unit = "none";
  c.claimed_epsilon.reset();
  EXPECT_TRUE(certificate_text(c).starts_with("NO PRIVACY"));
  EXPECT_TRUE(epsilon_sentences(certificate_text(c)).empty());
}

TEST(CertificateText, TheFactorIsRoundedUpAndAHugeEpsilonIsCalledSo) {
  Certificate c = sample_certificate();
  c.epsilon = 1;  // e = 2.71828...
  EXPECT_TRUE(has(joined(certificate_text(c)), "more than 2.72 times as probable (plus 1e-06)"));
  c.epsilon = 50;
  EXPECT_TRUE(has(joined(certificate_text(c)), "hardly limits"));
}

TEST(CertificateText, CantDriveATerminal) {
  Certificate c = sample_certificate();
  c.releases[0].what = "harmless\x1b[2J\r\nPRIVACY CERTIFICATE";
  const std::string text = certificate_text(c);
  for (const char byte : text) EXPECT_TRUE(byte == '\n' || static_cast<unsigned char>(byte) >= 0x20);
  EXPECT_FALSE(has(text, "\nPRIVACY CERTIFICATE"));
}

TEST(CertificateText, RefusesWhatHasNoForm) {
  Certificate c = sample_certificate();
  c.sound = false;
  EXPECT_THROW(certificate_text(c), InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
