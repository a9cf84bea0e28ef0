#include "privet/accounting/pld_tilted_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "privet/accounting/pld_minimiser.hpp"

// Terms as in pld_composition.cpp.
//
// Upper bound: masses plus the transform's error, the wrapped mass times f_max, the truncated mass at
// infinity.
//
// Lower bound. A dot takes over losses L from the two gaps beside it: L^ = L + D with E[e^-D | L] = 1 and D
// within a range of at most the gap w, so by Hoeffding's lemma E[e^(s D) | L] <= exp((s + s^2) w^2 / 8) for s
// > 0. Where the sum of all D is at most h, (1 - e^(epsilon + h - S^))+ <= (1 - e^(epsilon - S))+; the rest
// is bounded by f_max e^(K - t (epsilon + h)) times e^(-u h) E~[e^(u sum of D)], for every u > 0. So
// delta(epsilon) is at least the discretised delta(epsilon + h) less that.

namespace privet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double loss_at(const TiltedSum& tilted, std::size_t cell) {
  return static_cast<double>(tilted.sum.first + static_cast<std::int64_t>(cell)) * tilted.interval;
}

// E~[f] at the cells of the window, from the top down, without a single exponential:
// above = E~[e^(-t (S - epsilon)); S > epsilon] and value = E~[f(S - epsilon)].
class Descent {
 public:
  Descent(const TiltedSum& tilted, double error)
      : tilted_(tilted),
        error_(error),
        cell_(tilted.sum.mass.size() - 1),
        fade_(std::exp(-tilted.tilt * tilted.interval)),
        decay_(std::exp(-(1 + tilted.tilt) * tilted.interval)),
        lift_(-std::expm1(-tilted.interval)) {}

  [[nodiscard]] std::size_t cell() const { return cell_; }
  [[nodiscard]] double value() const { return value_; }
  [[nodiscard]] double error() const { return error_value_; }

  void step_down() {
    above_ = fade_ * (above_ + tilted_.sum.mass[cell_] + error_);
    value_ = decay_ * value_ + lift_ * above_;
    error_above_ = fade_ * (error_above_ + error_);
    error_value_ = decay_ * error_value_ + lift_ * error_above_;
    --cell_;
  }

 private:
  const TiltedSum& tilted_;
  double error_;
  std::size_t cell_;
  double fade_;
  double decay_;
  double lift_;
  double above_ = 0;
  double value_ = 0;
  double error_above_ = 0;
  double error_value_ = 0;
};

// How far the sum of all D can reach but for a tilted probability of e^log_failure: the h of the lower bound.
double slack_of_dots(const TiltedSum& tilted, double log_failure) {
  struct Gap {
    double width;
    double mass;
  };
  double certain = 0;
  std::vector<std::pair<double, std::vector<Gap>>> gaps;
  for (const Steps& step : tilted.steps) {
    const double log_norm = cumulant(step.loss, tilted.tilt).value;
    std::vector<Gap> list;
    double widest = 0;
    for (std::size_t i = 0; i < step.loss.index.size(); ++i) {
      const double mass =
          std::exp(step.loss.log_mass[i] +
                   tilted.tilt * static_cast<double>(step.loss.index[i]) * tilted.interval - log_norm);
      widest = std::max(widest, step.loss.gap[i]);
      if (mass == 0) continue;
      if (!list.empty() && list.back().width == step.loss.gap[i]) {
        list.back().mass += mass;
      } else {
        list.push_back({step.loss.gap[i], mass});
      }
    }
    certain += step.times * widest;
    gaps.emplace_back(step.times, std::move(list));
  }
  const auto reach = [&](double u) {
    const double factor = (tilted.tilt + u) * (1 + tilted.tilt + u) / 8;
    double log_mean = 0;
    for (const auto& [times, list] : gaps) {
      double excess = 0;
      for (const Gap& gap : list) excess += gap.mass * std::expm1(factor * gap.width * gap.width);
      log_mean += times * std::log1p(excess);
    }
    return (log_mean - log_failure) / u;
  };
  return std::min(certain, reach(minimiser(reach)));
}

// Relative errors of the masses that only ever raise them.
double mass_rounding(const TiltedSum& tilted) { return 1e-9 + 4e-10 * tilted.count; }

// Share of f_max that the lower bound gives up for failures of its coupling, relative to E~[f] itself.
constexpr double kLowerShare = 1e-3;

}  // namespace

CumulantPoint total_cumulant(const std::vector<Steps>& steps, double order) {
  CumulantPoint total;
  for (const Steps& step : steps) {
    const CumulantPoint point = cumulant(step.loss, order);
    total.value += step.times * point.value;
    total.mean += step.times * point.mean;
    total.variance += step.times * point.variance;
  }
  return total;
}

double log_peak(double tilt) { return -tilt * std::log1p(1 / tilt) - std::log1p(tilt); }

Bounds epsilon_of(const TiltedSum& tilted, double delta) {
  const double finite = delta - tilted.infinity;
  if (!(finite > 0)) return {.lower = 0, .upper = kInfinity};
  const double log_finite = std::log(finite);
  const double log_f = log_peak(tilted.tilt);
  const double peak = std::exp(log_f);
  const double chernoff = std::max(0.0, (tilted.log_norm + log_f - log_finite) / tilted.tilt);
  Bounds bounds{.lower = 0, .upper = chernoff};

  // delta in units of e^(K - t epsilon) at a cell.
  const auto level = [&](double log_target, std::size_t cell) {
    return std::exp(log_target - tilted.log_norm + tilted.tilt * loss_at(tilted, cell));
  };
  const double tail = tilted.wrapped * peak;
  Descent descent(tilted, tilted.sum.error);
  double previous = descent.value();
  double crossing_level = 0;
  bool starts_below = previous + tail <= level(log_finite, descent.cell());
  while (starts_below && descent.cell() > 0 && loss_at(tilted, descent.cell()) > 0) {
    descent.step_down();
    const double wanted = level(log_finite, descent.cell());
    const double value = descent.value() + tail;
    if (value > wanted) {
      const double next = (previous + tail) * std::exp(-tilted.tilt * tilted.interval);
      const double share = std::clamp((value - wanted) / (value - next), 0.0, 1.0);
      const double h = tilted.interval;
      const double offset =
          h > 1 ? h + std::log(share + (1 - share) * std::exp(-h)) : std::log1p(share * std::expm1(h));
      bounds.upper = std::min(bounds.upper, std::max(0.0, loss_at(tilted, descent.cell()) + offset));
      crossing_level = wanted;
      break;
    }
    previous = descent.value();
  }
  if (starts_below && crossing_level == 0)
    bounds.upper = std::min(bounds.upper, std::max(0.0, loss_at(tilted, descent.cell())));
  if (bounds.upper == 0 || crossing_level == 0) return bounds;

  const double failure = std::min(1.0, kLowerShare * crossing_level / peak);
  const double slack = slack_of_dots(tilted, std::log(failure));
  const double given_up = (2 * tilted.wrapped + failure + tilted.below) * peak;
  const double log_target = std::log(delta) + mass_rounding(tilted);
  Descent again(tilted, tilted.sum.error);
  while (again.cell() > 0 && loss_at(tilted, again.cell()) > 0) {
    again.step_down();
    if (again.value() - 2 * again.error() - given_up >= level(log_target, again.cell())) {
      bounds.lower = std::clamp(loss_at(tilted, again.cell()) - slack, 0.0, bounds.upper);
      break;
    }
  }
  return bounds;
}

Bounds delta_of(const TiltedSum& tilted, double epsilon) {
  const double peak = std::exp(log_peak(tilted.tilt));
  const auto scale = [&](double loss) { return std::exp(tilted.log_norm - tilted.tilt * loss); };
  Bounds bounds{.lower = 0, .upper = std::min(1.0, scale(epsilon) * peak + tilted.infinity)};
  if (!(bounds.upper <= 1)) bounds.upper = 1;

  const auto value_above = [&](double loss) {  // at the cell at or above a loss, and at the one below it
    struct Values {
      double at = 0, before = 0, error = 0, cell_loss = 0;
      bool found = false;
    } values;
    Descent descent(tilted, tilted.sum.error);
    while (descent.cell() > 0) {
      const double at = loss_at(tilted, descent.cell());
      if (at < loss) break;
      values = {descent.value(), 0, descent.error(), at, true};
      descent.step_down();
      values.before = descent.value();
    }
    return values;
  };
  const auto here = value_above(epsilon);
  if (here.found) {
    const double tail = tilted.wrapped * peak;
    const double after = scale(here.cell_loss) * (here.at + tail);
    const double before = scale(here.cell_loss - tilted.interval) * (here.before + tail);
    // On the chord between the two cells, in e^epsilon.
    const double share =
        std::clamp(-std::expm1(epsilon - here.cell_loss) / -std::expm1(-tilted.interval), 0.0, 1.0);
    const double upper = after + share * (before - after) + tilted.infinity;
    if (upper < bounds.upper) bounds.upper = upper;
    const double failure = std::min(1.0, kLowerShare * here.at / peak);
    if (failure > 0) {
      const double slack = slack_of_dots(tilted, std::log(failure));
      const auto there = value_above(epsilon + slack);
      const double given_up = (2 * tilted.wrapped + failure + tilted.below) * peak;
      const double lower = scale(there.cell_loss) * (there.at - 2 * there.error - given_up);
      if (there.found && lower > 0)
        bounds.lower = std::min(bounds.upper, lower * std::exp(-mass_rounding(tilted)));
    }
  }
  return bounds;
}

}  // namespace privet::privacy
