#pragma once

#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "privet/base/binomial.hpp"

namespace privet::privacy::testing {

/// How often one event happened in each of two worlds.
struct TwoWorlds {
  std::uint64_t draws = 0;
  std::uint64_t likely = 0;    ///< hits in the world that favours the event
  std::uint64_t unlikely = 0;  ///< hits in the other
};

/// A lower bound on epsilon that holds at confidence 1 - 2 `doubt`: any (epsilon, delta)-DP mechanism has
/// likely <= e^epsilon unlikely + delta. The event must have been fixed before the draws.
inline double measured_epsilon(const TwoWorlds& seen, double delta = 0, double doubt = 1e-6) {
  const double likely = probability_at_least(seen.likely, seen.draws, doubt);
  const double unlikely = probability_at_most(seen.unlikely, seen.draws, doubt);
  return likely <= delta ? 0 : std::fmax(0, std::log((likely - delta) / unlikely));
}

/// delta(epsilon) of the Gaussian mechanism with mu = sensitivity / stddev (Balle, Wang 2018, Theorem 8).
inline double gaussian_delta(double mu, double epsilon) {
  const boost::math::normal standard;
  return cdf(standard, mu / 2 - epsilon / mu) - std::exp(epsilon) * cdf(standard, -mu / 2 - epsilon / mu);
}

inline double gaussian_epsilon(double mu, double delta) {
  double low = 0;
  double high = 100;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (gaussian_delta(mu, middle) > delta ? low : high) = middle;
  }
  return high;
}

/// The probability that counts as far from `probabilities` as these, or farther, come up by chance (Pearson's
/// test). Cells expected fewer than 20 times are joined with their neighbours; what the probabilities leave
/// over is one more cell, with the draws that are in none of `counts`.
inline double chance_of(const std::vector<std::uint64_t>& counts, const std::vector<double>& probabilities,
                        std::uint64_t draws) {
  double statistic = 0;
  double cells = 0;
  double seen = 0;
  double expected = 0;
  double all_seen = 0;
  double all_expected = 0;
  const auto n = static_cast<double>(draws);
  const auto close_cell = [&] {
    statistic += (seen - expected) * (seen - expected) / expected;
    ++cells;
    seen = expected = 0;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += static_cast<double>(counts[i]);
    expected += probabilities[i] * n;
    all_seen += static_cast<double>(counts[i]);
    all_expected += probabilities[i] * n;
    if (expected >= 20 && n - all_expected >= 20) close_cell();
  }
  seen += n - all_seen;
  expected += std::fmax(0, n - all_expected);
  close_cell();
  return boost::math::gamma_q((cells - 1) / 2, statistic / 2);
}

}  // namespace privet::privacy::testing
