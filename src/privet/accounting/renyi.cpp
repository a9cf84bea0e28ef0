#include "privet/accounting/renyi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "privet/accounting/gaussian_dp.hpp"
#include "privet/accounting/parts.hpp"
#include "privet/accounting/sampling_moments.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// More than the relative error of a bound that hundreds of roundings went into.
constexpr double kRoundings = 1e-12;

/// Mironov 2017, Proposition 6 (Table II): with x = 1/multiplier,
/// log(alpha/(2 alpha-1) e^((alpha-1)x) + (alpha-1)/(2 alpha-1) e^(-alpha x)).
double laplace_log_moment(double noise_multiplier, double alpha) {
  const double x = 1 / noise_multiplier;
  const double width = 2 * alpha - 1;
  if (alpha * x > 0.1)
    return (alpha - 1) * x + std::log(alpha / width + (alpha - 1) / width * std::exp(-width * x));
  // The Taylor series, whose constant is 1 and whose linear term vanishes.
  double power = 1;  // x^n / n!
  double sum = 0;
  for (int n = 2; n < 16; ++n) {
    power *= x / n;
    sum += power * (std::pow(alpha - 1, n - 1) - std::pow(-alpha, n - 1)) / width;
  }
  return std::log1p(alpha * (alpha - 1) * x * sum);
}

/// Mironov 2017, Proposition 5: log(cosh((alpha - 1/2) epsilon) / cosh(epsilon/2)).
///
/// It holds for every epsilon-DP mechanism: any two distributions within epsilon of each other are the image
/// under one channel of the two of randomised response (Kairouz, Oh and Viswanath 2015;
/// docs/privacy/accounting.md), and channels do not raise Renyi divergences.
double randomized_response_log_moment(double epsilon, double alpha) {
  const double half_sum = alpha * epsilon / 2;
  const double half_difference = (alpha - 1) * epsilon / 2;
  if (half_sum < 300)
    return std::log1p(2 * std::sinh(half_sum) * std::sinh(half_difference) / std::cosh(epsilon / 2));
  return (alpha - 1) * epsilon + std::log1p(std::exp((1 - 2 * alpha) * epsilon)) -
         std::log1p(std::exp(-epsilon));
}

struct LogMoment {
  double alpha;

  double operator()(const GaussianEvent& e) const { return gaussian(1 / e.noise_multiplier); }
  double operator()(const ContractiveGaussianEvent& e) const {
    return gaussian(std::sqrt(contraction_factor(e.lipschitz, static_cast<double>(e.hops))) /
                    e.noise_multiplier);
  }
  double operator()(const LaplaceEvent& e) const { return laplace_log_moment(e.noise_multiplier, alpha); }
  double operator()(const RandomizedResponseEvent& e) const {
    return randomized_response_log_moment(e.epsilon, alpha);
  }
  double operator()(const PureEvent& e) const { return randomized_response_log_moment(e.epsilon, alpha); }
  double operator()(const ApproximateEvent& e) const {
    return e.delta == 0 ? randomized_response_log_moment(e.epsilon, alpha) : kInfinity;
  }
  double operator()(const SubsampledGaussianEvent& e) const {
    return subsampled_gaussian_log_moment(e, alpha);
  }
  double operator()(const DpGnnEvent& e) const { return dpgnn_log_moment(e, alpha); }
  double operator()(const ComposedEvent&) const { return 0; }  // never a leaf
  double operator()(const RepeatedEvent&) const { return 0; }  // never a leaf

 private:
  [[nodiscard]] double gaussian(double mu) const { return alpha * (alpha - 1) / 2 * mu * mu; }
};

bool releases_nothing(const Event& event) {
  return all_leaves(event, [](const Event&) { return false; });
}

bool has_failure_probability(const Event& leaf) {
  const auto* approximate = std::get_if<ApproximateEvent>(&leaf.kind());
  return approximate != nullptr && approximate->delta > 0;
}

void require_supported(const Event& event) {
  for_each_leaf(event, [](const Event& leaf, double) {
    if (has_failure_probability(leaf))
      throw InvalidArgument({.what = fmt::format("{} has no finite Renyi divergence", leaf.describe()),
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
  return all_leaves(event, [](const Event& leaf) { return !has_failure_probability(leaf); });
}

double renyi_divergence(const Event& event, double alpha) {
  if (!(alpha > 1))
    throw InvalidArgument({.what = fmt::format("{}", alpha), .where = "order", .expected = "above 1"});
  double sum = 0;
  for_each_leaf(event, [&](const Event& leaf, double times) {
    sum += times * std::visit(LogMoment{alpha}, leaf.kind());
  });
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
