#include "privet/audit/one_run_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>

#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/binomial.hpp"
#include "privet/base/error.hpp"

namespace privet::audit {
namespace {

constexpr double kLargestEpsilon = 40;  // e^-40 of probability is beyond any number of guesses
constexpr double kLargestMu = 40;

void require_counts(const Guesses& seen) {
  if (seen.right <= seen.guesses && seen.guesses <= seen.canaries) return;
  throw InvalidArgument(
      {.what = fmt::format("{} right of {} guesses of {} canaries", seen.right, seen.guesses, seen.canaries),
       .where = "one-run audit"});
}

double normal(double x) { return 0.5 * boost::math::erfc(-x / std::sqrt(2.0)); }

double normal_quantile(double p) {
  if (p <= 0) return -std::numeric_limits<double>::infinity();
  if (p >= 1) return std::numeric_limits<double>::infinity();
  return -std::sqrt(2.0) * boost::math::erfc_inv(2 * p);
}

// The largest value in (0, most) that `refuted` accepts, rounded down; refuted(0) decides whether there is
// one.
template <typename Refuted>
double largest_refuted(double most, Refuted refuted) {
  if (!refuted(0.0)) return 0;
  double low = 0;
  double high = most;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (refuted(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double one_run_p_value(const Guesses& seen, double epsilon, double delta) {
  require_counts(seen);
  const double q = 1 / (1 + std::exp(-epsilon));
  const double tail = binomial_tail(seen.right, seen.guesses, q);
  if (delta <= 0) return std::fmin(1, tail);
  double worst = 0;
  double between = 0;
  for (std::uint64_t i = 1; i <= seen.right; ++i) {
    between += binomial_mass(seen.right - i, seen.guesses, q);
    worst = std::fmax(worst, between / static_cast<double>(i));
    if (1 / static_cast<double>(i) < worst) break;  // no later term can be larger
  }
  return std::fmin(1, tail + 2 * static_cast<double>(seen.canaries) * delta * worst);
}

double one_run_epsilon(const Guesses& seen, double delta, double confidence) {
  return largest_refuted(kLargestEpsilon, [&](double epsilon) {
    return one_run_p_value(seen, epsilon, delta) < 1 - confidence;
  });
}

bool one_run_refutes_mu(const Guesses& seen, double mu, double doubt) {
  require_counts(seen);
  const auto m = static_cast<double>(seen.canaries);
  const auto guesses = static_cast<double>(seen.guesses);
  if (seen.right == 0) return false;
  const auto right = static_cast<double>(seen.right);
  double r = doubt * right / m;
  double h = doubt * (guesses - right) / m;
  for (std::uint64_t i = seen.right; i-- > 0;) {
    const double next = std::fmax(h, normal(normal_quantile(r) - mu));
    r += static_cast<double>(i) / (guesses - static_cast<double>(i)) * (next - h);
    h = next;
    if (r + h > guesses / m) return true;
  }
  return false;
}

double one_run_mu(const Guesses& seen, double confidence) {
  return largest_refuted(kLargestMu, [&](double mu) { return one_run_refutes_mu(seen, mu, 1 - confidence); });
}

double one_run_gaussian_epsilon(const Guesses& seen, double delta, double confidence) {
  const double mu = one_run_mu(seen, confidence);
  return mu <= 0 || delta <= 0 ? 0 : privacy::gaussian_epsilon(mu, delta);
}

}  // namespace privet::audit
