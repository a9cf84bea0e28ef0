#include "privet/core/release_check.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <numbers>

namespace privet::privacy {
namespace {

Release step(Event event) {
  Release r;
  r.what = "gradient sums";
  r.mechanism = "gaussian";
  r.sensitivity = 0.5;
  r.noise_stddev = 0.55;
  r.sampling = sampling_text(event);
  r.times = 100;
  r.event = std::move(event);
  return r;
}

Release private_sgd() {
  return step(repeated(SubsampledGaussianEvent{PoissonSampling{0.01}, 1.1, 1, 0}, 100));
}

TEST(ReleaseCheck, AgreeingReleasesHaveNoFault) {
  EXPECT_TRUE(release_faults(private_sgd()).empty());
  EXPECT_TRUE(release_faults(step(repeated(DpGnnEvent{1000, 10, 3, 1.1}, 100))).empty());
  Release laplace = step(repeated(LaplaceEvent{1.1 / std::numbers::sqrt2}, 100));
  laplace.mechanism = "laplace";
  EXPECT_TRUE(release_faults(laplace).empty());
}

// sqrt(2 e^-r) / (1 - e^-r) for r = 1/2: the standard deviation is 2.799178 (computed apart).
TEST(ReleaseCheck, NoiseOfIntegersIsThatOfTheirEpsilon) {
  Release r = step(PureEvent{1});
  r.times = 1;
  r.mechanism = "geometric";
  r.sensitivity = 2;
  r.noise_stddev = std::sqrt(2 * std::exp(-0.5)) / (1 - std::exp(-0.5));
  EXPECT_NEAR(r.noise_stddev, 2.799177768, 1e-8);
  EXPECT_TRUE(release_faults(r).empty());
  Release quieter = r;
  quieter.noise_stddev *= 1 - 1e-6;
  EXPECT_EQ(release_faults(quieter).size(), 1u);
  Release further = r;
  further.sensitivity = 3;
  EXPECT_EQ(release_faults(further).size(), 1u);
  Release unsaid = r;
  unsaid.noise_stddev = 0;
  EXPECT_EQ(release_faults(unsaid).size(), 1u);
}

TEST(ReleaseCheck, AContractiveEventCountsAsOneRunOrAsItsHops) {
  Release r = step(ContractiveGaussianEvent{0.8, 10, 1.1});
  for (const auto& [times, faults] : {std::pair{1, 0}, {10, 0}, {5, 1}}) {
    r.times = static_cast<std::uint64_t>(times);
    EXPECT_EQ(release_faults(r).size(), static_cast<std::size_t>(faults)) << times;
  }
}

TEST(ReleaseCheck, SamplingIsSaidInOneWay) {
  EXPECT_EQ(sampling_text(GaussianEvent{1}), "none");
  EXPECT_EQ(sampling_text(SubsampledGaussianEvent{PoissonSampling{0.01}, 1, 1, 0}), "poisson rate 0.01");
  EXPECT_EQ(sampling_text(repeated(DpGnnEvent{5000, 100, 3, 1}, 7)), "100 of 5000 without replacement");
  EXPECT_EQ(sampling_text(composed({GaussianEvent{1}, DpGnnEvent{5000, 100, 3, 1}})), "");
}

TEST(ReleaseCheck, EachDisagreementIsFound) {
  Release r = private_sgd();
  r.noise_stddev = 0.550001;
  EXPECT_EQ(
      release_faults(r),
      std::vector<std::string>{
          "'noise_stddev' and 'sensitivity' give a noise multiplier of 1.100002 but 1.1 was accounted"});
  r = private_sgd();
  r.times = 99;
  EXPECT_EQ(release_faults(r),
            std::vector<std::string>{"'times' is 99 but the event has 100 mechanism runs"});
  r = private_sgd();
  r.sampling = "poisson rate 0.001";
  EXPECT_EQ(release_faults(r).size(), 1u);
  r = private_sgd();
  r.mechanism = "laplace";
  EXPECT_GE(release_faults(r).size(), 1u);
  r = private_sgd();
  r.noise_stddev = 0;
  EXPECT_EQ(release_faults(r).size(), 1u);
  r = private_sgd();
  r.event = Event();
  EXPECT_EQ(release_faults(r).size(), 1u);
  r.event = composed({repeated(GaussianEvent{1.1}, 50), repeated(GaussianEvent{1.2}, 50)});
  r.sampling = "none";
  EXPECT_EQ(release_faults(r).size(), 1u);  // one noise scale can't describe two
}

TEST(ReleaseCheck, CountsThatOverflowSaturate) {
  Event event = GaussianEvent{1.1};
  for (int i = 0; i < 3; ++i) event = repeated(std::move(event), std::uint64_t{1} << 63);
  Release r = step(event);
  r.times = 0;
  EXPECT_EQ(release_faults(r).size(), 1u);
}

}  // namespace
}  // namespace privet::privacy
