#include "privet/base/minimize.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

namespace privet {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Pair {
  std::vector<double> step;
  std::vector<double> change;  // of the gradient
  double curvature;            // step . change
};

// The direction -H gradient, H the inverse Hessian that the pairs suggest.
std::vector<double> direction_of(const std::deque<Pair>& pairs, std::span<const double> gradient) {
  std::vector<double> direction(gradient.begin(), gradient.end());
  std::vector<double> shares(pairs.size());
  for (std::size_t k = pairs.size(); k-- > 0;) {
    shares[k] = dot(pairs[k].step, direction) / pairs[k].curvature;
    for (std::size_t i = 0; i < direction.size(); ++i) direction[i] -= shares[k] * pairs[k].change[i];
  }
  if (!pairs.empty()) {
    const double scale = pairs.back().curvature / dot(pairs.back().change, pairs.back().change);
    for (double& value : direction) value *= scale;
  }
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const double share = dot(pairs[k].change, direction) / pairs[k].curvature;
    for (std::size_t i = 0; i < direction.size(); ++i)
      direction[i] += (shares[k] - share) * pairs[k].step[i];
  }
  for (double& value : direction) value = -value;
  return direction;
}

}  // namespace

std::vector<double> minimize(const SmoothFunction& function, std::vector<double> x,
                             const MinimizeOptions& options) {
  constexpr double kSufficient = 1e-4;
  constexpr int kHalvings = 40;
  std::vector<double> gradient(x.size());
  std::vector<double> next(x.size());
  std::vector<double> next_gradient(x.size());
  double value = function(x, gradient);
  std::deque<Pair> pairs;
  for (std::uint64_t step = 0; step < options.steps; ++step) {
    const double steepest = std::transform_reduce(
        gradient.begin(), gradient.end(), 0.0, [](double a, double b) { return std::max(a, b); },
        [](double slope) { return std::abs(slope); });
    if (!(steepest > options.gradient_tolerance)) break;
    std::vector<double> direction = direction_of(pairs, gradient);
    double slope = dot(direction, gradient);
    if (!(slope < 0)) {
      pairs.clear();
      direction = direction_of(pairs, gradient);
      slope = dot(direction, gradient);
    }
    // Without a guess of the curvature the gradient's length says nothing: start with a step of length 1.
    double length = pairs.empty() ? std::min(1.0, 1 / std::sqrt(-slope)) : 1;
    double next_value = value;
    bool found = false;
    for (int halving = 0; halving < kHalvings && !found; ++halving) {
      for (std::size_t i = 0; i < x.size(); ++i) next[i] = x[i] + length * direction[i];
      next_value = function(next, next_gradient);
      found = std::isfinite(next_value) && next_value <= value + kSufficient * length * slope;
      if (!found) length /= 2;
    }
    if (!found) break;
    Pair pair{std::vector<double>(x.size()), std::vector<double>(x.size()), 0};
    for (std::size_t i = 0; i < x.size(); ++i) {
      pair.step[i] = next[i] - x[i];
      pair.change[i] = next_gradient[i] - gradient[i];
    }
    pair.curvature = dot(pair.step, pair.change);
    if (pair.curvature > 1e-12 * dot(pair.change, pair.change)) {
      pairs.push_back(std::move(pair));
      if (pairs.size() > options.memory) pairs.pop_front();
    }
    const double gained = value - next_value;
    std::swap(x, next);
    std::swap(gradient, next_gradient);
    value = next_value;
    if (gained <= options.decrease_tolerance * std::max(1.0, std::abs(value))) break;
  }
  return x;
}

}  // namespace privet
