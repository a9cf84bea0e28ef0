#include "privet/privacy/accounting/pld_hockey_stick.hpp"

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

// R(a) - R(a + width) as an integral over the slope, by Gauss and Legendre's rule with eight points.
double mills_drop(double a, double width) {
  constexpr std::array<double, 4> kNode = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                           0.9602898564975363};
  constexpr std::array<double, 4> kWeight = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                             0.1012285362903763};
  const double middle = a + width / 2;
  double sum = 0;
  for (std::size_t i = 0; i < kNode.size(); ++i) {
    const double offset = kNode[i] * width / 2;
    sum += kWeight[i] * (mills_slope(middle - offset) + mills_slope(middle + offset));
  }
  return sum * width / 2;
}

}  // namespace

// With a = epsilon/mu - mu/2 and b = a + mu: H = tail(a) - e^epsilon tail(b), and e^epsilon density(b) =
// density(a), so H = density(a) (R(a) - R(b)).
double gaussian_log_hockey_stick(double mu, double epsilon) {
  const double a = epsilon / mu - mu / 2;
  const double b = epsilon / mu + mu / 2;
  const double log_density = -a * a / 2 - kLogSqrtTwoPi;
  if (mu < 0.5 || (a > 8 && mu < a / 2)) return log_density + std::log(mills_drop(a, mu));
  if (a < 0) return std::log(upper_tail(a) - std::exp(log_density) * mills(b));
  return log_density + std::log(mills(a) - mills(b));
}

}  // namespace privet::privacy
