#include "privet/accounting/event.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The message with which an event is refused, or "" if it is not.
template <typename Kind>
std::string refusal(const Kind& kind) {
  try {
    const Event event(kind);
    return "";
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

TEST(Event, RefusesNoiseThatIsNone) {
  for (const double bad : {0.0, -1.0, kNan, kInfinity}) {
    EXPECT_NE(refusal(GaussianEvent{bad}).find("noise multiplier"), std::string::npos) << bad;
    EXPECT_NE(refusal(LaplaceEvent{bad}).find("noise multiplier"), std::string::npos) << bad;
    EXPECT_NE(refusal(SubsampledGaussianEvent{PoissonSampling{0.1}, bad, 1, 0}), "") << bad;
    EXPECT_NE(refusal(ContractiveGaussianEvent{0.5, 3, bad}), "") << bad;
    EXPECT_NE(refusal(DpGnnEvent{10, 5, 2, bad}), "") << bad;
  }
  EXPECT_EQ(refusal(GaussianEvent{1e-300}), "");
}

TEST(Event, RefusesLossesOutOfRange) {
  for (const double bad : {-1e-9, kNan, kInfinity}) {
    EXPECT_NE(refusal(PureEvent{bad}).find("epsilon"), std::string::npos) << bad;
    EXPECT_NE(refusal(RandomizedResponseEvent{bad}).find("epsilon"), std::string::npos) << bad;
    EXPECT_NE(refusal(ApproximateEvent{bad, 0}).find("epsilon"), std::string::npos) << bad;
  }
  for (const double bad : {-1e-9, 1.0, kNan})
    EXPECT_NE(refusal(ApproximateEvent{1, bad}).find("delta"), std::string::npos) << bad;
  EXPECT_EQ(refusal(PureEvent{0}), "");
}

TEST(Event, RefusesImpossibleSampling) {
  for (const double bad : {0.0, -0.1, 1.0001, kNan})
    EXPECT_NE(refusal(SubsampledGaussianEvent{PoissonSampling{bad}, 1, 1, 0}).find("rate"), std::string::npos)
        << bad;
  EXPECT_NE(refusal(SubsampledGaussianEvent{FixedSizeSampling{10, 0}, 1, 0, 1}), "");
  EXPECT_NE(refusal(SubsampledGaussianEvent{FixedSizeSampling{10, 11}, 1, 0, 1}), "");
  EXPECT_NE(refusal(SubsampledGaussianEvent{PoissonSampling{0.5}, 1, 0, 0}).find("affected"),
            std::string::npos);
  // A batch larger than the population once made a published calibrator return no noise at all.
  EXPECT_NE(refusal(DpGnnEvent{25, 256, 5, 1}).find("batch"), std::string::npos);
  EXPECT_NE(refusal(DpGnnEvent{10, 5, 10, 1}).find("max degree"), std::string::npos);
  EXPECT_EQ(refusal(SubsampledGaussianEvent{FixedSizeSampling{10, 10}, 1, 0, 1}), "");
}

TEST(Event, RefusesContractionsThatAreNone) {
  for (const double bad : {-0.1, 1.1, kNan})
    EXPECT_NE(refusal(ContractiveGaussianEvent{bad, 3, 1}).find("Lipschitz"), std::string::npos) << bad;
  EXPECT_NE(refusal(ContractiveGaussianEvent{0.5, 0, 1}).find("hops"), std::string::npos);
  EXPECT_NE(refusal(RepeatedEvent{nullptr, 3}), "");
}

TEST(Event, IsAValue) {
  EXPECT_EQ(Event(), composed({}));
  EXPECT_EQ(Event(GaussianEvent{2}), Event(GaussianEvent{2}));
  EXPECT_NE(Event(GaussianEvent{2}), Event(GaussianEvent{3}));
  EXPECT_NE(Event(GaussianEvent{2}), Event(LaplaceEvent{2}));
  // Repetitions are equal by what they repeat, not by where it is kept.
  EXPECT_EQ(repeated(GaussianEvent{2}, 5), repeated(GaussianEvent{2}, 5));
  EXPECT_NE(repeated(GaussianEvent{2}, 5), repeated(GaussianEvent{2}, 6));
  const Event copy = repeated(composed({GaussianEvent{2}, PureEvent{1}}), 5);
  EXPECT_EQ(copy, Event(copy));
}

TEST(Repeated, OnceIsTheEventAndNeverIsNothing) {
  const Event event = LaplaceEvent{3};
  EXPECT_EQ(repeated(event, 1), event);
  EXPECT_EQ(repeated(event, 0), Event());
  EXPECT_EQ(composed({event}), event);
}

TEST(Event, DescribesItselfForMessages) {
  EXPECT_EQ(Event(GaussianEvent{4.22}).describe(), "gaussian(noise multiplier 4.22)");
  const Event sgd = repeated(SubsampledGaussianEvent{PoissonSampling{0.01}, 1.5, 1, 0}, 1000);
  EXPECT_EQ(sgd.describe(),
            "1000 x subsampled-gaussian(poisson rate 0.01, noise multiplier 1.5, 1 added, 0 replaced)");
  EXPECT_EQ(Event(SubsampledGaussianEvent{FixedSizeSampling{100, 10}, 1, 0, 2}).describe(),
            "subsampled-gaussian(10 of 100 without replacement, noise multiplier 1, 0 added, 2 replaced)");
  EXPECT_EQ(composed({PureEvent{1}, ApproximateEvent{2, 1e-9}}).describe(),
            "composed(pure(epsilon 1), approximate(epsilon 2, delta 1e-09))");
  EXPECT_EQ(Event().describe(), "composed()");
}

}  // namespace
}  // namespace privet::privacy
