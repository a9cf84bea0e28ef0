#include "privet/accounting/accountant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "privet/accounting/gaussian_dp.hpp"
#include "privet/accounting/parts.hpp"
#include "privet/accounting/pld.hpp"
#include "privet/accounting/renyi.hpp"
#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"

namespace privet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::array<std::pair<Accountant, std::string>, 4>& names() {
  static const std::array<std::pair<Accountant, std::string>, 4> table = {{{Accountant::automatic, "auto"},
                                                                           {Accountant::rdp, "rdp"},
                                                                           {Accountant::gdp, "gdp"},
                                                                           {Accountant::pld, "pld"}}};
  return table;
}

/// Basic composition of pure events, rounded up; infinite if any part is not pure. Attained: the losses of
/// randomised response can all be the largest at once.
double pure_epsilon(const Event& event) {
  double sum = 0;
  int leaves = 0;
  bool exact = true;
  for_each_leaf(event, [&](const EventRow auto& row, double times) {
    const double loss = row.largest_loss();
    const double all = times * loss;
    exact = exact && std::fma(times, loss, -all) == 0;
    sum += all;
    ++leaves;
  });
  if (leaves <= 1 && exact) return sum;
  return sum * (1 + (leaves + 1) * std::numeric_limits<double>::epsilon());
}

EpsilonBound epsilon_without_failure(const Event& event, Accountant accountant) {
  for_each_leaf(event, [](const EventRow auto& row, double) {
    if (std::isinf(row.largest_loss()))
      throw InvalidArgument({.what = fmt::format("{} has no epsilon at delta 0", row.describe()),
                             .where = "delta",
                             .expected = "above 0",
                             .remedy = "give a delta below one over the number of people, such as 1e-6"});
  });
  if (accountant == Accountant::gdp) static_cast<void>(gaussian_dp_mu(event));  // refuses by name
  const double sum = pure_epsilon(event);
  return {sum, sum, Accountant::rdp};
}

/// Whatever went wrong numerically, nothing smaller than infinity may be claimed for it.
double claimable(double value) { return std::isnan(value) ? kInfinity : value; }

template <typename Bound>
Bound tighter(const Bound& a, const Bound& b) {
  Bound best = b.upper < a.upper ? b : a;
  best.lower = std::min(std::max(a.lower, b.lower), best.upper);
  return best;
}

[[noreturn]] void refuse(const Event& event) {
  throw InvalidArgument(
      {.what = fmt::format("no accountant covers {}", event.describe()), .where = "accountant auto"});
}

/// Asks those that cover the event: gdp alone where it does, else pld and rdp.
template <typename Bound, typename Ask>
Bound tightest(const Event& event, const Ask& ask) {
  if (gaussian_dp_supports(event)) return ask(Accountant::gdp);
  std::optional<Bound> best;
  for (const Accountant accountant : {Accountant::pld, Accountant::rdp}) {
    if (!supports(event, accountant)) continue;
    const Bound bound = ask(accountant);
    best = best ? tighter(*best, bound) : bound;
  }
  if (!best) refuse(event);
  return *best;
}

}  // namespace

std::string accountant_name(Accountant accountant) {
  for (const auto& [value, name] : names())
    if (value == accountant) return name;
  return "auto";
}

Accountant parse_accountant(std::string_view name) {
  std::array<std::string, 4> known;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (names()[i].second == name) return names()[i].first;
    known[i] = names()[i].second;
  }
  throw InvalidArgument({.what = fmt::format("unknown accountant '{}'", name),
                         .where = "accountant",
                         .expected = "auto, rdp, gdp or pld",
                         .remedy = suggestion(name, known)});
}

bool supports(const Event& event, Accountant accountant) {
  switch (accountant) {
    case Accountant::rdp:
      return renyi_supports(event);
    case Accountant::gdp:
      return gaussian_dp_supports(event);
    case Accountant::pld:
      return pld_supports(event);
    case Accountant::automatic:
      break;
  }
  return gaussian_dp_supports(event) || renyi_supports(event) || pld_supports(event);
}

EpsilonBound epsilon(const Event& event, Delta delta, Accountant accountant) {
  if (releases_nothing(event)) return {};
  if (delta.value() == 0) return epsilon_without_failure(event, accountant);
  switch (accountant) {
    case Accountant::gdp: {
      const double value = claimable(gaussian_epsilon(gaussian_dp_mu(event), delta.value()));
      return {value, value, Accountant::gdp};
    }
    case Accountant::rdp: {
      // The order infinity, which the search over finite orders only comes near.
      const double pure = pure_epsilon(event);
      return {std::min(pure, claimable(renyi_epsilon(event, delta.value()))), 0, Accountant::rdp};
    }
    case Accountant::pld: {
      // No loss exceeds the largest one, to which a grid of losses only comes near.
      const Bounds bounds = pld_epsilon(event, delta.value());
      const double upper = std::min(pure_epsilon(event), claimable(bounds.upper));
      return {upper, std::isnan(bounds.lower) ? 0 : std::min(bounds.lower, upper), Accountant::pld};
    }
    case Accountant::automatic:
      break;
  }
  return tightest<EpsilonBound>(event, [&](Accountant one) { return epsilon(event, delta, one); });
}

bool profiles_are_attained(const Event& event) {
  return all_leaves(event, [](const EventRow auto& row) { return row.is_attained(); });
}

DeltaBound delta(const Event& event, Epsilon at, Accountant accountant) {
  if (releases_nothing(event)) return {};
  const auto at_most_one = [](double value) { return std::min(1.0, claimable(value)); };
  switch (accountant) {
    case Accountant::gdp: {
      const double value = at_most_one(gaussian_delta(gaussian_dp_mu(event), at.value()));
      return {value, value, Accountant::gdp};
    }
    case Accountant::rdp: {
      const double value = at_most_one(renyi_delta(event, at.value()));
      return {pure_epsilon(event) <= at.value() ? 0 : value, 0, Accountant::rdp};
    }
    case Accountant::pld: {
      const Bounds bounds = pld_delta(event, at.value());
      const double upper = pure_epsilon(event) <= at.value() ? 0 : at_most_one(bounds.upper);
      return {upper, std::isnan(bounds.lower) ? 0 : std::min(bounds.lower, upper), Accountant::pld};
    }
    case Accountant::automatic:
      break;
  }
  return tightest<DeltaBound>(event, [&](Accountant one) { return delta(event, at, one); });
}

}  // namespace privet::privacy
