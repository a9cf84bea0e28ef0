#include "privet/accounting/pld_distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/base/random.hpp"

namespace privet::privacy {
namespace {

double delta_of(const LossDistribution& distribution, double epsilon) {
  double sum = distribution.infinity;
  for (std::size_t i = 0; i < distribution.index.size(); ++i) {
    const double loss = static_cast<double>(distribution.index[i]) * distribution.interval;
    if (loss > epsilon) sum += std::exp(distribution.log_mass[i]) * -std::expm1(epsilon - loss);
  }
  return sum;
}

double delta_of(const Profile& profile, PairOrder order, double epsilon) {
  if (epsilon >= 0) return std::exp(log_delta(profile, order, epsilon));
  return -std::expm1(epsilon) + std::exp(epsilon + log_delta(profile, opposite(order), -epsilon));
}

std::vector<Profile> samples() {
  return {GaussianProfile{0.01},
          GaussianProfile{1},
          GaussianProfile{30},
          LaplaceProfile{0.1},
          LaplaceProfile{3},
          PureProfile{0.5},
          PureProfile{20},
          MirroredProfile{0.5, 0.01},
          batch_profile(SubsampledGaussianEvent{PoissonSampling{0.01}, 1, 1, 0}, 1e-20),
          batch_profile(SubsampledGaussianEvent{PoissonSampling{0.7}, 1, 1, 0}, 1e-20),
          batch_profile(SubsampledGaussianEvent{PoissonSampling{0.02}, 8, 1, 5}, 1e-20),
          batch_profile(SubsampledGaussianEvent{FixedSizeSampling{100, 7}, 3, 2, 2}, 1e-20)};
}

LossGrid grid_for(const Profile& profile, PairOrder order, double cells) {
  LossGrid grid;
  grid.highest = upper_cut(profile, order, -40);
  grid.lowest = lower_cut(profile, order, -40);
  grid.interval = grid.highest / cells;
  return grid;
}

// The polygon lies above the profile at every epsilon, below 0 too, and close to it.
TEST(PldDistribution, DominatesItsProfile) {
  SeededStream stream(7);
  for (const Profile& profile : samples()) {
    for (PairOrder order : {PairOrder::kWithFirst, PairOrder::kWithoutFirst}) {
      for (bool fine : {false, true}) {
        LossGrid grid = grid_for(profile, order, fine ? 20000 : 50);
        if (fine) grid.per_octave = grid.per_range = 20000;
        const LossDistribution distribution = discretise(profile, order, grid);
        for (int i = 0; i < 60; ++i) {
          const double epsilon = grid.lowest + (grid.highest - grid.lowest) * stream.uniform();
          const double exact = delta_of(profile, order, epsilon);
          const double discrete = delta_of(distribution, epsilon);
          // 1e-12 covers the rounding of this sum. The profile itself is rounded up by 1e-10.
          EXPECT_GE(discrete, exact * (1 - 1e-12)) << profile.index() << ' ' << epsilon;
          if (fine) {
            EXPECT_LE(discrete, exact * 1.001 + 1e-12) << profile.index() << ' ' << epsilon;
          }
        }
      }
    }
  }
}

TEST(PldDistribution, HasProbabilityOne) {
  for (const Profile& profile : samples()) {
    const LossDistribution distribution =
        discretise(profile, PairOrder::kWithFirst, grid_for(profile, PairOrder::kWithFirst, 20000));
    EXPECT_NEAR(std::exp(cumulant(distribution, 0).value) + distribution.infinity, 1, 1e-9)
        << profile.index();
    // E[e^-L] is the mass of the second law: 1, but for what lies below the lowest dot.
    const double second = std::exp(cumulant(distribution, -1).value);
    EXPECT_LE(second, 1 + 1e-9) << profile.index();
    if (profile != Profile(GaussianProfile{30})) {
      EXPECT_NEAR(second, 1, 1e-6) << profile.index();
    }
    EXPECT_LT(distribution.below, 1e-10) << profile.index();
  }
}

// The loss of N(mu,1) against N(0,1) is N(mu^2/2, mu^2); its cumulants are mu^2 (t + t^2) / 2.
TEST(PldDistribution, HasTheCumulantsOfTheGaussian) {
  const double mu = 0.5;
  const Profile profile = GaussianProfile{mu};
  const LossDistribution distribution =
      discretise(profile, PairOrder::kWithFirst, grid_for(profile, PairOrder::kWithFirst, 20000));
  for (double t : {0.0, 1.0, 3.0, 8.0}) {
    const CumulantPoint point = cumulant(distribution, t);
    EXPECT_NEAR(point.value, mu * mu * (t + t * t) / 2, 1e-4) << t;
    EXPECT_NEAR(point.mean, mu * mu * (0.5 + t), 1e-4) << t;
    EXPECT_NEAR(point.variance, mu * mu, 1e-4) << t;
  }
}

}  // namespace
}  // namespace privet::privacy
