#include "privet/accounting/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

constexpr double kSmallestScale = 1e-6;
constexpr double kLargestScale = 1e12;
constexpr double kTolerance = 1e-6;  // relative, of the scale
constexpr double kFarBelow = -700;   // stands for the logarithm of 0
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a plan costs at a scale, as the logarithm of its epsilon at the delta of the budget: that is near a
/// straight line in the logarithm of the scale, which the search below makes use of.
class Cost {
 public:
  Cost(const Plan& plan, Epsilon budget, Delta delta, Accountant accountant)
      : plan_(plan), budget_(budget.value()), delta_(delta), accountant_(accountant) {}

  /// log(epsilon / budget): at most 0 exactly where the budget is met.
  [[nodiscard]] double operator()(double log_scale) const {
    const double upper = epsilon(plan_(std::exp(log_scale)), delta_, accountant_).upper;
    if (upper <= budget_) return upper > 0 ? std::log(upper / budget_) : kFarBelow;
    return budget_ > 0 && std::isfinite(upper) ? std::log(upper / budget_) : kInfinity;  // not-a-number too
  }

 private:
  const Plan& plan_;
  double budget_;
  Delta delta_;
  Accountant accountant_;
};

[[noreturn]] void unattainable(Epsilon epsilon, Delta delta) {
  throw Unsound(
      {.what = fmt::format("no noise scale up to {:g} brings the plan to epsilon {:g} at delta {:g}",
                           kLargestScale, epsilon.value(), delta.value()),
       .where = "calibration",
       .remedy = "allow a larger epsilon or delta, or release less"});
}

/// A point inside (low, high) at which a straight line through both ends would just meet the budget, kept
/// away from the ends; the middle where the values can't tell.
double guess(double low, double at_low, double high, double at_high) {
  const double middle = (low + high) / 2;
  if (!std::isfinite(at_low) || !(at_high > -100)) return middle;
  const double crossing = low + (high - low) * (at_low + kTolerance / 2) / (at_low - at_high);
  const double margin = 0.001 * (high - low);
  return std::clamp(crossing, low + margin, high - margin);
}

/// A scale to begin at: what the quick accountant would choose, where a slow one is asked for. It is a little
/// too large, so a short step down brackets the answer.
double first_scale(const Plan& plan, Epsilon epsilon, Delta delta, Accountant accountant) {
  const bool slow = accountant == Accountant::automatic || accountant == Accountant::pld;
  try {
    const Event at_one = plan(1);
    if (slow && delta.value() > 0 && !supports(at_one, Accountant::gdp) &&
        supports(at_one, Accountant::rdp)) {
      return calibrate(plan, epsilon, delta, Accountant::rdp);
    }
  } catch (const Error&) {  // then the search begins anywhere
  }
  return 1;
}

}  // namespace

double calibrate(const Plan& plan, Epsilon epsilon, Delta delta, Accountant accountant) {
  const Cost cost(plan, epsilon, delta, accountant);
  const double floor = std::log(kSmallestScale);
  const double ceiling = std::log(kLargestScale);

  // Outwards in growing steps, to a scale that fails next to one that meets the budget. The logarithm of the
  // cost falls about as that of the scale rises, which gives the first step down.
  double low = std::clamp(std::log(first_scale(plan, epsilon, delta, accountant)), floor, ceiling);
  double at_low = cost(low);
  double high = low;
  double at_high = at_low;
  double step = at_low <= 0 && at_low > -1 ? std::max(1.3 * -at_low, 1e-3) : std::log(2.0);
  if (at_low > 0) {
    do {
      if (high >= ceiling) unattainable(epsilon, delta);
      low = high;
      at_low = at_high;
      high = std::min(ceiling, high + step);
      at_high = cost(high);
      step *= 2;
    } while (at_high > 0);
  } else {
    do {
      high = low;
      at_high = at_low;
      if (low <= floor) break;  // the least scale there is
      low = std::max(floor, low - step);
      at_low = cost(low);
      step *= 2;
    } while (at_low <= 0);
  }

  // Straight lines with bisection in between: each pair of evaluations at least halves the bracket. A scale
  // whose cost is within the tolerance of the budget is as good as the smallest.
  const auto narrow = [&](double at) {
    const double value = cost(at);
    if (value > 0) {
      low = at;
      at_low = value;
    } else {
      high = at;
      at_high = value;
    }
  };
  const auto done = [&] { return high - low <= kTolerance / 2 || at_high >= -kTolerance; };
  while (!done()) {
    const double before = high - low;
    const double crossing = guess(low, at_low, high, at_high);
    narrow(crossing);
    // Aim just past the crossing on the side that has not moved, to bring that end close too.
    if (!done()) {
      const double beyond = std::max(kTolerance / 4, 1e-2 * before);
      const double other = high == crossing ? std::max(high - beyond, (low + high) / 2)
                                            : std::min(low + beyond, (low + high) / 2);
      narrow(other);
    }
    if (!done() && high - low > before / 2) narrow((low + high) / 2);
  }

  const double scale = std::exp(high);  // the very number that was found to meet the budget
  if (at_high <= 0 && std::isfinite(scale) && scale > 0) return scale;
  throw Unsound({.what = fmt::format("the accountant's answers near scale {:g} contradict each other", scale),
                 .where = "calibration",
                 .remedy = "choose another accountant"});
}

std::vector<double> calibrate_weighted(std::span<const WeightedPart> parts, Epsilon epsilon, Delta delta,
                                       Accountant accountant) {
  if (parts.empty()) return {};
  double log_sum = 0;
  for (const WeightedPart& part : parts) {
    if (!(part.weight > 0) || !std::isfinite(part.weight))
      throw InvalidArgument({.what = fmt::format("{}", part.weight),
                             .where = "weight of a part",
                             .expected = "a positive, finite number"});
    log_sum += std::log(part.weight);
  }
  // Scales of about one part's size for the search, whatever the weights' unit.
  const double unit = std::exp(-log_sum / static_cast<double>(parts.size()));
  std::vector<double> scales(parts.size());
  const auto set_scales = [&](double scale) {
    for (std::size_t i = 0; i < parts.size(); ++i) scales[i] = scale * (parts[i].weight * unit);
  };
  const Plan together = [&](double scale) {
    set_scales(scale);
    std::vector<Event> events;
    for (std::size_t i = 0; i < parts.size(); ++i) events.push_back(parts[i].event(scales[i]));
    return composed(std::move(events));
  };
  set_scales(calibrate(together, epsilon, delta, accountant));
  return scales;
}

namespace {

/// Nelder and Mead's downhill simplex with the usual coefficients.
class Simplex {
 public:
  using Point = std::vector<double>;
  using Function = std::function<double(const Point&)>;

  Simplex(Point start, const Function& f) : f_(f) {
    add(start);
    for (std::size_t i = 0; i < start.size(); ++i) {
      Point vertex = start;
      vertex[i] += 0.5;
      add(vertex);
    }
    sort();
  }

  const Point& minimize(double tolerance, int most_steps) {
    for (int i = 0; i < most_steps && width() > tolerance; ++i) step();
    return vertices_.front().at;
  }

 private:
  struct Vertex {
    Point at;
    double value;
  };

  void add(const Point& at) { vertices_.push_back({at, f_(at)}); }
  void sort() {
    std::stable_sort(vertices_.begin(), vertices_.end(),
                     [](const Vertex& a, const Vertex& b) { return a.value < b.value; });
  }

  [[nodiscard]] double width() const {
    double widest = 0;
    for (const Vertex& vertex : vertices_)
      for (std::size_t i = 0; i < vertex.at.size(); ++i)
        widest = std::max(widest, std::abs(vertex.at[i] - vertices_.front().at[i]));
    return widest;
  }

  /// centre + factor (worst - centre), the centre being that of all but the worst.
  [[nodiscard]] Vertex moved(double factor) const {
    const Point& worst = vertices_.back().at;
    Point at(worst.size(), 0.0);
    for (std::size_t v = 0; v + 1 < vertices_.size(); ++v)
      for (std::size_t i = 0; i < at.size(); ++i)
        at[i] += vertices_[v].at[i] / static_cast<double>(vertices_.size() - 1);
    for (std::size_t i = 0; i < at.size(); ++i) at[i] += factor * (worst[i] - at[i]);
    return {at, f_(at)};
  }

  void step() {
    Vertex& worst = vertices_.back();
    const Vertex reflected = moved(-1);
    if (reflected.value < vertices_.front().value) {
      const Vertex expanded = moved(-2);
      worst = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < vertices_[vertices_.size() - 2].value) {
      worst = reflected;
    } else {
      const Vertex contracted = moved(reflected.value < worst.value ? -0.5 : 0.5);
      if (contracted.value < std::min(reflected.value, worst.value)) {
        worst = contracted;
      } else {
        shrink();
      }
    }
    sort();
  }

  void shrink() {
    const Point& best = vertices_.front().at;
    for (std::size_t v = 1; v < vertices_.size(); ++v) {
      for (std::size_t i = 0; i < best.size(); ++i) vertices_[v].at[i] = (vertices_[v].at[i] + best[i]) / 2;
      vertices_[v].value = f_(vertices_[v].at);
    }
  }

  const Function& f_;
  std::vector<Vertex> vertices_;
};

}  // namespace

Split best_split(std::span<const WeightedPart> parts, const SplitObjective& objective, Epsilon epsilon,
                 Delta delta, Accountant accountant) {
  const std::vector<double> start =
      calibrate_weighted(parts, epsilon, delta, accountant);  // checks the weights too
  Split best{start, objective(start)};
  if (parts.size() < 2) return best;

  // The first weight stays; the others move relative to it.
  std::vector<WeightedPart> moving(parts.begin(), parts.end());
  const Simplex::Function value = [&](const Simplex::Point& log_ratios) {
    for (std::size_t i = 0; i < log_ratios.size(); ++i)
      moving[i + 1].weight = moving[0].weight * std::exp(std::clamp(log_ratios[i], -25.0, 25.0));
    std::vector<double> scales;
    try {
      scales = calibrate_weighted(moving, epsilon, delta, accountant);
    } catch (const Unsound&) {
      return kInfinity;  // a split so uneven that no scale meets the budget
    }
    const double found = objective(scales);
    if (found < best.objective) best = {std::move(scales), found};
    return std::isnan(found) ? kInfinity : found;
  };
  Simplex::Point origin;
  for (std::size_t i = 1; i < parts.size(); ++i)
    origin.push_back(std::log(parts[i].weight / parts[0].weight));
  Simplex(origin, value).minimize(1e-3, static_cast<int>(60 * parts.size()));
  return best;
}

}  // namespace privet::privacy
