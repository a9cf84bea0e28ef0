#include "privet/accounting/renyi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "privet/accounting/parts.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// More than the relative error of a bound that hundreds of roundings went into.
constexpr double kRoundings = 1e-12;

void require_supported(const Event& event) {
  for_each_leaf(event, [](const EventRow auto& row, double) {
    if (row.failure_probability() > 0)
      throw InvalidArgument({.what = fmt::format("{} has no finite Renyi divergence", row.describe()),
                             .where = "accountant rdp",
                             .expected = "events without a failure probability of their own",
                             .remedy = "use the accountant pld"});
  });
}

/// The smallest value of f over alpha > 1, searched over u = log(alpha - 1). For exact divergences the log
/// moment g is convex in alpha, and so is g(alpha) - alpha log alpha + (alpha-1) log(alpha-1); both
/// conversions divide such a function by alpha - 1 and are therefore quasi-convex: walking downhill finds the
/// least. Where a bound is not convex the search may miss it, which costs tightness and never soundness.
template <typename F>
double minimize_over_orders(const F& f) {
  const auto at = [&](double u) {
    const double value = f(1 + std::exp(u));
    return std::isnan(value) ? kInfinity : value;
  };
  constexpr double kLowest = -16;  // alpha - 1 from 1e-7 ...
  constexpr double kHighest = 27;  // ... to 5e11
  double step = 1;
  double best_u = 2;
  double best = at(best_u);
  for (const double direction : {1.0, -1.0}) {
    double u = best_u;
    bool moved = false;
    while (u + direction * step >= kLowest && u + direction * step <= kHighest) {
      u += direction * step;
      const double value = at(u);
      if (!(value < best)) break;
      best = value;
      best_u = u;
      moved = true;
    }
    if (moved) break;
  }
  // Golden section between the neighbours of the best.
  const double ratio = std::numbers::phi - 1;
  double low = std::max(best_u - step, kLowest);
  double high = std::min(best_u + step, kHighest);
  double left = high - ratio * (high - low);
  double right = low + ratio * (high - low);
  double at_left = at(left);
  double at_right = at(right);
  while (high - low > 2e-4) {  // the minimum is flat: this leaves it within about 1e-9 of itself
    best = std::min({best, at_left, at_right});
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - ratio * (high - low);
      at_left = at(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + ratio * (high - low);
      at_right = at(right);
    }
  }
  return std::min({best, at_left, at_right});
}

/// epsilon at one order.
double converted(double divergence, double alpha, double log_delta, RenyiConversion conversion) {
  const double excess = alpha - 1;
  if (conversion == RenyiConversion::classic) return divergence - log_delta / excess;
  return divergence + std::log1p(-1 / alpha) - (log_delta + std::log(alpha)) / excess;
}

/// Of a delta that makes sense; anything else is an InvalidArgument.
double log_of(double delta) {
  if (!(delta > 0 && delta < 1))
    throw InvalidArgument(
        {.what = fmt::format("{}", delta), .where = "delta", .expected = "above 0 and below 1"});
  return std::log(delta);
}

}  // namespace

bool renyi_supports(const Event& event) {
  return all_leaves(event, [](const EventRow auto& row) { return row.failure_probability() == 0; });
}

double renyi_divergence(const Event& event, double alpha) {
  if (!(alpha > 1))
    throw InvalidArgument({.what = fmt::format("{}", alpha), .where = "order", .expected = "above 1"});
  double sum = 0;
  for_each_leaf(event, [&](const EventRow auto& row, double times) { sum += times * row.log_moment(alpha); });
  return sum / (alpha - 1);
}

double renyi_epsilon(const RenyiCurve& curve, double delta, RenyiConversion conversion) {
  const double log_delta = log_of(delta);
  return std::max(0.0, minimize_over_orders([&](double alpha) {
                    return converted(curve(alpha), alpha, log_delta, conversion);
                  }));
}

double renyi_epsilon(const RenyiCurve& curve, double delta, std::span<const double> orders,
                     RenyiConversion conversion) {
  const double log_delta = log_of(delta);
  double best = kInfinity;
  for (const double alpha : orders) {
    const double value = converted(curve(alpha), alpha, log_delta, conversion);
    if (value < best) best = value;
  }
  return std::max(0.0, best);
}

double renyi_epsilon(const Event& event, double delta) {
  require_supported(event);
  log_of(delta);
  if (releases_nothing(event)) return 0;
  return renyi_epsilon([&](double alpha) { return renyi_divergence(event, alpha); }, delta) *
         (1 + kRoundings);
}

double renyi_delta(const Event& event, double epsilon) {
  require_supported(event);
  if (!(epsilon >= 0))
    throw InvalidArgument({.what = fmt::format("{}", epsilon), .where = "epsilon", .expected = "at least 0"});
  if (releases_nothing(event)) return 0;
  const double log_delta = minimize_over_orders([&](double alpha) {
    return (alpha - 1) * (renyi_divergence(event, alpha) - epsilon + std::log1p(-1 / alpha)) -
           std::log(alpha);
  });
  return std::min(1.0, std::exp(log_delta + 1e-9));
}

}  // namespace privet::privacy
