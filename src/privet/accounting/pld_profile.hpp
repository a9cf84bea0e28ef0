#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "privet/accounting/events/subsampled_gaussian.hpp"

namespace privet::privacy {

/// The privacy profile of one release: an upper bound on the hockey-stick divergence between its outputs on
/// two neighbouring data sets, as a function of epsilon. It is all that composition needs to know: a convex
/// function that bounds the profile at every e^epsilon > 0 is itself the profile of a pair that dominates the
/// release (Zhu, Dong and Wang 2022). The values below 0 follow from those of the other order of the pair.

/// Which of two neighbouring data sets comes first: the one that has the `added` examples, or the one
/// without.
enum class PairOrder { kWithFirst, kWithoutFirst };
PairOrder opposite(PairOrder order);

/// Gaussian noise: N(mu, 1) against N(0, 1).
struct GaussianProfile {
  double mu = 0;
  auto operator<=>(const GaussianProfile&) const = default;
};

/// Laplace noise: loss at most `epsilon` = 1 / noise multiplier.
struct LaplaceProfile {
  double epsilon = 0;
  auto operator<=>(const LaplaceProfile&) const = default;
};

/// Randomised response, which dominates every epsilon-DP mechanism.
struct PureProfile {
  double epsilon = 0;
  auto operator<=>(const PureProfile&) const = default;
};

/// Gaussian noise on the sum over a Poisson batch in which one example may be another: its gradient turned
/// round, at a distance `mu` from nothing, is the worst case.
struct MirroredProfile {
  double mu = 0;
  double rate = 0;
  auto operator<=>(const MirroredProfile&) const = default;
};

/// Gaussian noise on the sum over a random batch, any number of affected examples: pld_profile.cpp has the
/// bound and its proof.
struct BatchProfile {
  /// One possible distance, in units of the noise, with its two probabilities given that the batch is
  /// affected.
  struct Shift {
    double mu = 0;
    double own = 0;   ///< between the batch and a batch that holds no affected example
    double pair = 0;  ///< between the batches of the two data sets
    double bare = 0;  ///< the same, where this data set's batch equals one that holds no affected example
    auto operator<=>(const Shift&) const = default;
  };
  double affected = 0;    ///< probability that the batch holds any affected example
  double unaffected = 0;  ///< 1 - affected, to full relative precision
  double dropped = 0;     ///< probability left out of the shifts, charged as a failure
  std::vector<Shift> with_first;
  std::vector<Shift> without_first;
  auto operator<=>(const BatchProfile&) const = default;
};

using Profile = std::variant<GaussianProfile, LaplaceProfile, PureProfile, MirroredProfile, BatchProfile>;

/// log delta(epsilon) for epsilon >= 0, rounded up by more than its rounding error; -infinity where delta is
/// 0.
double log_delta(const Profile& profile, PairOrder order, double epsilon);

/// The largest loss there is; +infinity where there is none.
double largest_loss(const Profile& profile);

/// Whether both orders have the same profile.
bool is_symmetric(const Profile& profile);

/// The profile of one step; shifts of together at most `negligible` probability may be dropped. Full batches
/// give a GaussianProfile.
Profile batch_profile(const SubsampledGaussianEvent& event, double negligible);

}  // namespace privet::privacy
