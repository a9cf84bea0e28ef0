#pragma once

#include <vector>

#include "privet/accounting/bounds.hpp"
#include "privet/accounting/pld_convolution.hpp"
#include "privet/accounting/pld_distribution.hpp"

namespace privet::privacy {

/// The discretised loss of one kind of step, `times` over.
struct Steps {
  LossDistribution loss;
  double times = 1;
};

/// The sum of the cumulants of all steps.
CumulantPoint total_cumulant(const std::vector<Steps>& steps, double order);

/// log of the largest value of e^(-tilt x) (1 - e^-x).
double log_peak(double tilt);

/// Everything that is known of the sum of the losses of all steps, each tilted by e^(tilt x loss).
struct TiltedSum {
  WrappedSum sum;
  double interval = 0;
  double tilt = 0;
  double log_norm = 0;  ///< K, rounded up
  double wrapped = 0;   ///< tilted probability outside the window
  double below = 0;     ///< tilted probability that a step lies below its lowest dot
  double infinity = 0;  ///< probability of an infinite loss
  double count = 0;     ///< of steps
  std::vector<Steps> steps;
};

/// Epsilon at a delta in (0, 1), and delta at an epsilon of at least 0. Upper bounds hold for the steps that
/// were discretised; pld_tilted_sum.cpp has the argument.
Bounds epsilon_of(const TiltedSum& tilted, double delta);
Bounds delta_of(const TiltedSum& tilted, double epsilon);

}  // namespace privet::privacy
