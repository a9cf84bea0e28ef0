#include <gtest/gtest.h>

#include <cmath>

#include "contractive_worlds.hpp"
#include "privet/accounting/event.hpp"
#include "privet/accounting/gaussian_dp.hpp"

/// The theorem on which ContractiveHops rests, against what can be computed exactly.
namespace privet::privacy::testing {
namespace {

// m^T S^-1 m by elimination; S is positive definite.
double mahalanobis(Dense s, std::vector<double> m) {
  const std::size_t n = m.size();
  std::vector<double> right = m;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = i + 1; k < n; ++k) {
      const double factor = s[k][i] / s[i][i];
      for (std::size_t j = i; j < n; ++j) s[k][j] -= factor * s[i][j];
      right[k] -= factor * right[i];
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += right[i] * right[i] / s[i][i];
  return sum;
}

// The mu of the last state of x <- L x + shift + N(0, 1) against the same without the shift: two Gaussians of
// equal covariance sum L^k (L^k)^T, whose means are sum L^k shift apart.
double exact_mu(const Dense& l, const std::vector<double>& shift, int hops) {
  const std::size_t n = shift.size();
  Dense power(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) power[i][i] = 1;
  Dense covariance(n, std::vector<double>(n));
  std::vector<double> mean(n);
  for (int hop = 0; hop < hops; ++hop) {
    Dense next(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        mean[i] += power[i][j] * shift[j];
        for (std::size_t k = 0; k < n; ++k) {
          covariance[i][j] += power[i][k] * power[j][k];
          next[i][j] += l[i][k] * power[k][j];
        }
      }
    }
    power = next;
  }
  return std::sqrt(mahalanobis(covariance, mean));
}

double theorem(double contraction, std::uint64_t hops, double moved) {
  return gaussian_dp_mu(ContractiveGaussianEvent{contraction, hops, 1 / moved});
}

TEST(ContractiveTheorem, IsAttainedByScaling) {
  for (const double contraction : {0.1, 0.5, 0.8, 0.9, 0.99}) {
    for (const int hops : {1, 2, 5, 20, 100}) {
      Dense l(3, std::vector<double>(3));
      for (std::size_t i = 0; i < 3; ++i) l[i][i] = contraction;
      EXPECT_NEAR(exact_mu(l, {0.3, 0, 0.4}, hops),
                  theorem(contraction, static_cast<std::uint64_t>(hops), 0.5), 1e-6)
          << contraction << " " << hops;
    }
  }
}

TEST(ContractiveTheorem, HoldsForLayersOfGraphs) {
  SeededStream stream(4);
  double closest = 0;
  for (int trial = 0; trial < 200; ++trial) {
    World world(6, 1);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (stream.below(2) == 0) world.flip(i, j, true);
    const double contraction = 0.3 + 0.69 * stream.uniform();
    Dense l = layer_matrix(world, {.bound = 1 + stream.below(3), .graph_share = stream.uniform()});
    for (auto& row : l)
      for (double& value : row) value *= contraction;
    std::vector<double> shift(6);
    double squares = 0;
    for (double& value : shift) {
      value = 2 * stream.uniform() - 1;
      squares += value * value;
    }
    const int hops = 1 + static_cast<int>(stream.below(30));
    const double exact = exact_mu(l, shift, hops);
    const double bound = theorem(contraction, static_cast<std::uint64_t>(hops), std::sqrt(squares));
    EXPECT_LE(exact, bound * (1 + 1e-9));
    if (hops > 1) closest = std::max(closest, exact / bound);
  }
  EXPECT_GT(closest, 0.7);
}

// Rows scaled *to* norm 1, as GAP does, instead of down to it. One number per node, so that a row becomes its
// sign; node 1 hears the edge, node j + 1 hears node j, however softly: with noise far below the contraction
// the sign is handed on unharmed, and after K hops the line holds the signs of K independent noisy looks at
// the edge. The event "all of them positive" alone shows a larger epsilon than the theorem allows.
TEST(ContractiveTheorem, FailsOnTheSphere) {
  constexpr double kDelta = 1e-5;
  constexpr double kMoved = 0.5;  // in standard deviations of the noise
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2)) / 2; };
  const auto seen = [&](double hops) {
    const double with = std::pow(phi(kMoved / 2), hops);
    const double without = std::pow(phi(-kMoved / 2), hops);
    return std::log((with - kDelta) / without);
  };
  // Handing on with contraction 0.1 and noise of 0.01 fails with probability phi(-10).
  EXPECT_LT(20 * phi(-10), 1e-20);
  for (const double contraction : {0.1, 0.5}) {
    const double claimed = gaussian_epsilon(theorem(contraction, 20, kMoved), kDelta);
    EXPECT_GT(seen(20), 2 * claimed);
  }
  // privacy study of CARIBOU, section 2.3: claimed 2.23 and 3.71, true at least 7.67.
  EXPECT_NEAR(gaussian_epsilon(theorem(0.1, 20, kMoved), kDelta), 2.23, 0.005);
  EXPECT_NEAR(gaussian_epsilon(theorem(0.5, 20, kMoved), kDelta), 3.71, 0.005);
  EXPECT_NEAR(seen(20), 7.67, 0.005);
}

}  // namespace
}  // namespace privet::privacy::testing
