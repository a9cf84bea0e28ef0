#include "privet/accounting/pld_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

// Connecting the dots. As a function of g = e^epsilon the profile delta of a pair (P, Q) is convex,
// decreasing, at least 1 - g, and 1 at g = 0; each such function is the profile of a pair, and where it is
// piecewise linear the losses of that pair are the logarithms of its kinks. So the polygon through the points
// of a profile at a set of dots dominates the profile. Masses follow from the dot furthest out inwards: with
// D_d the polygon at dot d, A_d the mass above it, and w the distance to the next dot up,
//
//     D_d = e^-w D_next + (1 - e^-w) A_d,    A_d = A_next + mass at next,
//
// (since (1 - e^(d-L)) = e^-w (1 - e^(next-L)) + 1 - e^-w for L above d), where nothing is subtracted but in
// solving for A_d. D_d is what has been built so far, rounding errors included, and A_d is chosen to lift it
// to the profile or left alone if it is there already; so the polygon is never below the profile, even if
// rounding or a bound in place of the profile is not convex. Above the last dot the polygon is constant: a
// mass at infinity.
//
// Below 0 the profile is 1 - g + g delta'(1/g), with delta' the profile of (Q, P); masses r_d of that polygon
// are the masses r_d e^-d of P at -d. What remains of P lies at 0. The polygon so pieced together bounds the
// profile below 0 as well if it is at 0 at least what that of (Q, P) is there; if it is not, mass is moved
// from 0 to the first dot above. Mass of P below the last dot counts as lying at 0.

namespace privet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// More than the rounding error of the sum of all masses.
constexpr double kMassRounding = 1e-14;

template <typename Function>
double first_below(Function decreasing, double level) {
  double high = 1;
  while (decreasing(high) > level && high < 1e18) high *= 2;
  double low = high / 2;
  while (decreasing(low) <= level) {
    high = low;
    low /= 2;
    if (low < 1e-250) return 0;
  }
  for (int i = 0; i < 12; ++i) {
    const double middle = (low + high) / 2;
    (decreasing(middle) > level ? low : high) = middle;
  }
  return high;
}

// Dots on one side of 0, from 0 outwards, the last at or beyond `cut`.
std::vector<std::int64_t> dots(double cut, const LossGrid& grid) {
  auto last = static_cast<std::int64_t>(std::ceil(cut / grid.interval));
  if (static_cast<double>(last) * grid.interval < cut) ++last;  // rounding must not cut off the largest loss
  const double widest = std::max(grid.highest, -grid.lowest) / grid.interval / grid.per_range;
  std::vector<std::int64_t> list = {0};
  while (list.back() < last) {
    const double wish = std::min(static_cast<double>(list.back()) / grid.per_octave, widest);
    list.push_back(std::min(last, list.back() + std::max<std::int64_t>(1, static_cast<std::int64_t>(wish))));
  }
  return list;
}

// The polygon over the dots of one side. Mass at dot 0 is left out.
struct Side {
  std::vector<std::int64_t> index;
  std::vector<double> log_mass;
  double infinity = 0;
  double at_zero = 0;  // the polygon at epsilon 0
  double total = 0;    // of all masses, that at infinity included
};

Side connect(const Profile& profile, PairOrder order, std::vector<std::int64_t> index, double interval) {
  Side side;
  side.index = std::move(index);
  const std::size_t count = side.index.size();
  side.log_mass.assign(count, -kInfinity);
  // All relative to e^level, the profile at the current dot, because it may be below the smallest double.
  double level = log_delta(profile, order, static_cast<double>(side.index.back()) * interval);
  double polygon = level == -kInfinity ? 0 : 1;
  double above = polygon;
  side.infinity = std::exp(level);
  for (std::size_t i = count - 1; i-- > 0;) {
    const double next_level = log_delta(profile, order, static_cast<double>(side.index[i]) * interval);
    if (next_level == -kInfinity) continue;
    const double scale = level == -kInfinity ? 0 : std::exp(level - next_level);
    const double width = static_cast<double>(side.index[i + 1] - side.index[i]) * interval;
    const double lifted = polygon * scale * std::exp(-width);
    const double kept = above * scale;
    above = std::max(kept, (1 - lifted) / -std::expm1(-width));
    if (above > kept) side.log_mass[i + 1] = next_level + std::log(above - kept);
    polygon = lifted - std::expm1(-width) * above;
    level = next_level;
  }
  side.at_zero = polygon * std::exp(level);
  side.total = above * std::exp(level);
  return side;
}

}  // namespace

double upper_cut(const Profile& profile, PairOrder order, double log_tail) {
  const double cut = first_below([&](double x) { return log_delta(profile, order, x); }, log_tail);
  return std::min(cut, largest_loss(profile));
}

double lower_cut(const Profile& profile, PairOrder order, double log_tail) {
  const double cut =
      first_below([&](double x) { return log_delta(profile, opposite(order), x) - x; }, log_tail);
  return -std::min(cut, largest_loss(profile));
}

LossDistribution discretise(const Profile& profile, PairOrder order, const LossGrid& grid) {
  const Side up = connect(profile, order, dots(grid.highest, grid), grid.interval);
  const Side down = connect(profile, opposite(order), dots(-grid.lowest, grid), grid.interval);

  LossDistribution result;
  result.interval = grid.interval;
  result.infinity = up.infinity;
  const std::size_t zero = down.index.size() - 1;
  result.index.reserve(zero + up.index.size());
  double below_zero = 0;
  for (std::size_t i = zero; i > 0; --i) {
    const double mass = down.log_mass[i] - static_cast<double>(down.index[i]) * grid.interval;
    result.index.push_back(-down.index[i]);
    result.log_mass.push_back(mass);
    below_zero += std::exp(mass);
  }
  result.index.insert(result.index.end(), up.index.begin(), up.index.end());
  result.log_mass.insert(result.log_mass.end(), up.log_mass.begin(), up.log_mass.end());

  double above_zero = up.total;
  if (down.at_zero > up.at_zero) {
    const double lift = down.at_zero / up.at_zero;
    for (std::size_t i = zero + 1; i < result.index.size(); ++i) result.log_mass[i] += std::log(lift);
    result.infinity *= lift;
    above_zero *= lift;
  }
  result.log_mass[zero] = std::log(std::max(0.0, 1 - above_zero - below_zero) + kMassRounding);

  const std::size_t count = result.index.size();
  result.gap.assign(count, grid.interval);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const double width = static_cast<double>(result.index[i + 1] - result.index[i]) * grid.interval;
    result.gap[i] = std::max(result.gap[i], width);
    result.gap[i + 1] = std::max(result.gap[i + 1], width);
  }

  // P[L < -x] <= e^-x Q[L < -x], and Q[L < -x] (1 - e^-w) <= delta'(x - w) for any w > 0.
  const double depth = static_cast<double>(down.index.back()) * grid.interval;
  if (depth < largest_loss(profile)) {
    double survival = 1;
    for (double w = depth / 2; w > depth * 1e-6; w /= 2) {
      const double profile_there = std::exp(log_delta(profile, opposite(order), depth - w));
      survival = std::min(survival, profile_there / -std::expm1(-w));
    }
    result.below = std::exp(-depth) * survival;
  }
  return result;
}

CumulantPoint cumulant(const LossDistribution& distribution, double order) {
  const std::size_t count = distribution.index.size();
  const double rate = order * distribution.interval;
  double largest = -kInfinity;
  for (std::size_t i = 0; i < count; ++i)
    largest = std::max(largest, distribution.log_mass[i] + rate * static_cast<double>(distribution.index[i]));
  double sum = 0;
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto k = static_cast<double>(distribution.index[i]);
    const double weight = std::exp(distribution.log_mass[i] + rate * k - largest);
    sum += weight;
    first += weight * k;
    second += weight * k * k;
  }
  const double mean = first / sum;
  return {
      .value = largest + std::log(sum),
      .mean = mean * distribution.interval,
      .variance = std::max(0.0, second / sum - mean * mean) * distribution.interval * distribution.interval};
}

}  // namespace privet::privacy
