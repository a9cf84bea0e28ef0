#include "privet/accounting/pld.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "privet/accounting/loss_bag.hpp"
#include "privet/accounting/parts.hpp"
#include "privet/accounting/pld_composition.hpp"
#include "privet/accounting/pld_profile.hpp"
#include "privet/accounting/renyi.hpp"
#include "privet/base/error.hpp"

// The tree of events becomes a bag of steps, each with the number of its repetitions; the order of the parts
// plays no role, so equal steps are counted together and Gaussian ones become a single one (mu^2 adds up).
// The bag, in a canonical order, goes to pld_composition.cpp once for each order of the two data sets; the
// bounds are the larger ones. (All parts of a composition see the same two data sets, so orders do not mix.)
//
// Where every loss is bounded and delta is small, the tilted sum all but lies on the largest loss and
// Chernoff's bound is the truth to the last digits, while a grid has to round its masses up by some 1e-10 and
// spread a loss that falls between two dots. The moments of such losses have closed forms, free of any grid,
// so that bound, which is the conversion of renyi.cpp, is taken where it is the smaller one.

namespace privet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename Solve>
Bounds over_both_orders(const std::vector<LossComponent>& components, Solve solve) {
  const Bounds bounds = solve(PairOrder::kWithFirst, 0);
  const bool symmetric = std::all_of(components.begin(), components.end(),
                                     [](const LossComponent& c) { return is_symmetric(c.profile); });
  if (symmetric) return bounds;
  const Bounds other = solve(PairOrder::kWithoutFirst, bounds.upper);
  return {.lower = std::max(bounds.lower, other.lower), .upper = std::max(bounds.upper, other.upper)};
}

LossBag losses_of(const Event& event) {
  LossBag bag;
  for_each_leaf(event, [&](const EventRow auto& row, double times) { row.add_losses(bag, times); });
  return bag;
}

// A bound that is not a number is no bound.
Bounds at_most(Bounds bounds, double upper) {
  if (upper < bounds.upper) bounds.upper = upper;
  if (bounds.upper < bounds.lower) bounds.lower = bounds.upper;
  return bounds;
}

}  // namespace

bool pld_supports(const Event& /*event*/) { return true; }

Bounds pld_epsilon(const Event& event, double delta) {
  if (!(delta > 0 && delta < 1))
    throw InvalidArgument(
        {.what = std::to_string(delta), .where = "delta", .expected = "above 0 and below 1"});
  const LossBag bag = losses_of(event);
  const double failure = bag.failure();
  constexpr double kUlps = 8 * std::numeric_limits<double>::epsilon();
  if (failure > delta * (1 + kUlps)) return {.lower = kInfinity, .upper = kInfinity};
  // A release fails, or it is among the rest: delta = failure + (1 - failure) delta of the rest.
  const double rest = (delta - failure) / (1 - failure);
  if (rest <= delta * kUlps) {
    double sum = 0;
    for (const LossComponent& c : bag.components(delta)) sum += c.times * largest_loss(c.profile);
    return {.lower = sum, .upper = sum};
  }
  const auto components = bag.components(rest);
  const Bounds bounds = over_both_orders(components, [&](PairOrder order, double least) {
    return composed_epsilon(components, order, rest, least);
  });
  if (!renyi_supports(event) || !bag.all_losses_are_bounded()) return bounds;
  return at_most(bounds, renyi_epsilon(event, delta));
}

Bounds pld_delta(const Event& event, double epsilon) {
  if (!(epsilon >= 0 && epsilon < kInfinity))
    throw InvalidArgument(
        {.what = std::to_string(epsilon), .where = "epsilon", .expected = "a finite number, at least 0"});
  const LossBag bag = losses_of(event);
  const double failure = bag.failure();
  const auto components = bag.components(std::numeric_limits<double>::min());
  const Bounds rest = over_both_orders(components, [&](PairOrder order, double least) {
    return composed_delta(components, order, epsilon, least);
  });
  const Bounds bounds{.lower = failure + (1 - failure) * rest.lower,
                      .upper = std::min(1.0, failure + (1 - failure) * rest.upper)};
  if (!renyi_supports(event) || !bag.all_losses_are_bounded()) return bounds;
  return at_most(bounds, renyi_delta(event, epsilon));
}

}  // namespace privet::privacy
