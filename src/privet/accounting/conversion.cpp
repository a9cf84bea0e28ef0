#include "privet/accounting/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

double not_negative(double value, const char* name) {
  if (!(value >= 0))
    throw InvalidArgument({.what = fmt::format("{}", value), .where = name, .expected = "at least 0"});
  return value;
}

/// 0 x infinity is 0 here: no unit, no cost.
double times(std::uint64_t group, double value) {
  return group == 0 ? 0 : static_cast<double>(group) * value;
}

}  // namespace

double group_epsilon(double epsilon, std::uint64_t group) {
  return times(group, not_negative(epsilon, "epsilon"));
}

Guarantee group_guarantee(Guarantee one, std::uint64_t group) {
  not_negative(one.epsilon, "epsilon");
  if (!(one.delta >= 0 && one.delta <= 1))
    throw InvalidArgument(
        {.what = fmt::format("{}", one.delta), .where = "delta", .expected = "from 0 to 1"});
  if (group == 0) return {0, 0};
  if (group == 1) return one;
  const double epsilon = times(group, one.epsilon);
  if (one.delta == 0) return {epsilon, 0};
  if (std::isinf(epsilon)) return {epsilon, 1};
  // (e^(g epsilon) - 1) / (e^epsilon - 1) = e^((g-1) epsilon) (1 - e^(-g epsilon)) / (1 - e^(-epsilon)),
  // whose last factor is g at epsilon 0.
  const double steps =
      one.epsilon == 0 ? static_cast<double>(group) : std::expm1(-epsilon) / std::expm1(-one.epsilon);
  const double log_delta =
      std::log(one.delta) + (static_cast<double>(group) - 1) * one.epsilon + std::log(steps);
  if (log_delta >= 0) return {epsilon, 1};
  // Exponents up to 745 in magnitude lose at most 1e-13 of the result.
  return {epsilon,
          std::min(1.0, std::exp(log_delta) * (1 + 1e-12) + std::numeric_limits<double>::denorm_min())};
}

double group_mu(double mu, std::uint64_t group) { return times(group, not_negative(mu, "mu")); }

double undirected_edge_mu(double directed_entry_mu) {
  return std::numbers::sqrt2 * not_negative(directed_entry_mu, "mu");
}

double relationship_epsilon(double bit_epsilon, PairReports reports) {
  return group_epsilon(bit_epsilon, reports == PairReports::both_ends ? 2 : 1);
}

}  // namespace privet::privacy
