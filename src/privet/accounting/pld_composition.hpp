#pragma once

#include <utility>
#include <vector>

#include "privet/accounting/bounds.hpp"
#include "privet/accounting/pld_profile.hpp"

namespace privet::privacy {

/// One kind of step, `times` over.
struct LossComponent {
  LossComponent(Profile pair, double how_often) : profile(std::move(pair)), times(how_often) {}
  Profile profile;
  double times;  ///< a whole number
};

/// Epsilon at a delta in (0, 1), and delta at an epsilon of at least 0, of steps one after the other, for one
/// order of the neighbouring data sets. An answer that is quickly seen to be at most `least` is given as
/// that. See pld_composition.cpp for the argument.
Bounds composed_epsilon(const std::vector<LossComponent>& components, PairOrder order, double delta,
                        double least = 0);
Bounds composed_delta(const std::vector<LossComponent>& components, PairOrder order, double epsilon,
                      double least = 0);

}  // namespace privet::privacy
