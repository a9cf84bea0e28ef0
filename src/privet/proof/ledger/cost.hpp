#pragma once

#include <cstdint>
#include <string>

#include "privet/accounting/quantities.hpp"

namespace privet::privacy {

/// An amount of privacy loss in whole numbers, so that sums are exact, a budget can be spent to its end, and
/// nothing is lost to rounding: epsilon in millionths (10^-6), delta in 10^-18.
///
/// Both quanta are decimal because people write budgets in decimals: ten times delta 10^-7 is 10^-6 here,
/// which it would not be in multiples of any power of two once each of the ten is rounded up. The number
/// meant by a double is the shortest decimal that reads back as it, which is what certificates print.
struct Cost {
  std::int64_t micro_epsilon = 0;
  std::int64_t atto_delta = 0;

  /// The amounts as numbers again: the doubles nearest to them.
  [[nodiscard]] double epsilon() const;
  [[nodiscard]] double delta() const;
  /// "epsilon 0.5, delta 1e-06", exact.
  [[nodiscard]] std::string text() const;

  bool operator==(const Cost&) const = default;
};

/// Largest epsilon that a ledger can hold; every sum of costs that fits a cap then fits 64 bits.
inline constexpr double kMaxLedgerEpsilon = 1e9;

/// What a release costs: both numbers rounded up.
Cost cost_of(Epsilon epsilon, Delta delta);

/// What a budget allows: both numbers rounded down.
Cost cap_of(Epsilon epsilon, Delta delta);

/// Whether both parts of the cost are within what is left.
constexpr bool fits(const Cost& cost, const Cost& left) noexcept {
  return cost.micro_epsilon <= left.micro_epsilon && cost.atto_delta <= left.atto_delta;
}

/// Sum, and difference that stops at 0.
constexpr Cost plus(const Cost& a, const Cost& b) noexcept {
  return {a.micro_epsilon + b.micro_epsilon, a.atto_delta + b.atto_delta};
}
constexpr Cost what_is_left(const Cost& cap, const Cost& spent) noexcept {
  return {cap.micro_epsilon > spent.micro_epsilon ? cap.micro_epsilon - spent.micro_epsilon : 0,
          cap.atto_delta > spent.atto_delta ? cap.atto_delta - spent.atto_delta : 0};
}

/// Whether the numbers are in the range that cost_of() and cap_of() give.
bool is_cost(const Cost& cost) noexcept;

}  // namespace privet::privacy
