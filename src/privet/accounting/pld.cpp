#include "privet/accounting/pld.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "privet/accounting/pld_composition.hpp"
#include "privet/accounting/pld_profile.hpp"
#include "privet/accounting/renyi.hpp"
#include "privet/base/error.hpp"

// The tree of events becomes a bag of steps, each with the number of its repetitions; the order of the parts
// plays no role, so equal steps are counted together and Gaussian ones become a single one (mu^2 adds up).
// The bag, in a canonical order, goes to pld_composition.cpp once for each order of the two data sets; the
// bounds are the larger ones. (All parts of a composition see the same two data sets, so orders do not mix.)
//
// Where every loss is bounded and delta is small, the tilted sum all but lies on the largest loss and
// Chernoff's bound is the truth to the last digits, while a grid has to round its masses up by some 1e-10 and
// spread a loss that falls between two dots. The moments of such losses have closed forms, free of any grid,
// so that bound, which is the conversion of renyi.cpp, is taken where it is the smaller one.

namespace privet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

// Sampling, multiplier and counts of a step with random batches, as a key.
using BatchKey = std::tuple<bool, double, std::uint64_t, std::uint64_t, double, std::uint64_t, std::uint64_t>;
using DpGnnKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, double>;

struct Bag {
  std::map<double, double> gaussian;  // by mu^2
  std::map<double, double> laplace;   // by the largest loss
  std::map<double, double> pure;
  std::map<double, double> failure;  // by delta
  std::map<BatchKey, std::pair<SubsampledGaussianEvent, double>> batches;
  std::map<DpGnnKey, std::pair<DpGnnEvent, double>> dpgnn;
};

void fill(Bag& bag, const Event& event, double times) {
  if (times == 0) return;
  std::visit(Overloaded{
                 [&](const ComposedEvent& e) {
                   for (const Event& part : e.parts) fill(bag, part, times);
                 },
                 [&](const RepeatedEvent& e) { fill(bag, *e.part, times * static_cast<double>(e.times)); },
                 [&](const GaussianEvent& e) { bag.gaussian[std::pow(e.noise_multiplier, -2)] += times; },
                 [&](const ContractiveGaussianEvent& e) {
                   const auto hops = static_cast<double>(e.hops);
                   // (1-g^K)(1+g) / ((1+g^K)(1-g)), with 1 - g^K free of cancellation.
                   const double power = std::pow(e.lipschitz, hops);
                   const double factor = e.lipschitz == 1 ? hops
                                         : e.lipschitz == 0
                                             ? 1
                                             : -std::expm1(hops * std::log(e.lipschitz)) / (1 - e.lipschitz) *
                                                   ((1 + e.lipschitz) / (1 + power));
                   bag.gaussian[factor * std::pow(e.noise_multiplier, -2)] += times;
                 },
                 [&](const LaplaceEvent& e) { bag.laplace[1 / e.noise_multiplier] += times; },
                 [&](const RandomizedResponseEvent& e) { bag.pure[e.epsilon] += times; },
                 [&](const PureEvent& e) { bag.pure[e.epsilon] += times; },
                 [&](const ApproximateEvent& e) {
                   bag.pure[e.epsilon] += times;
                   bag.failure[e.delta] += times;
                 },
                 [&](const SubsampledGaussianEvent& e) {
                   BatchKey key = {false, 0, 0, 0, e.noise_multiplier, e.added, e.replaced};
                   if (const auto* poisson = std::get_if<PoissonSampling>(&e.sampling)) {
                     std::get<1>(key) = poisson->rate;
                   } else {
                     const auto& fixed = std::get<FixedSizeSampling>(e.sampling);
                     std::get<0>(key) = true;
                     std::get<2>(key) = fixed.population;
                     std::get<3>(key) = fixed.batch;
                   }
                   bag.batches.try_emplace(key, e, 0).first->second.second += times;
                 },
                 [&](const DpGnnEvent& e) {
                   const DpGnnKey key = {e.nodes, e.batch, e.max_degree, e.noise_multiplier};
                   bag.dpgnn.try_emplace(key, e, 0).first->second.second += times;
                 },
             },
             event.kind());
}

// Shifts whose probability is below this share of delta are dropped.
constexpr double kNegligible = 1e-9;

std::vector<LossComponent> components_of(const Bag& bag, double delta) {
  std::vector<LossComponent> list;
  std::map<double, double> gaussian = bag.gaussian;
  const auto add_batch = [&](const auto& event, double times) {
    Profile profile = batch_profile(event, kNegligible * delta / times);
    if (const auto* full = std::get_if<GaussianProfile>(&profile)) {
      gaussian[full->mu * full->mu] += times;
    } else {
      list.emplace_back(std::move(profile), times);
    }
  };
  for (const auto& [key, entry] : bag.batches) add_batch(entry.first, entry.second);
  for (const auto& [key, entry] : bag.dpgnn) add_batch(entry.first, entry.second);
  for (const auto& [epsilon, times] : bag.laplace) list.emplace_back(LaplaceProfile{epsilon}, times);
  for (const auto& [epsilon, times] : bag.pure)
    if (epsilon > 0) list.emplace_back(PureProfile{epsilon}, times);
  double square = 0;
  for (const auto& [mu_square, times] : gaussian) square += mu_square * times;
  if (square > 0) list.emplace_back(GaussianProfile{std::sqrt(square)}, 1);
  return list;
}

// Probability that any of the releases that may fail does.
double failure_of(const Bag& bag) {
  double log_success = 0;
  double only = 0;
  double terms = 0;
  for (const auto& [delta, times] : bag.failure) {
    if (delta == 0) continue;
    log_success += times * std::log1p(-delta);
    only = delta;
    terms += times;
  }
  return terms == 1 ? only : -std::expm1(log_success);
}

template <typename Solve>
Bounds over_both_orders(const std::vector<LossComponent>& components, Solve solve) {
  const Bounds bounds = solve(PairOrder::kWithFirst, 0);
  const bool symmetric = std::all_of(components.begin(), components.end(),
                                     [](const LossComponent& c) { return is_symmetric(c.profile); });
  if (symmetric) return bounds;
  const Bounds other = solve(PairOrder::kWithoutFirst, bounds.upper);
  return {.lower = std::max(bounds.lower, other.lower), .upper = std::max(bounds.upper, other.upper)};
}

bool all_losses_are_bounded(const Bag& bag) {
  return bag.gaussian.empty() && bag.batches.empty() && bag.dpgnn.empty();
}

// A bound that is not a number is no bound.
Bounds at_most(Bounds bounds, double upper) {
  if (upper < bounds.upper) bounds.upper = upper;
  if (bounds.upper < bounds.lower) bounds.lower = bounds.upper;
  return bounds;
}

}  // namespace

bool pld_supports(const Event& /*event*/) { return true; }

Bounds pld_epsilon(const Event& event, double delta) {
  if (!(delta > 0 && delta < 1))
    throw InvalidArgument(
        {.what = std::to_string(delta), .where = "delta", .expected = "above 0 and below 1"});
  Bag bag;
  fill(bag, event, 1);
  const double failure = failure_of(bag);
  constexpr double kUlps = 8 * std::numeric_limits<double>::epsilon();
  if (failure > delta * (1 + kUlps)) return {.lower = kInfinity, .upper = kInfinity};
  // A release fails, or it is among the rest: delta = failure + (1 - failure) delta of the rest.
  const double rest = (delta - failure) / (1 - failure);
  if (rest <= delta * kUlps) {
    double sum = 0;
    for (const LossComponent& c : components_of(bag, delta)) sum += c.times * largest_loss(c.profile);
    return {.lower = sum, .upper = sum};
  }
  const auto components = components_of(bag, rest);
  const Bounds bounds = over_both_orders(components, [&](PairOrder order, double least) {
    return composed_epsilon(components, order, rest, least);
  });
  if (!renyi_supports(event) || !all_losses_are_bounded(bag)) return bounds;
  return at_most(bounds, renyi_epsilon(event, delta));
}

Bounds pld_delta(const Event& event, double epsilon) {
  if (!(epsilon >= 0 && epsilon < kInfinity))
    throw InvalidArgument(
        {.what = std::to_string(epsilon), .where = "epsilon", .expected = "a finite number, at least 0"});
  Bag bag;
  fill(bag, event, 1);
  const double failure = failure_of(bag);
  const auto components = components_of(bag, std::numeric_limits<double>::min());
  const Bounds rest = over_both_orders(components, [&](PairOrder order, double least) {
    return composed_delta(components, order, epsilon, least);
  });
  const Bounds bounds{.lower = failure + (1 - failure) * rest.lower,
                      .upper = std::min(1.0, failure + (1 - failure) * rest.upper)};
  if (!renyi_supports(event) || !all_losses_are_bounded(bag)) return bounds;
  return at_most(bounds, renyi_delta(event, epsilon));
}

}  // namespace privet::privacy
