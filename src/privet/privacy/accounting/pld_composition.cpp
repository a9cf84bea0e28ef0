#include "privet/privacy/accounting/pld_composition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "privet/privacy/accounting/pld_convolution.hpp"
#include "privet/privacy/accounting/pld_distribution.hpp"

// The loss of a composition is the sum S of independent losses of its steps, and delta(epsilon) = E[(1 -
// e^(epsilon - S))+]. Every step is replaced by a dominating one on a grid (pld_distribution.cpp), whose sum
// has a distribution that a Fourier transform finds.
//
// Tilting. A transform errs by about 1e-16 everywhere, far too much for small deltas. So each step's masses
// are multiplied by e^(t loss) / M(t), M the moment generating function, which gives a distribution again,
// and
//
//     delta(epsilon) = e^(K - t epsilon) E~[f(S - epsilon)],   f(x) = e^(-t x) (1 - e^-x)+,
//
// with K = sum of log M(t) over all steps and E~ over the tilted sum. f is at most f_max = t^t / (1+t)^(1+t).
// The tilt t that minimises e^(K - t epsilon) f_max, which is the Chernoff bound of delta, centres the tilted
// sum where it counts, so that errors are relative to delta, however small that is.
//
// Window. The transform wraps the tilted sum into a window of the grid. Masses outside have a probability
// that Markov's inequality bounds on either side, and change E~[f] by at most that times f_max, as everything
// does that goes wrong with a small probability under the tilted law.
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

constexpr double kLogWrapped = -19;      // log of the tilted probability let outside the window, on each side
constexpr double kLogTruncated = -14;    // log of the share of delta that truncation may take
constexpr double kLogBelow = -25;        // log of the probability that may lie below the lowest dots
constexpr double kLogLeastDelta = -705;  // nothing below e^this is told apart
constexpr double kMostOctaves = 20;      // log2 of the number of cells of the window

struct Question {
  std::optional<double> delta;  // for its epsilon, or else
  double epsilon = 0;           // for its delta
};

struct Steps {
  LossDistribution loss;
  double times = 1;
};

struct Cut {
  double highest = 0;
  double lowest = 0;
};

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

// log f_max.
double log_peak(double tilt) { return -tilt * std::log1p(1 / tilt) - std::log1p(tilt); }

// Minimiser over the positive numbers of a function with one valley.
template <typename Function>
double minimiser(Function function, double low = 1e-9, double high = 1e12) {
  constexpr double kGolden = 0.6180339887498949;
  double a = std::log(low);
  double b = std::log(high);
  double x = b - kGolden * (b - a);
  double y = a + kGolden * (b - a);
  double at_x = function(std::exp(x));
  double at_y = function(std::exp(y));
  while (b - a > 0.02) {
    if (at_x <= at_y) {
      b = y;
      y = x;
      at_y = at_x;
      x = b - kGolden * (b - a);
      at_x = function(std::exp(x));
    } else {
      a = x;
      x = y;
      at_x = at_y;
      y = a + kGolden * (b - a);
      at_y = function(std::exp(y));
    }
  }
  return std::exp((a + b) / 2);
}

// What a first look at coarse distributions decides. Nothing here has to be exact: every bound is computed
// anew.
struct Plan {
  double tilt = 1;
  double rise = 1;  // orders of Markov's inequality for the two ends of the window
  double fall = 1;
  double epsilon = 0;
  double log_delta = 0;
  double interval = 0;
  std::size_t cells = 0;
};

double highest_sum(const std::vector<Steps>& steps) {
  double sum = 0;
  for (const Steps& step : steps)
    sum += step.times * static_cast<double>(step.loss.index.back()) * step.loss.interval;
  return sum;
}

double lowest_sum(const std::vector<Steps>& steps) {
  double sum = 0;
  for (const Steps& step : steps)
    sum += step.times * static_cast<double>(step.loss.index.front()) * step.loss.interval;
  return sum;
}

double window_top(const std::vector<Steps>& steps, const Plan& plan) {
  const double rise =
      total_cumulant(steps, plan.tilt + plan.rise).value - total_cumulant(steps, plan.tilt).value;
  return std::min(highest_sum(steps), (rise - kLogWrapped) / plan.rise);
}

double window_bottom(const std::vector<Steps>& steps, const Plan& plan) {
  const double fall =
      total_cumulant(steps, plan.tilt - plan.fall).value - total_cumulant(steps, plan.tilt).value;
  return std::max(lowest_sum(steps), -(fall - kLogWrapped) / plan.fall);
}

Plan make_plan(const std::vector<Steps>& steps, const Question& question) {
  Plan plan;
  const auto log_bound = [&](double tilt) { return total_cumulant(steps, tilt).value + log_peak(tilt); };
  const auto tilt_for = [&](double epsilon) {
    return minimiser([&](double tilt) { return log_bound(tilt) - tilt * epsilon; });
  };
  plan.epsilon = question.epsilon;
  double digits = -kLogLeastDelta;
  if (question.delta) {
    digits = -std::log(*question.delta);
    const auto chernoff = [&](double tilt) { return (log_bound(tilt) + digits) / tilt; };
    plan.tilt = minimiser(chernoff);
    plan.epsilon = chernoff(plan.tilt);
  }
  if (!(plan.epsilon > 0)) plan.epsilon = 0;
  if (!question.delta || plan.epsilon == 0) plan.tilt = tilt_for(plan.epsilon);
  // More tilt than this changes epsilon by less than 1e-4 of itself, and only costs digits.
  if (plan.epsilon > 0) plan.tilt = std::min(plan.tilt, 1e4 * (digits + 1) / plan.epsilon);
  plan.log_delta = log_bound(plan.tilt) - plan.tilt * plan.epsilon;

  const double base = total_cumulant(steps, plan.tilt).value;
  plan.rise = minimiser(
      [&](double t) { return (total_cumulant(steps, plan.tilt + t).value - base - kLogWrapped) / t; });
  plan.fall = minimiser(
      [&](double t) { return (total_cumulant(steps, plan.tilt - t).value - base - kLogWrapped) / t; });

  double count = 0;
  for (const Steps& step : steps) count += step.times;
  const double spread = window_top(steps, plan) - window_bottom(steps, plan);
  const double deviation = std::sqrt(total_cumulant(steps, plan.tilt).variance);
  const double scale = std::max(plan.epsilon, deviation / 16);
  // The lower bound falls back by about 2.5 intervals times the root of the number of steps, the upper one
  // exceeds the truth by at most the square of the interval times (1 + tilt) / 8 per step.
  const double slack = question.delta ? 0.004 * scale : std::min(0.004 * scale, 0.02 / plan.tilt);
  double interval =
      std::min(slack / (2.5 * std::sqrt(count)), std::sqrt(1e-3 * scale / (count * (1 + plan.tilt))));
  const double octaves = std::round(std::log2(spread / interval));
  plan.cells = std::size_t{1} << static_cast<int>(std::clamp(octaves, 13.0, kMostOctaves));
  plan.interval = spread / (static_cast<double>(plan.cells) * 0.96);
  return plan;
}

// Everything that is known of the tilted sum.
struct TiltedSum {
  WrappedSum sum;
  double interval = 0;
  double tilt = 0;
  double log_norm = 0;  // K, rounded up
  double wrapped = 0;   // tilted probability outside the window
  double below = 0;     // tilted probability that a step lies below its lowest dot
  double infinity = 0;  // probability of an infinite loss
  double count = 0;     // of steps
  std::vector<Steps> steps;
};

double loss_at(const TiltedSum& tilted, std::size_t cell) {
  return static_cast<double>(tilted.sum.first + static_cast<std::int64_t>(cell)) * tilted.interval;
}

TiltedSum tilt_and_sum(std::vector<Steps> steps, const Plan& plan) {
  TiltedSum tilted;
  tilted.interval = plan.interval;
  tilted.tilt = plan.tilt;
  std::vector<Summand> summands;
  double rounding = 0;
  for (const Steps& step : steps) {
    const double log_norm = cumulant(step.loss, plan.tilt).value;
    Summand summand{step.loss.index, std::vector<double>(step.loss.index.size()), step.times};
    for (std::size_t i = 0; i < summand.index.size(); ++i)
      summand.mass[i] =
          std::exp(step.loss.log_mass[i] + plan.tilt * static_cast<double>(summand.index[i]) * plan.interval -
                   log_norm);
    summands.push_back(std::move(summand));
    tilted.log_norm += step.times * log_norm;
    rounding += step.times * (1 + std::abs(log_norm));
    tilted.infinity += step.times * step.loss.infinity;
    tilted.below += step.times * step.loss.below * std::exp(std::min(0.0, -log_norm));
    tilted.count += step.times;
  }
  const double bottom = window_bottom(steps, plan);
  const double cells = (window_top(steps, plan) - bottom) / plan.interval + 4;
  // Where the first look was too coarse, the window doubles, as long as there is a point to it.
  std::size_t size = plan.cells;
  while (0.9 * cells > static_cast<double>(size) && size < 4 * plan.cells) size *= 2;
  const auto first = static_cast<std::int64_t>(std::floor(bottom / plan.interval)) - 1;

  const double low = static_cast<double>(first) * plan.interval;
  const double high = static_cast<double>(first + static_cast<std::int64_t>(size)) * plan.interval;
  const double base = total_cumulant(steps, plan.tilt).value;
  rounding = 1e-13 + 1e-14 * (rounding + plan.tilt * std::max(std::abs(low), std::abs(high)));
  tilted.log_norm += rounding;
  const auto markov = [&](double order, double end, bool possible) {
    if (!possible) return 0.0;
    const double exponent = total_cumulant(steps, plan.tilt + order).value - base - order * end;
    return std::min(1.0, std::exp(exponent + rounding));
  };
  tilted.wrapped =
      markov(plan.rise, high, highest_sum(steps) >= high) + markov(-plan.fall, low, lowest_sum(steps) < low);
  tilted.sum = sum_distribution(summands, first, size);
  tilted.steps = std::move(steps);
  return tilted;
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

std::vector<Cut> make_cuts(const std::vector<LossComponent>& components, PairOrder order, double log_delta) {
  std::vector<Cut> cuts;
  for (const auto& [profile, times] : components) {
    const double share = std::log(times * static_cast<double>(components.size()));
    cuts.push_back({.highest = upper_cut(profile, order, log_delta + kLogTruncated - share),
                    .lowest = lower_cut(profile, order, kLogBelow - share)});
  }
  return cuts;
}

std::vector<Steps> discretise_all(const std::vector<LossComponent>& components, const std::vector<Cut>& cuts,
                                  PairOrder order, std::optional<double> interval) {
  std::vector<Steps> steps;
  for (std::size_t i = 0; i < components.size(); ++i) {
    LossGrid grid{.interval = 0, .highest = cuts[i].highest, .lowest = cuts[i].lowest};
    if (interval) {
      grid.interval = *interval;
    } else {
      grid.interval = std::max({grid.highest, -grid.lowest, 1e-200}) / (1 << 20);
      grid.per_octave = 24;
      grid.per_range = 384;
    }
    Steps step{discretise(components[i].profile, order, grid), components[i].times};
    if (const auto* batch = std::get_if<BatchProfile>(&components[i].profile))
      step.loss.infinity += batch->dropped;
    steps.push_back(std::move(step));
  }
  return steps;
}

// Of bounded losses one lies on the grid, so that it is not spread over two dots.
double align(const std::vector<LossComponent>& components, double interval) {
  double loss = 0;
  for (const auto& component : components) {
    const double largest = largest_loss(component.profile);
    if (largest < kInfinity) loss = std::max(loss, largest);
  }
  if (loss < 16 * interval) return interval;
  constexpr double kUp = 1 + 4 * std::numeric_limits<double>::epsilon();
  return loss / std::ceil(loss / interval) * kUp;
}

double largest_sum(const std::vector<LossComponent>& components) {
  double sum = 0;
  bool exact = components.size() <= 1;
  for (const auto& [profile, times] : components) {
    const double loss = largest_loss(profile);
    exact = exact && std::fma(times, loss, -times * loss) == 0;
    sum += times * loss;
  }
  const auto roundings = static_cast<double>(components.size() + 1);
  return exact ? sum : sum * (1 + roundings * std::numeric_limits<double>::epsilon());
}

// Chernoff's bound from the first look, which dominates the steps as well.
double quick_epsilon(const std::vector<Steps>& steps, const Plan& plan, double delta) {
  double infinity = 0;
  for (const Steps& step : steps) infinity += step.times * step.loss.infinity;
  if (!(infinity < delta)) return kInfinity;
  const double log_norm = total_cumulant(steps, plan.tilt).value;
  return std::max(0.0, (log_norm + log_peak(plan.tilt) - std::log(delta - infinity)) / plan.tilt) *
         (1 + 1e-9);
}

double quick_delta(const std::vector<Steps>& steps, const Plan& plan) {
  double infinity = 0;
  for (const Steps& step : steps) infinity += step.times * step.loss.infinity;
  return (std::exp(plan.log_delta) + infinity) * (1 + 1e-9);
}

// Nothing if the answer is known to be at most `least`.
std::optional<TiltedSum> answer(const std::vector<LossComponent>& components, PairOrder order,
                                const Question& question, double least) {
  double log_delta = question.delta ? std::log(*question.delta) : -30;
  for (int round = 0;; ++round) {
    log_delta = std::max(log_delta, kLogLeastDelta);
    const std::vector<Cut> cuts = make_cuts(components, order, log_delta);
    const std::vector<Steps> coarse = discretise_all(components, cuts, order, std::nullopt);
    Plan plan = make_plan(coarse, question);
    // Truncation was meant for a delta that is not known before.
    if (!question.delta && plan.log_delta - 7 < log_delta && log_delta > kLogLeastDelta && round < 8) {
      log_delta =
          std::isfinite(plan.log_delta) ? std::min(plan.log_delta - 12, log_delta - 12) : kLogLeastDelta;
      continue;
    }
    const double quick =
        question.delta ? quick_epsilon(coarse, plan, *question.delta) : quick_delta(coarse, plan);
    if (quick <= least) return std::nullopt;
    plan.interval = align(components, plan.interval);
    return tilt_and_sum(discretise_all(components, cuts, order, plan.interval), plan);
  }
}

}  // namespace

Bounds composed_epsilon(const std::vector<LossComponent>& components, PairOrder order, double delta,
                        double least) {
  const double most = largest_sum(components);
  if (most <= least) return {.lower = 0, .upper = most};
  const auto tilted = answer(components, order, {.delta = delta}, least);
  if (!tilted) return {.lower = 0, .upper = least};
  Bounds bounds = epsilon_of(*tilted, delta);
  bounds.upper = std::min(bounds.upper, most);
  bounds.lower = std::min(bounds.lower, bounds.upper);
  return bounds;
}

Bounds composed_delta(const std::vector<LossComponent>& components, PairOrder order, double epsilon,
                      double least) {
  if (largest_sum(components) <= epsilon) return {};
  const auto tilted = answer(components, order, {.delta = std::nullopt, .epsilon = epsilon}, least);
  return tilted ? delta_of(*tilted, epsilon) : Bounds{.lower = 0, .upper = least};
}

}  // namespace privet::privacy
