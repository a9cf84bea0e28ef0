#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "privet/accounting/pld_profile.hpp"

namespace privet::privacy {

/// The privacy loss distribution of one step, on multiples of an interval, that dominates the step: it has at
/// every e^epsilon at least the step's delta. Built by connecting the dots of the profile (Doroshenko, Ghazi,
/// Kamath, Kumar and Manurangsi 2022). Only few multiples hold mass: dots lie close together near 0 and in
/// proportion to their distance further out.
struct LossDistribution {
  double interval = 0;
  std::vector<std::int64_t> index;  ///< ascending; the loss is index x interval
  std::vector<double> log_mass;     ///< -infinity where a dot has none
  std::vector<double> gap;          ///< the wider of the two distances to the neighbouring dots
  double infinity = 0;              ///< probability of an infinite loss, all of it due to truncation
  double below = 0;                 ///< at most this probability lies below the lowest dot in truth
};

/// Where a distribution is cut off and how finely it is told.
struct LossGrid {
  double interval = 0;
  double highest = 0;       ///< no dots above, at least 0
  double lowest = 0;        ///< no dots below, at most 0
  double per_octave = 256;  ///< a gap is at most the loss divided by this, if that is more than the interval,
  double per_range = 2048;  ///< and at most the range divided by this
};

/// The loss above which delta is below e^log_tail.
double upper_cut(const Profile& profile, PairOrder order, double log_tail);
/// The loss, at most 0, below which the probability is about e^log_tail.
double lower_cut(const Profile& profile, PairOrder order, double log_tail);

LossDistribution discretise(const Profile& profile, PairOrder order, const LossGrid& grid);

/// log E[e^(order x loss)] over finite losses, and the mean and variance of the loss tilted by that factor.
struct CumulantPoint {
  double value = 0;
  double mean = 0;
  double variance = 0;
};
CumulantPoint cumulant(const LossDistribution& distribution, double order);

}  // namespace privet::privacy
