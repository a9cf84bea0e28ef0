#include "privet/proof/certificate.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"
#include "privet/proof/certificate_json.hpp"
#include "privet/proof/told.hpp"
#include "proof/sample_certificate.hpp"

namespace privet::privacy {
namespace {

using testing::epsilon_by;
using testing::sample_certificate;
using testing::unsound_certificate;

TEST(PrintedEpsilon, IsRoundedUpAndHardly) {
  EXPECT_EQ(printed_epsilon(0), 0);
  EXPECT_EQ(printed_epsilon(1), 1);
  EXPECT_EQ(printed_epsilon(0.1), 0.1);
  EXPECT_EQ(printed_epsilon(0.99999999998), 1);
  EXPECT_EQ(printed_epsilon(1.0000000001), 1.00000001);
  EXPECT_EQ(printed_epsilon(123.456789012345), 123.456790);
  EXPECT_THROW(printed_epsilon(-1), InvalidArgument);
  EXPECT_THROW(printed_epsilon(INFINITY), InvalidArgument);
  SeededStream stream(1);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::exp(60 * (stream.uniform() - 0.5));
    const double printed = printed_epsilon(value);
    ASSERT_GE(printed, value);
    ASSERT_LE(printed, value * (1 + 1.0000001e-8));
    ASSERT_EQ(printed_epsilon(printed), printed);
  }
}

TEST(Certificate, AnEmptyOnePromisesNothingAndIsRefused) {
  const Certificate nothing;
  EXPECT_FALSE(nothing.sound);
  EXPECT_EQ(nothing.noise, NoiseSource::kSeeded);
  EXPECT_FALSE(form_faults(nothing).empty());
  EXPECT_THROW(certificate_digest(nothing), InvalidArgument);
}

TEST(Certificate, WellFormedOnesHaveNoFault) {
  EXPECT_EQ(form_faults(sample_certificate()), std::vector<std::string>{});
  EXPECT_EQ(form_faults(unsound_certificate()), std::vector<std::string>{});
}

// Issued by Privet 0.1.0 for dp-sage with one training node: 1 example added, none replaced.
TEST(Certificate, OneThatCountedTooFewExamplesDoesNotHold) {
  Certificate c = read_certificate(testing::fixtures() / "certificate_1_understated.json");
  ASSERT_TRUE(c.sound);
  EXPECT_EQ(c.epsilon, 3.999998);
  const CertificateVerdict verdict = check_certificate(c, epsilon_by);
  EXPECT_FALSE(verdict.holds());
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_NE(verdict.faults.front().find("Privet 0.1.0 counted too few"), std::string::npos);
  EXPECT_NEAR(*verdict.derived_epsilon, 3.999998, 1e-8) << "by the events as they stand";
  // 100 sums that move by 2 clip norms and one by 1, noise 5.662014905302143: bisection over Theorem 5 of
  // Balle and Wang 2018 in Python.
  EXPECT_EQ(*verdict.corrected_epsilon, printed_epsilon(11.641742870524084));

  c.releases[0].what = "clipped gradients of a batch";  // of another method, whose examples are own records
  EXPECT_TRUE(check_certificate(c, epsilon_by).holds());
}

TEST(Certificate, OnlyTooFewExamplesAreCorrected) {
  const Certificate sample = read_certificate(testing::fixtures() / "certificate_1_understated.json");
  std::string what = sample.releases[0].what;
  const auto corrected = [&](const std::string& unit, std::uint64_t added, std::uint64_t replaced) {
    Certificate c = sample;
    c.unit = unit;
    Release release = c.releases[0];
    release.unit = unit;
    release.what = what;
    release.event = repeated(SubsampledGaussianEvent{PoissonSampling{0.5}, 3, added, replaced}, 7);
    return understated_release(c, release);
  };
  const auto replaced_of = [](std::uint64_t replaced) {
    return repeated(SubsampledGaussianEvent{PoissonSampling{0.5}, 3, 0, replaced}, 7);
  };
  EXPECT_EQ(corrected("node:4:add-remove", 1, 2), replaced_of(3));
  EXPECT_EQ(corrected("node:4:add-remove", 1, 3), replaced_of(4)) << "four training nodes";
  EXPECT_EQ(corrected("node:4:add-remove", 1, 4), std::nullopt) << "more than four training nodes";
  EXPECT_EQ(corrected("node:4:add-remove", 0, 3), std::nullopt) << "as counted now";
  EXPECT_EQ(corrected("node:4", 0, 3), std::nullopt);
  EXPECT_EQ(corrected("record:add-remove", 1, 0), std::nullopt);
  what = "clipped gradients of a batch of subgraphs";  // dp-gnn, in early builds of 0.1
  EXPECT_EQ(corrected("node:4:add-remove", 1, 2), replaced_of(3));
  EXPECT_EQ(corrected("node:4:add-remove", 1, 4), std::nullopt);
}

TEST(Certificate, NoPrivacyIsNeverSound) {
  Certificate c = unsound_certificate();
  c.unit = "none";
  c.failed_claims.clear();
  c.claimed_epsilon.reset();
  EXPECT_TRUE(form_faults(c).empty());
  c = sample_certificate();
  c.unit = "none";
  EXPECT_FALSE(form_faults(c).empty());
}

TEST(Certificate, EveryImpossibleCombinationIsAFault) {
  const std::vector<std::function<void(Certificate&)>> sound_breakers = {
      [](Certificate& c) { c.epsilon.reset(); },
      [](Certificate& c) { c.epsilon = c.epsilon_lower = -1; },
      [](Certificate& c) { c.epsilon = INFINITY; },
      [](Certificate& c) { c.epsilon_lower = *c.epsilon + 1; },
      [](Certificate& c) { c.claimed_epsilon = 1; },
      [](Certificate& c) { c.failed_claims = {"something"}; },
      [](Certificate& c) { c.unit.clear(); },
      [](Certificate& c) { c.unit = "foo"; },
      [](Certificate& c) { c.unit = "node"; },
      [](Certificate& c) { c.unit = "node:20:replace"; },  // spelt node:20
      [](Certificate& c) { c.readings[0].unit = "foo"; },
      [](Certificate& c) { c.readings[0].unit = "none"; },
      [](Certificate& c) { c.delta = 1; },
      [](Certificate& c) { c.delta = NAN; },
      [](Certificate& c) { c.accountant.clear(); },
      [](Certificate& c) { c.readings[0].epsilon = NAN; },
      [](Certificate& c) { c.readings[0].unit.clear(); },
      [](Certificate& c) { c.releases[0].noise_stddev = -1; },
      [](Certificate& c) { c.releases[0].what.clear(); },
      [](Certificate& c) { c.unaccounted[0].reason.clear(); },
      [](Certificate& c) { c.data_fingerprint = std::string(64, 'a'); },
      [](Certificate& c) { c.ledger->hash = "x"; },
      [](Certificate& c) { c.privet_version.clear(); },
      [](Certificate& c) { c.created = "yesterday"; },
  };
  for (std::size_t i = 0; i < sound_breakers.size(); ++i) {
    Certificate c = sample_certificate();
    sound_breakers[i](c);
    EXPECT_FALSE(form_faults(c).empty()) << i;
  }
  const std::vector<std::function<void(Certificate&)>> unsound_breakers = {
      [](Certificate& c) { c.epsilon = 1; },
      [](Certificate& c) { c.epsilon_lower = 0.1; },
      [](Certificate& c) { c.readings = sample_certificate().readings; },
      [](Certificate& c) { c.failed_claims.clear(); },
  };
  for (std::size_t i = 0; i < unsound_breakers.size(); ++i) {
    Certificate c = unsound_certificate();
    unsound_breakers[i](c);
    EXPECT_EQ(form_faults(c).size(), 1u) << i;
  }
}

TEST(CheckCertificate, ATrueOneHolds) {
  const Certificate c = sample_certificate();
  const CertificateVerdict verdict = check_certificate(c, epsilon_by);
  EXPECT_EQ(verdict.faults, std::vector<std::string>{});
  ASSERT_TRUE(verdict.derived_epsilon);
  EXPECT_LE(*verdict.derived_epsilon, *c.epsilon);
}

TEST(CheckCertificate, AnUnsoundOneIsNotDerived) {
  const CertificateVerdict verdict = check_certificate(unsound_certificate(), [](auto&&...) -> double {
    ADD_FAILURE() << "nothing to derive";
    return 0;
  });
  EXPECT_TRUE(verdict.holds());
  EXPECT_FALSE(verdict.derived_epsilon);
}

/// What a forger may try who also recomputes the digest.
TEST(CheckCertificate, TamperingIsCaught) {
  const std::vector<std::pair<const char*, std::function<void(Certificate&)>>> forgeries = {
      {"smaller epsilon", [](Certificate& c) { c.epsilon = *c.epsilon * 0.9; }},
      {"epsilon smaller by little", [](Certificate& c) { c.epsilon = *c.epsilon * (1 - 1e-7); }},
      {"larger epsilon", [](Certificate& c) { c.epsilon = *c.epsilon * (1 + 3e-6); }},
      {"removed release", [](Certificate& c) { c.releases.pop_back(); }},
      {"added release", [](Certificate& c) { c.releases.push_back(c.releases[1]); }},
      {"changed noise", [](Certificate& c) { c.releases[0].noise_stddev *= 2; }},
      {"changed sensitivity", [](Certificate& c) { c.releases[0].sensitivity = 1; }},
      {"changed noise and event",
       [](Certificate& c) {
         c.releases[1].noise_stddev = 40;
         c.releases[1].event = GaussianEvent{40};
       }},
      {"fewer times", [](Certificate& c) { c.releases[0].times = 1; }},
      {"sampling that was not", [](Certificate& c) { c.releases[0].sampling = "poisson rate 0.01"; }},
      {"larger delta", [](Certificate& c) { c.delta = 1e-3; }},
      {"smaller delta", [](Certificate& c) { c.delta = 1e-7; }},
      {"another unit", [](Certificate& c) { c.unit = "node:20"; }},
      {"words of another unit",
       [](Certificate& c) { c.protects = Unit::record(Adjacency::replace).protects(); }},
      {"no words", [](Certificate& c) { c.protects.clear(); }},
      {"less left public", [](Certificate& c) { c.leaves_public = "nothing"; }},
      {"smaller reading", [](Certificate& c) { c.readings[0].epsilon *= 0.5; }},
      {"reading's event", [](Certificate& c) { c.readings[0].event = GaussianEvent{100}; }},
      {"a reading of nothing for an edge's half",
       [](Certificate& c) { c.readings[0] = {.unit = "directed-edge", .event = composed({})}; }},
      {"a reading for more than an edge",
       [](Certificate& c) {
         c.readings[0].unit = "node:199";
         c.readings[0].event = total_event(c);
         c.readings[0].epsilon = *c.epsilon;
       }},
      {"epsilon on an unsound one", [](Certificate& c) { c.sound = false; }},
  };
  for (const auto& [what, forge] : forgeries) {
    Certificate c = sample_certificate();
    forge(c);
    EXPECT_FALSE(check_certificate(c, epsilon_by).holds()) << what;
  }
}

// Where both ends of a pair tell, an edge costs twice what a bit does, whoever writes otherwise.
TEST(CheckCertificate, AnEdgeCostsTwoBitsUnlessOneEndTold) {
  Certificate c = sample_certificate();
  c.unit = "local-edge";
  c.protects = Unit::local_edge().protects();
  c.leaves_public = Unit::local_edge().leaves_public();
  for (Release& release : c.releases) {
    release.unit = c.unit;
    release.what += ", told by one end of a pair";
  }
  c.readings[0] = {.unit = "edge", .epsilon = *c.epsilon, .delta = c.delta, .event = total_event(c)};
  EXPECT_FALSE(check_certificate(c, epsilon_by).holds()) << "nothing says that everybody was asked the same";
  c.assumptions.emplace_back(kSameQuery);
  EXPECT_TRUE(check_certificate(c, epsilon_by).holds());
  EXPECT_EQ(edge_epsilon(c), c.epsilon);
  Certificate loose = c;  // nothing at a delta that is worth everything
  loose.readings[0].delta = 0.5;
  loose.readings[0].epsilon = printed_epsilon(epsilon_by(total_event(c), Delta(0.5), c.accountant));
  EXPECT_FALSE(check_certificate(loose, epsilon_by).holds());
  c.releases[1].what = "number of edges, told by both ends of a pair";
  EXPECT_FALSE(check_certificate(c, epsilon_by).holds());
}

TEST(CheckCertificate, AnUnknownAccountantLeavesItUndecided) {
  Certificate c = sample_certificate();
  c.accountant = "zcdp";
  const CertificateVerdict verdict = check_certificate(c, epsilon_by);
  EXPECT_EQ(verdict.faults, std::vector<std::string>{"can't be re-derived: unknown accountant 'zcdp'"});
  EXPECT_TRUE(verdict.undecided());
  EXPECT_FALSE(verdict.holds());
  EXPECT_FALSE(verdict.derived_epsilon);
  c.releases[0].times = 1;
  EXPECT_FALSE(check_certificate(c, epsilon_by).undecided());
  c = sample_certificate();
  c.epsilon = *c.epsilon / 2;
  EXPECT_FALSE(check_certificate(c, epsilon_by).undecided());
}

TEST(CheckCertificate, AnAccountantThatRefusesIsAFaultNotACrash) {
  const auto refuse = [](auto&&...) -> double { throw Unsound({.what = "can't compose these"}); };
  const CertificateVerdict verdict = check_certificate(sample_certificate(), refuse);
  EXPECT_EQ(verdict.faults.size(), 2u);  // the main bound and one reading
  EXPECT_FALSE(verdict.derived_epsilon);
  EXPECT_FALSE(check_certificate(sample_certificate(), [](auto&&...) { return double{INFINITY}; }).holds());
  EXPECT_FALSE(check_certificate(sample_certificate(), [](auto&&...) { return double{NAN}; }).holds());
}

}  // namespace
}  // namespace privet::privacy
