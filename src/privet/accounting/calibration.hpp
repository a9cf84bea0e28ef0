#pragma once

#include <functional>
#include <span>
#include <vector>

#include "privet/accounting/accountant.hpp"
#include "privet/accounting/event.hpp"
#include "privet/accounting/quantities.hpp"

namespace privet::privacy {

/// The accountants run backwards: the least noise that meets a budget.
///
/// A plan says what a method will release if its noise has a given scale; more noise must never cost more
/// privacy. The scale returned is always checked itself: its upper bound is at most the budget. Where no
/// scale between 1e-6 and 1e12 meets it, or the accountant returns nothing that can be compared, the answer
/// is an Unsound error, never a scale of 0 or infinity.

using Plan = std::function<Event(double scale)>;

/// The smallest scale, to about one part in a million of it or of epsilon, at which plan(scale) costs at most
/// (epsilon, delta). A plan that releases nothing at any scale, or meets the budget at scale 1e-6 already,
/// gets 1e-6.
double calibrate(const Plan& plan, Epsilon epsilon, Delta delta,
                 Accountant accountant = Accountant::automatic);

/// One of several parts whose noise scales stand in given proportions: the part runs at scale x weight.
struct WeightedPart {
  Plan event;
  double weight = 1;  ///< positive; a larger one means more noise on this part
};

/// The noise scales of the parts, in their order, at which all of them together cost at most (epsilon,
/// delta).
std::vector<double> calibrate_weighted(std::span<const WeightedPart> parts, Epsilon epsilon, Delta delta,
                                       Accountant accountant = Accountant::automatic);

/// What the caller wants small (a total variance, a predicted error), as a function of the parts' noise
/// scales. Must be computed from public numbers only.
using SplitObjective = std::function<double(std::span<const double> scales)>;

/// The division of one budget among parts that minimises the objective over the calibrated noise scales,
/// found by a downhill simplex in the logarithms of the weights. Only the ratios of the given weights matter,
/// as the start. The scales returned meet the budget whatever the search found.
struct Split {
  std::vector<double> scales;
  double objective = 0;
};
Split best_split(std::span<const WeightedPart> parts, const SplitObjective& objective, Epsilon epsilon,
                 Delta delta, Accountant accountant = Accountant::automatic);

}  // namespace privet::privacy
