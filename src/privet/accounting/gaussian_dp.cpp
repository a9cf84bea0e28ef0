#include "privet/accounting/gaussian_dp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "privet/accounting/parts.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

/// Mills' ratio R(x) = Q(x) / phi(x), the upper tail of the normal law over its density, for x > -30.
double mills_ratio(double x) {
  constexpr double kAsymptoticFrom = 16;
  if (x < kAsymptoticFrom) {
    // exp(x^2/2) with the rounding error of x^2 put back.
    const double square = x * x;
    const double rest = std::fma(x, x, -square);
    return std::sqrt(std::numbers::pi / 2) * std::exp(square / 2) * (1 + rest / 2) *
           std::erfc(x / std::numbers::sqrt2);
  }
  // R(x) ~ 1/x (1 - 1/x^2 + 3/x^4 - 15/x^6 ...): from 16 on the terms fall below 1e-17 before they grow.
  const double step = -1 / (x * x);
  double term = 1;
  double sum = 1;
  for (int n = 1; n < 24; ++n) {
    term *= step * (2 * n - 1);
    sum += term;
    if (std::abs(term) < 1e-17) break;
  }
  return sum / x;
}

struct GaussLegendre {
  static constexpr int kPoints = 16;
  std::array<double, kPoints> node{};
  std::array<double, kPoints> weight{};

  /// Newton's method on the Legendre polynomial, from Chebyshev's guesses.
  GaussLegendre() {
    for (int i = 0; i < kPoints; ++i) {
      double x = std::cos(std::numbers::pi * (i + 0.75) / (kPoints + 0.5));
      double slope = 1;
      for (int iteration = 0; iteration < 20; ++iteration) {
        double before = 1;
        double value = x;
        for (int n = 2; n <= kPoints; ++n) {
          const double next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
          before = value;
          value = next;
        }
        slope = kPoints * (x * value - before) / (x * x - 1);
        x -= value / slope;
      }
      node[static_cast<std::size_t>(i)] = x;
      weight[static_cast<std::size_t>(i)] = 2 / ((1 - x * x) * slope * slope);
    }
  }
};

/// R(a) - R(a + mu) for a >= -1. Where the two are close their difference is
/// integral over t > 0 of exp(-a t - t^2/2) (1 - exp(-mu t)), a sum of positive terms.
double mills_difference(double a, double mu) {
  const double first = mills_ratio(a);
  const double second = mills_ratio(a + mu);
  if (second < first / 2) return first - second;
  static const GaussLegendre rule;
  constexpr int kPanels = 10;
  const double end = a > 0 ? std::min(12.0, 50 / a) : 12.0;  // what lies beyond is below 1e-19 of the whole
  const double half = end / (2 * kPanels);
  double sum = 0;
  for (int panel = 0; panel < kPanels; ++panel) {
    const double middle = (2 * panel + 1) * half;
    for (std::size_t i = 0; i < GaussLegendre::kPoints; ++i) {
      const double t = middle + half * rule.node[i];
      sum += rule.weight[i] * std::exp(-a * t - t * t / 2) * -std::expm1(-mu * t);
    }
  }
  return sum * half;
}

double mu_of(const EventRow auto& row) {
  if (const std::optional<double> mu = row.gaussian_mu()) return *mu;
  throw InvalidArgument({.what = fmt::format("{} is not Gaussian DP", row.describe()),
                         .where = "accountant gdp",
                         .expected = "Gaussian, contractive Gaussian and full-batch events only",
                         .remedy = "use the accountant rdp or pld"});
}

void check_delta(double delta) {
  if (!(delta > 0 && delta < 1))
    throw InvalidArgument(
        {.what = fmt::format("{}", delta), .where = "delta", .expected = "above 0 and below 1"});
}

void check_not_negative(double value, const char* name) {
  if (!(value >= 0))
    throw InvalidArgument({.what = fmt::format("{}", value), .where = name, .expected = "at least 0"});
}

}  // namespace

bool gaussian_dp_supports(const Event& event) {
  return all_leaves(event, [](const EventRow auto& row) { return row.gaussian_mu().has_value(); });
}

double gaussian_dp_mu(const Event& event) {
  // Scaled by the largest part, so that squares neither overflow nor vanish.
  double largest = 0;
  for_each_leaf(event, [&](const EventRow auto& row, double) { largest = std::max(largest, mu_of(row)); });
  if (largest == 0) return 0;
  double sum = 0;
  for_each_leaf(event, [&](const EventRow auto& row, double times) {
    const double ratio = mu_of(row) / largest;
    sum += times * ratio * ratio;
  });
  return largest * std::sqrt(sum);
}

double gaussian_log_delta(double mu, double epsilon) {
  check_not_negative(mu, "mu");
  check_not_negative(epsilon, "epsilon");
  if (mu == 0 || epsilon == kInfinity) return -kInfinity;
  if (mu == kInfinity) return 0;
  // With a = epsilon/mu - mu/2 and b = a + mu, e^epsilon phi(b) = phi(a), hence delta = phi(a) (R(a) - R(b)).
  const double a = epsilon / mu - mu / 2;
  if (a == kInfinity) return -kInfinity;
  if (a < -1) {
    // Here mu > 1 and delta > 0.2: nothing cancels.
    const double second = a < -38 ? 0 : std::exp(-a * a / 2 - kHalfLogTwoPi) * mills_ratio(a + mu);
    return std::log(std::max(0.5 * std::erfc(a / std::numbers::sqrt2) - second, 0.0));
  }
  return -a * a / 2 - kHalfLogTwoPi + std::log(mills_difference(a, mu));
}

double gaussian_delta(double mu, double epsilon) { return std::exp(gaussian_log_delta(mu, epsilon)); }

double gaussian_epsilon(double mu, double delta) {
  check_not_negative(mu, "mu");
  check_delta(delta);
  // The margin stands for the rounding errors of gaussian_log_delta.
  const double target = std::log(delta) - 1e-13;
  const auto meets = [&](double epsilon) { return gaussian_log_delta(mu, epsilon) <= target; };
  if (mu == kInfinity) return kInfinity;
  if (meets(0)) return 0;
  double low = 0;
  // The loss is N(mu^2/2, mu^2), and delta is below the probability that it exceeds epsilon.
  double high = mu * (mu / 2 + std::sqrt(-2 * target));
  while (!meets(high)) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (meets(middle) ? high : low) = middle;
  }
  high *= 1 + 8 * std::numeric_limits<double>::epsilon();
  while (gaussian_delta(mu, high) > delta) high *= 1 + 1e-14;
  return high;
}

double gaussian_mu(double epsilon, double delta) {
  check_not_negative(epsilon, "epsilon");
  check_delta(delta);
  const double target = std::log(delta) - 1e-13;
  const auto meets = [&](double mu) { return gaussian_log_delta(mu, epsilon) <= target; };
  double low = 1;
  while (!meets(low)) low /= 2;
  double high = 2 * low;
  while (meets(high)) high *= 2;
  low = high / 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (meets(middle) ? low : high) = middle;
  }
  return low * (1 - 8 * std::numeric_limits<double>::epsilon());
}

double contraction_factor(double lipschitz, double hops) {
  if (lipschitz == 1) return hops;
  if (lipschitz == 0) return 1;
  const double log_power = hops * std::log(lipschitz);
  return -std::expm1(log_power) / (1 + std::exp(log_power)) * (1 + lipschitz) / (1 - lipschitz);
}

}  // namespace privet::privacy
