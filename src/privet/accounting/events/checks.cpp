#include "privet/accounting/events/checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "privet/base/error.hpp"

namespace privet::privacy {

void require(bool holds, double value, const char* name, const char* expected) {
  if (!holds) throw InvalidArgument({.what = fmt::format("{}", value), .where = name, .expected = expected});
}

void require_positive(double value, const char* name) {
  require(std::isfinite(value) && value > 0, value, name, "a positive, finite number");
}

void require_count(std::uint64_t count, const char* name) {
  require(count <= 1'000'000'000'000, static_cast<double>(count), name, "at most 10^12");
}

void require_loss(double epsilon) {
  require(std::isfinite(epsilon) && epsilon >= 0, epsilon, "epsilon", "a finite number, at least 0");
}

}  // namespace privet::privacy
