#include "privet/proof/ledger/cost.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

constexpr int kEpsilonDecimals = 6;
constexpr int kDeltaDecimals = 18;
constexpr std::int64_t kMaxMicroEpsilon = 1'000'000'000'000'000;       // kMaxLedgerEpsilon
constexpr std::int64_t kMaxAttoDelta = 1'000'000'000'000'000'000 - 1;  // delta is below 1

enum class Rounding { kUp, kDown };

/// value x 10^decimals as a whole number, from the shortest decimal digits of `value`: exact but for the one
/// rounding asked for. `value` is at least 0 and the result fits 63 bits.
std::int64_t quanta(double value, int decimals, Rounding rounding) {
  std::array<char, 64> buffer;
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::size_t mark = text.find('e');
  std::int64_t digits = 0;  // at most 17 of them
  int after_point = 0;
  bool past_point = false;
  for (const char c : text.substr(0, mark)) {
    if (c == '.') {
      past_point = true;
      continue;
    }
    digits = 10 * digits + (c - '0');
    after_point += past_point ? 1 : 0;
  }
  int exponent = 0;
  const char* first = text.data() + mark + 1 + (text[mark + 1] == '+' ? 1 : 0);
  std::from_chars(first, text.data() + text.size(), exponent);

  int shift = exponent - after_point + decimals;
  bool cut = false;
  for (; shift < 0 && digits > 0; ++shift) {
    cut = cut || digits % 10 != 0;
    digits /= 10;
  }
  for (; shift > 0 && digits > 0; --shift) digits *= 10;
  return digits + (cut && rounding == Rounding::kUp ? 1 : 0);
}

Cost rounded(Epsilon epsilon, Delta delta, Rounding rounding) {
  if (epsilon.value() > kMaxLedgerEpsilon) {
    throw InvalidArgument({.what = fmt::format("{}", epsilon.value()),
                           .where = "epsilon",
                           .expected = fmt::format("at most {} in a ledger", kMaxLedgerEpsilon)});
  }
  return {quanta(epsilon.value(), kEpsilonDecimals, rounding),
          quanta(delta.value(), kDeltaDecimals, rounding)};
}

double as_number(std::int64_t count, int decimals) {
  const std::string text = fmt::format("{}e-{}", count, decimals);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The exact decimal, without exponent where it is short and trailing zeros gone.
std::string decimal_text(std::int64_t count, int decimals) {
  std::string digits = fmt::format("{}", count);
  int exponent = -decimals;
  while (count != 0 && digits.ends_with('0')) {
    digits.pop_back();
    ++exponent;
  }
  if (count == 0) return "0";
  const int point = static_cast<int>(digits.size()) + exponent;  // digits before the point
  if (point < -3) {
    return fmt::format("{}{}{}e-{:02}", digits[0], digits.size() > 1 ? "." : "", digits.substr(1), 1 - point);
  }
  if (exponent >= 0) return fmt::format("{}{:0>{}}", digits, "", exponent);
  if (point <= 0) return fmt::format("0.{:0>{}}{}", "", -point, digits);
  const auto whole = static_cast<std::size_t>(point);
  return fmt::format("{}.{}", digits.substr(0, whole), digits.substr(whole));
}

}  // namespace

double Cost::epsilon() const { return as_number(micro_epsilon, kEpsilonDecimals); }
double Cost::delta() const { return as_number(atto_delta, kDeltaDecimals); }
std::string Cost::text() const {
  return fmt::format("epsilon {}, delta {}", decimal_text(micro_epsilon, kEpsilonDecimals),
                     decimal_text(atto_delta, kDeltaDecimals));
}

Cost cost_of(Epsilon epsilon, Delta delta) { return rounded(epsilon, delta, Rounding::kUp); }
Cost cap_of(Epsilon epsilon, Delta delta) { return rounded(epsilon, delta, Rounding::kDown); }

bool is_cost(const Cost& cost) noexcept {
  return cost.micro_epsilon >= 0 && cost.micro_epsilon <= kMaxMicroEpsilon && cost.atto_delta >= 0 &&
         cost.atto_delta <= kMaxAttoDelta;
}

}  // namespace privet::privacy
