#include "privet/accounting/pld_composition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "privet/accounting/pld_convolution.hpp"
#include "privet/accounting/pld_distribution.hpp"
#include "privet/accounting/pld_minimiser.hpp"
#include "privet/accounting/pld_tilted_sum.hpp"

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
// pld_tilted_sum.cpp reads upper and lower bounds off the result.

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

struct Cut {
  double highest = 0;
  double lowest = 0;
};

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
  // The lower bound falls back by about 2.5 intervals times the root of the number of steps and a few more,
  // the upper one exceeds the truth by at most the square of the interval times (1 + tilt) / 8 per step.
  const double slack = question.delta ? 0.004 * scale : std::min(0.004 * scale, 0.02 / plan.tilt);
  double interval =
      std::min(slack / (2.5 * std::sqrt(count) + 4), std::sqrt(1e-3 * scale / (count * (1 + plan.tilt))));
  const double octaves = std::round(std::log2(spread / interval));
  // Losses that are all the same have no spread, and a deviation that rounding may make no number.
  plan.cells = std::size_t{1} << (octaves > 13 ? static_cast<int>(std::min(octaves, kMostOctaves)) : 13);
  plan.interval = spread / (static_cast<double>(plan.cells) * 0.96);
  return plan;
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
