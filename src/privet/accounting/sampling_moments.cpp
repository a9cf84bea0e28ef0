#include "privet/accounting/sampling_moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace privet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  const double high = std::max(a, b);
  if (std::isinf(high)) return high;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

/// log(e^x - 1) for x > 0.
double log_expm1(double x) { return x > 40 ? x : std::log(std::expm1(x)); }

/// log(1 + e^x).
double log1p_exp(double x) { return x > 40 ? x : std::log1p(std::exp(x)); }

double as_double(std::uint64_t value) { return static_cast<double>(value); }

// ---------------------------------------------------------------------------------------------------------------
// The revealing pair. Give the observer, besides the noisy sum, which affected examples are in the batch.
// Their number has the same law in both worlds, so the divergence of the enlarged pair is
//     (alpha - 1) D_alpha = log E exp(alpha (alpha - 1) shift^2 / 2),
// and forgetting what was revealed cannot raise it (data processing). This is Theorem 1 of Daigavane et al.

/// Probabilities of 0, 1, 2, ... affected examples in the batch, as logarithms.
using LogWeights = std::vector<double>;

/// From the logarithms of successive ratios: no large factorials, whose rounding errors would not cancel.
template <typename LogRatio>
LogWeights normalized_weights(std::uint64_t count, const LogRatio& log_ratio) {
  LogWeights weights(count + 1, 0.0);
  for (std::uint64_t i = 0; i < count; ++i) weights[i + 1] = weights[i] + log_ratio(as_double(i));
  const double high = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (const double weight : weights) sum += std::exp(weight - high);
  const double total = high + std::log(sum);
  for (double& weight : weights) weight -= total;
  return weights;
}

LogWeights binomial_weights(std::uint64_t count, double rate) {
  if (rate == 1) {
    LogWeights weights(count + 1, -kInfinity);
    weights.back() = 0;
    return weights;
  }
  const double log_odds = std::log(rate) - std::log1p(-rate);
  const double n = as_double(count);
  return normalized_weights(count, [&](double i) { return std::log((n - i) / (i + 1)) + log_odds; });
}

/// `affected` of `population` examples matter, `batch` are drawn. The first entry stands for `least`
/// examples.
struct HypergeometricWeights {
  std::uint64_t least = 0;
  LogWeights weights;
};
HypergeometricWeights hypergeometric_weights(std::uint64_t population, std::uint64_t affected,
                                             std::uint64_t batch) {
  const std::uint64_t others = population - affected;
  const std::uint64_t least = batch > others ? batch - others : 0;
  const std::uint64_t most = std::min(affected, batch);
  const auto log_ratio = [&](double steps) {
    const double i = as_double(least) + steps;
    return std::log((as_double(affected) - i) * (as_double(batch) - i) /
                    ((i + 1) * (as_double(others) - as_double(batch) + i + 1)));
  };
  return {least, normalized_weights(most - least, log_ratio)};
}

/// log sum over i of e^(weights[i]) exp(factor (first + i)^2 ), as log(1 + excess) so that small costs keep
/// their digits.
double log_expected_exponential(const LogWeights& weights, double first, double factor) {
  double log_excess = -kInfinity;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double shift = first + static_cast<double>(i);
    if (shift == 0 || weights[i] == -kInfinity) continue;
    log_excess = log_add(log_excess, weights[i] + log_expm1(factor * shift * shift));
  }
  return log1p_exp(log_excess);
}

constexpr std::uint64_t kMostWeights = 1 << 16;

/// The distribution of 2 i + j for i of `replaced` and j of `added`.
LogWeights doubled_and_single(std::uint64_t replaced, std::uint64_t added, double rate) {
  const LogWeights twice = binomial_weights(replaced, rate);
  const LogWeights once = binomial_weights(added, rate);
  LogWeights sum(2 * replaced + added + 1, -kInfinity);
  for (std::size_t i = 0; i < twice.size(); ++i)
    for (std::size_t j = 0; j < once.size(); ++j)
      sum[2 * i + j] = log_add(sum[2 * i + j], twice[i] + once[j]);
  return sum;
}

double poisson_revealing(double rate, const SubsampledGaussianEvent& event, double alpha) {
  const double factor = alpha * (alpha - 1) / 2 / (event.noise_multiplier * event.noise_multiplier);
  const double everything = event.affected().clip_norms();
  if (event.replaced == 0 && event.added < kMostWeights)
    return log_expected_exponential(binomial_weights(event.added, rate), 0, factor);
  if (event.added == 0 && event.replaced < kMostWeights)
    return log_expected_exponential(binomial_weights(event.replaced, rate), 0, 4 * factor);
  if (event.replaced < kMostWeights && event.added < kMostWeights) {
    if ((event.replaced + 1) * (event.added + 1) <= kMostWeights)
      return log_expected_exponential(doubled_and_single(event.replaced, event.added, rate), 0, factor);
    // An added example moves the sum by less than a replaced one.
    return log_expected_exponential(binomial_weights(event.affected().count(), rate), 0, 4 * factor);
  }
  return factor * everything * everything;
}

/// In a batch of fixed size an example that is not there leaves its place to another, so that it too moves
/// the sum by up to 2 clip norms: added examples count as replaced.
double fixed_size_revealing(const FixedSizeSampling& sampling, const SubsampledGaussianEvent& event,
                            double alpha) {
  const double factor = 2 * alpha * (alpha - 1) / (event.noise_multiplier * event.noise_multiplier);
  const std::uint64_t affected = event.affected().among(sampling.population).count();
  const std::uint64_t most = std::min(affected, sampling.batch);
  if (most >= kMostWeights) return factor * as_double(most) * as_double(most);
  const auto [least, weights] = hypergeometric_weights(sampling.population, affected, sampling.batch);
  return log_expected_exponential(weights, as_double(least), factor);
}

// ---------------------------------------------------------------------------------------------------------------
// Integrals over the normal law by the trapezoidal rule on the whole line. If the integrand is analytic in
// the strip |Im u| < d and its integral along any line there is at most M, the error is below 2 M / (e^(2 pi
// d / h) - 1) (Trefethen and Weideman 2014, Theorem 5.1).

/// For the strip |Im u| < d: e^(d^2/2) is what the density grows by, and 34 nats remain.
double trapezoidal_step(double strip) {
  const double d = std::min(strip, 8.2);
  return 2 * std::numbers::pi * d / (36 + d * d / 2);
}

/// log of the integral of phi(u) e^(log_integrand(u)) over [low, high]; the ends must lie far in the tails.
template <typename LogIntegrand>
double log_gaussian_integral(double low, double high, double step, const LogIntegrand& log_integrand) {
  const auto points = static_cast<std::int64_t>(std::ceil((high - low) / step));
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(points) + 1);
  double largest = -kInfinity;
  for (std::int64_t i = 0; i <= points; ++i) {
    const double u = low + static_cast<double>(i) * step;
    values.push_back(log_integrand(u) - u * u / 2);
    largest = std::max(largest, values.back());
  }
  if (std::isinf(largest)) return largest;
  double sum = 0;
  for (const double value : values) sum += std::exp(value - largest);
  return largest + std::log(sum * step) - 0.5 * std::log(2 * std::numbers::pi);
}

/// log((1 + x)^alpha - 1 - alpha x) for x > -1: not negative by Bernoulli's inequality.
double log_bernoulli_excess(double x, double log1p_x, double alpha) {
  if (x == 0) return -kInfinity;
  if (std::abs(alpha * x) < 1e-2) {
    // alpha (alpha-1)/2 x^2 (1 + (alpha-2)/3 x + (alpha-2)(alpha-3)/12 x^2 + ...)
    double term = 1;
    double sum = 1;
    for (int n = 3; n < 12; ++n) {
      term *= (alpha - n + 1) / n * x;
      sum += term;
    }
    return std::log(alpha * (alpha - 1) / 2) + 2 * std::log(std::abs(x)) + std::log(sum);
  }
  // The same as (1+x) [(1+x)^(alpha-1) - 1 - (alpha-1) x/(1+x)], which keeps its digits when alpha is near 1.
  const double exponent = (alpha - 1) * log1p_x;
  if (exponent > 45)
    return alpha * log1p_x;  // leaves out less than e^-45 alpha of the whole, and would lower it
  const double share = x > 1e15 ? 1.0 : x / (1 + x);
  return log1p_x + std::log(std::expm1(exponent) - (alpha - 1) * share);
}

constexpr double kMostPoints = 1 << 15;
constexpr double kRoundingSlack =
    1e-12;  // relative, on moments: rounding and the error of the trapezoidal rule

}  // namespace

double poisson_added_log_moment(double rate, double noise_multiplier, double alpha) {
  const double c = 1 / noise_multiplier;
  if (rate == 1) return alpha * (alpha - 1) * c * c / 2;
  // With x = rate (e^w - 1), E x = 0 under N(0,1), so E (1+x)^alpha - 1 = E [(1+x)^alpha - 1 - alpha x]:
  // every value is positive and small moments keep their digits. (1+x)^alpha is analytic while |Im u| c < pi.
  const double step = trapezoidal_step(std::numbers::pi / c);
  const double low = -10;
  const double high =
      std::max(alpha, 2.0) * c + 10;  // the logarithm of the integrand rises no faster than that
  const double revealing = log1p_exp(std::log(rate) + log_expm1(alpha * (alpha - 1) * c * c / 2));
  if ((high - low) / step > kMostPoints) return revealing;
  const double log_rate = std::log(rate);
  const double log_excess = log_gaussian_integral(low, high, step, [&](double u) {
    const double w = c * u - c * c / 2;
    const double x = rate * std::expm1(std::min(w, 700.0));
    const double log1p_x = w > 600 ? log_rate + w : std::log1p(x);
    return log_bernoulli_excess(x, log1p_x, alpha);
  });
  return std::min(revealing, log1p_exp(log_excess + kRoundingSlack));
}

namespace {

// ---------------------------------------------------------------------------------------------------------------
// One replaced example. Fix everything but the example and, in a batch of fixed size, the place it takes:
// with probability g the sum is N(x) in one world and N(y) in the other, with 1 - g it is N(0) in both (unit
// covariance, the origin moved). Joint quasi-convexity over what was fixed leaves P = Q + g (p - p') with Q =
// (1-g) a + g p', and for integer alpha
//     E_Q (P/Q)^alpha = 1 + sum over j >= 2 of C(alpha, j) g^j E_Q ((p - p')/Q)^j,
// where by joint convexity of |s|^j / t^(j-1)
//     E_Q |(p - p')/Q|^j <= (1-g) E_a |(p - p')/a|^j + g E_p' |p/p' - 1|^j.
// Let r bound |x|, |y| and s bound |x - y|. Then
//   * E_p' |p/p' - 1|^j <= X_j(s), where X_j(s) bounds E |e^w - 1|^j, w ~ N(-s^2/2, s^2): exact for even j,
//   for odd j
//     by Cauchy and Schwarz from its neighbours; it grows with s by data processing;
//   * E_a |(p - p')/a|^j <= 2^j X_j(r) by Minkowski's inequality, and <= 2 e^(j(j-1) r^2/2) since |p - p'|^j
//   is at
//     most p^j + p'^j;
//   * for j = 2, E_a ((p - p')/a)^2 = e^|x|^2 + e^|y|^2 - 2 e^<x,y>, and 2 <x,y> >= |x|^2 + |y|^2 - s^2; the
//     derivative in |x|^2 is positive, so that it is largest at |x| = |y| = r: 2 e^(r^2) - 2 e^(r^2 - s^2/2).
// (Poisson: r = c, s = 2c. Fixed size: r = s = 2c, since another example takes the place.) Wang, Balle and
// Kasiviswanathan have the same expansion with other constants. Between integers the log moment, which is
// convex in alpha and 0 at 1, lies below the chord.

/// log E (e^w - 1)^j for even j, w ~ N(-s^2/2, s^2). Entire, so the step may be chosen freely.
double log_even_moment(int j, double s) {
  return log_gaussian_integral(-10 - std::sqrt(j), j * s + 10 + std::sqrt(j), j > 64 ? 0.25 : 0.5,
                               [&](double u) {
                                 const double w = s * u - s * s / 2;
                                 const double log_size = w > 0 ? log_expm1(w) : std::log(-std::expm1(w));
                                 return j * log_size;
                               });
}

constexpr int kLargestExpandedOrder = 64;

struct LogMoments {
  std::vector<double> log_x;  // by j; for odd j by Cauchy and Schwarz
  LogMoments(int most, double s) : log_x(static_cast<std::size_t>(most) + 2, 0.0) {
    for (int j = 2; j <= most + 1; j += 2) log_x[static_cast<std::size_t>(j)] = log_even_moment(j, s);
    for (std::size_t j = 3; j <= static_cast<std::size_t>(most); j += 2)
      log_x[j] = (log_x[j - 1] + log_x[j + 1]) / 2;
  }
};

/// Below the chord between integer orders, `at_integer` giving log moments from order 2 on.
template <typename AtInteger>
double interpolated_log_moment(double alpha, const AtInteger& at_integer) {
  if (alpha <= 2) return (alpha - 1) * at_integer(2);
  const double below = std::floor(alpha);
  const double share = alpha - below;
  const double low = at_integer(static_cast<int>(below));
  return share == 0 ? low : (1 - share) * low + share * at_integer(static_cast<int>(below) + 1);
}

double log_choose(int n, int k) {
  // The reentrant form: std::lgamma writes the sign to a variable that all threads share.
  const auto log_factorial = [](double m) {
    int sign = 0;
    return ::lgamma_r(m + 1.0, &sign);
  };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

double replaced_log_moment(const Sampling& sampling, double noise_multiplier, double alpha) {
  if (!(alpha < kLargestExpandedOrder)) return kInfinity;
  const auto* poisson = std::get_if<PoissonSampling>(&sampling);
  const auto* fixed = std::get_if<FixedSizeSampling>(&sampling);
  const double rate =
      poisson != nullptr ? poisson->rate : as_double(fixed->batch) / as_double(fixed->population);
  const double s = 2 / noise_multiplier;
  const double r = poisson != nullptr ? s / 2 : s;
  const int most = std::max(2, static_cast<int>(std::ceil(alpha)));
  // Beyond this the expansion gains nothing, and the integrals would need many points.
  if (most * s > 1000) return kInfinity;
  const LogMoments from_reference(most, r);
  const LogMoments between(most, s);
  return interpolated_log_moment(alpha, [&](int order) {
    double log_excess = -kInfinity;
    for (int j = 2; j <= order; ++j) {
      const auto index = static_cast<std::size_t>(j);
      double reference = std::min(j * std::numbers::ln2 + from_reference.log_x[index],
                                  std::numbers::ln2 + j * (j - 1) * r * r / 2);
      if (j == 2)
        reference = std::min(reference, std::numbers::ln2 + r * r + std::log(-std::expm1(-s * s / 2)));
      const double moment = log_add(std::log1p(-rate) + reference, std::log(rate) + between.log_x[index]);
      log_excess = log_add(log_excess, log_choose(order, j) + j * std::log(rate) + moment);
    }
    return log1p_exp(log_excess + kRoundingSlack);
  });
}

double published_replaced_log_moment(double rate, double noise_multiplier, double alpha) {
  const double s = 1 / noise_multiplier;
  const double unamplified = alpha * (alpha - 1) * s * s / 2;
  if (!(alpha < 4 * kLargestExpandedOrder) || alpha * s > 1000) return unamplified;
  const int most = std::max(2, static_cast<int>(std::ceil(alpha)));
  const LogMoments moments(most, s);
  const double amplified = interpolated_log_moment(alpha, [&](int order) {
    double log_excess = log_choose(order, 2) + 2 * std::log(rate) +
                        std::min(std::log(4.0) + log_expm1(s * s), std::numbers::ln2 + s * s);
    for (int j = 3; j <= order; ++j) {
      const double moment = std::min(std::log(4.0) + moments.log_x[static_cast<std::size_t>(j)],
                                     std::numbers::ln2 + j * (j - 1) * s * s / 2);
      log_excess = log_add(log_excess, log_choose(order, j) + j * std::log(rate) + moment);
    }
    return log1p_exp(log_excess);
  });
  return std::min(unamplified, amplified);
}

double subsampled_gaussian_log_moment(const SubsampledGaussianEvent& event, double alpha) {
  const auto* poisson = std::get_if<PoissonSampling>(&event.sampling);
  double best = poisson != nullptr
                    ? poisson_revealing(poisson->rate, event, alpha)
                    : fixed_size_revealing(std::get<FixedSizeSampling>(event.sampling), event, alpha);
  if (poisson != nullptr && event.added == 1 && event.replaced == 0)
    best = std::min(best, poisson_added_log_moment(poisson->rate, event.noise_multiplier, alpha));
  const bool one_replaced = (event.replaced == 1 && event.added == 0) ||
                            (event.added == 1 && event.replaced == 0 && poisson == nullptr);
  if (one_replaced) best = std::min(best, replaced_log_moment(event.sampling, event.noise_multiplier, alpha));
  return best;
}

double dpgnn_log_moment(const DpGnnEvent& event, double alpha) {
  const double unit = 1 / (event.noise_multiplier * as_double(event.max_degree + 1));
  const double factor = alpha * (alpha - 1) / 2 * unit * unit;
  const std::uint64_t affected = event.max_degree + 1;
  const std::uint64_t most = std::min(affected, event.batch);
  if (most >= kMostWeights) return factor * as_double(most) * as_double(most);
  const auto [least, weights] = hypergeometric_weights(event.nodes, affected, event.batch);
  return log_expected_exponential(weights, as_double(least), factor);
}

}  // namespace privet::privacy
