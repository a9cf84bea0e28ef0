#include "privet/accounting/pld_hockey_stick.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace privet::privacy {
namespace {

constexpr double kInverseSqrt2 = 1 / std::numbers::sqrt2;
const double kSqrtHalfPi = std::sqrt(std::numbers::pi / 2);
const double kLogSqrtTwoPi = std::log(2 * std::numbers::pi) / 2;

// From here on the continued fraction below converges to full precision in kTerms terms, and the direct
// formula still loses less than two digits.
constexpr double kFar = 5;
constexpr int kTerms = 40;

double upper_tail(double x) { return 0.5 * std::erfc(x * kInverseSqrt2); }

// Laplace's continued fraction: Mills' ratio R(x) = upper_tail(x) / density(x) = 1 / (x + t),
// t = 1 / (x + 2 / (x + 3 / ...)).
double mills_fraction(double x) {
  double t = 0;
  for (int k = kTerms; k >= 1; --k) t = k / (x + t);
  return t;
}

double mills(double x) {
  if (x >= kFar) return 1 / (x + mills_fraction(x));
  return kSqrtHalfPi * std::exp(x * x / 2) * std::erfc(x * kInverseSqrt2);
}

// -R'(x) = 1 - x R(x), which is positive.
double mills_slope(double x) {
  if (x < kFar) return 1 - x * mills(x);
  const double t = mills_fraction(x);
  return t / (x + t);
}

// Gauss and Legendre's rule with eight points, for functions without features narrower than `width`.
template <typename Function>
double integral(Function function, double from, double width) {
  constexpr std::array<double, 4> kNode = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                           0.9602898564975363};
  constexpr std::array<double, 4> kWeight = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                             0.1012285362903763};
  const double middle = from + width / 2;
  double sum = 0;
  for (std::size_t i = 0; i < kNode.size(); ++i) {
    const double offset = kNode[i] * width / 2;
    sum += kWeight[i] * (function(middle - offset) + function(middle + offset));
  }
  return sum * width / 2;
}

// log of upper_tail(x + shift) / density(x).
double log_relative_tail(double x, double shift) {
  const double at = x + shift;
  if (at > -kFar) return -shift * (x + shift / 2) + std::log(mills(at));
  return std::log(upper_tail(at)) + x * x / 2 + kLogSqrtTwoPi;
}

// log(1 - q + q e^y) and its derivative, which is the posterior probability of the example.
double log_mixture(double q, double y) {
  return y > 30 ? y + std::log(q) + std::log1p((1 - q) / q * std::exp(-y)) : std::log1p(q * std::expm1(y));
}
double posterior(double q, double y) { return 1 / (1 + (1 - q) / q * std::exp(-y)); }

// Where the loss of the mirrored pair is epsilon, by Newton's steps within a shrinking bracket.
double mirrored_threshold(double mu, double q, double epsilon) {
  if (epsilon <= 0) return 0;
  const auto loss = [&](double x) {
    return log_mixture(q, mu * x - mu * mu / 2) - log_mixture(q, -mu * x - mu * mu / 2);
  };
  double low = 0;
  double high = 1;
  while (loss(high) < epsilon && high < 1e300) {
    low = high;
    high *= 2;
  }
  double x = (low + high) / 2;
  for (int i = 0; i < 200 && high - low > 1e-13 * high; ++i) {
    const double excess = loss(x) - epsilon;
    (excess < 0 ? low : high) = x;
    const double slope = mu * (posterior(q, mu * x - mu * mu / 2) + posterior(q, -mu * x - mu * mu / 2));
    double next = x - excess / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (std::abs(next - x) <= 1e-10 * x) return next;
    x = next;
  }
  return x;
}

}  // namespace

// With a = epsilon/mu - mu/2 and b = a + mu: H = tail(a) - e^epsilon tail(b), and e^epsilon density(b) =
// density(a), so H = density(a) (R(a) - R(b)).
double gaussian_log_hockey_stick(double mu, double epsilon) {
  const double a = epsilon / mu - mu / 2;
  const double b = epsilon / mu + mu / 2;
  const double log_density = -a * a / 2 - kLogSqrtTwoPi;
  if (mu < 0.5 || (a > 8 && mu < a / 2)) return log_density + std::log(integral(mills_slope, a, mu));
  if (a < 0) return std::log(upper_tail(a) - std::exp(log_density) * mills(b));
  return log_density + std::log(mills(a) - mills(b));
}

// The loss increases with x, so the best set is a half-line from the x where the loss is epsilon (an x a
// little off changes the divergence by the square of that). All terms are relative to the density at x; with
// c = mu,
//
//     H = q (tail(x-c) - tail(x+c)) - (e^epsilon - 1) ((1-q) tail(x) + q tail(x+c)).
double mirrored_log_hockey_stick(double mu, double q, double epsilon) {
  const double x = mirrored_threshold(mu, q, epsilon);
  const double log_excess = epsilon > 30 ? epsilon : std::log(std::expm1(epsilon));
  const double above = log_relative_tail(x, mu);
  double log_gain = 0;
  if (mu * std::max(x, 1.0) < 1) {
    log_gain = std::log(integral([&](double s) { return std::exp(-s * (x + s / 2)); }, -mu, 2 * mu));
  } else {
    const double below = log_relative_tail(x, -mu);
    log_gain = below + std::log(-std::expm1(above - below));
  }
  log_gain += std::log(q);
  const double lost = std::exp(log_excess + std::log1p(-q) + log_relative_tail(x, 0) - log_gain) +
                      std::exp(log_excess + std::log(q) + above - log_gain);
  return -x * x / 2 - kLogSqrtTwoPi + log_gain + std::log1p(-std::min(lost, 1.0));
}

}  // namespace privet::privacy
