#include "privet/proof/certificate_outline.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"
#include "proof/sample_certificate.hpp"

namespace privet::privacy {
namespace {

using testing::sample_certificate;
using testing::unsound_certificate;

TEST(CertificateOutline, ListsReleasesOneEachInTheirOrder) {
  const Certificate c = sample_certificate();
  std::size_t parts = 0;
  for (const OutlinePart& part : certificate_outline(c)) {
    if (!part.lists_releases) continue;
    ++parts;
    ASSERT_EQ(part.lines.size(), c.releases.size());
    for (std::size_t i = 0; i < part.lines.size(); ++i) {
      EXPECT_TRUE(part.lines[i].is_item);
      EXPECT_TRUE(part.lines[i].text.starts_with(c.releases[i].what));
    }
  }
  EXPECT_EQ(parts, 1U);
}

// An edge may be two bits: what several of them tell is no multiple of what one bit costs.
TEST(CertificateOutline, OfBitsItSaysWhatEdgesCost) {
  Certificate c = sample_certificate();
  c.unit = "local-edge";
  c.epsilon = 2;
  c.readings[0] = {.unit = "edge", .epsilon = 4, .delta = c.delta, .event = total_event(c)};
  for (Release& release : c.releases) release.unit = c.unit;
  std::string text;
  for (const OutlinePart& part : certificate_outline(c)) {
    for (const OutlineLine& line : part.lines) text += line.text + '\n';
  }
  EXPECT_NE(
      text.find("of k of them together results may tell up to k times this epsilon, and of k undirected "
                "edges up to k times 4, what one of them costs"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("54.60 times as probable"), std::string::npos) << "e^4, for an edge";
  EXPECT_EQ(text.find("Several edges at once"), std::string::npos);
}

// Of fixed sizes and of several affected examples the lower number says nothing about the releases.
TEST(CertificateOutline, SaysWhatTheLowerBoundIsOf) {
  const auto text_with = [](const Event& event) {
    Certificate c = sample_certificate();
    c.releases[0].event = event;
    std::string text;
    for (const OutlinePart& part : certificate_outline(c)) {
      for (const OutlineLine& line : part.lines) text += line.text + '\n';
    }
    return text;
  };
  const auto is_tight = [&](const Event& event) {
    const std::string text = text_with(event);
    const bool tight = text.find("The upper bound is tight") != std::string::npos;
    EXPECT_NE(tight, text.find("they may cost less") != std::string::npos) << text;
    EXPECT_EQ(text.find("exact to within"), std::string::npos);
    return tight;
  };
  const auto sum = [](const Sampling& sampling, std::uint64_t added, std::uint64_t replaced) {
    return Event(SubsampledGaussianEvent{sampling, 2.0, added, replaced});
  };
  EXPECT_TRUE(is_tight(GaussianEvent{1}));
  EXPECT_TRUE(is_tight(sum(PoissonSampling{0.1}, 1, 0)));
  EXPECT_TRUE(is_tight(sum(PoissonSampling{0.1}, 0, 1)));
  EXPECT_TRUE(is_tight(sum(PoissonSampling{1}, 1, 20)));
  EXPECT_TRUE(is_tight(sum(FixedSizeSampling{50, 50}, 0, 3)));
  EXPECT_TRUE(is_tight(composed({LaplaceEvent{3}, RandomizedResponseEvent{1}})));
  EXPECT_FALSE(is_tight(PureEvent{0.1}));
  EXPECT_FALSE(is_tight(sum(PoissonSampling{0.1}, 1, 1)));
  EXPECT_FALSE(is_tight(repeated(sum(PoissonSampling{0.1}, 0, 2), 10)));
  EXPECT_FALSE(is_tight(composed({GaussianEvent{1}, sum(FixedSizeSampling{50, 5}, 0, 1)})));
}

TEST(CertificateOutline, AnUnsoundOneSaysSoInItsFirstHeading) {
  EXPECT_TRUE(certificate_outline(unsound_certificate()).front().heading.starts_with("NOT SOUND"));
  Certificate broken = sample_certificate();
  broken.epsilon.reset();
  EXPECT_THROW(static_cast<void>(certificate_outline(broken)), InvalidArgument);
}

TEST(CertificateOutline, AllRunsHaveUnitDeltaAndBound) {
  EXPECT_EQ(all_runs_sentence(3, 2.5, sample_certificate()),
            "This certificate is for one run. Publishing all 3 has the upper bound epsilon = 2.5 at delta = "
            "1e-06, for the unit of "
            "protection 'edge'.");
}

}  // namespace
}  // namespace privet::privacy
