#include "privet/core/noise/discrete_gaussian.hpp"

#include <fmt/format.h>

#include <cmath>

#include "privet/base/error.hpp"
#include "privet/core/noise/bernoulli_exp.hpp"

namespace privet::privacy {
namespace {

constexpr std::uint64_t kVarianceDenominator = 1u << 10;
constexpr double kLargestStddev = 0x1p20;

}  // namespace

Ratio variance_at_least(double stddev) {
  if (!(stddev > 0 && stddev <= kLargestStddev)) {
    throw InvalidArgument({.what = fmt::format("{}", stddev),
                           .where = "standard deviation of discrete Gaussian noise",
                           .expected = fmt::format("above 0, at most {:.0f}", kLargestStddev)});
  }
  // The product is exact up to one rounding; the step up covers it.
  const double scaled = std::nextafter(stddev * stddev, HUGE_VAL) * static_cast<double>(kVarianceDenominator);
  return {static_cast<std::uint64_t>(std::ceil(scaled)), kVarianceDenominator};
}

std::int64_t discrete_gaussian(RandomStream& stream, Ratio variance) {
  if (variance.numerator == 0 || variance.denominator == 0 || variance.denominator > kVarianceDenominator ||
      variance.value() > kLargestStddev * kLargestStddev * (1 + 0x1p-9)) {
    throw InvalidArgument({.what = fmt::format("{}/{}", variance.numerator, variance.denominator),
                           .where = "variance of discrete Gaussian noise"});
  }
  // Any scale t is right; floor(stddev) + 1 rejects least often. An inexact root only changes the speed.
  const auto scale = static_cast<std::uint64_t>(std::sqrt(variance.value())) + 1;
  const Wide a = variance.numerator;
  const Wide bt = static_cast<Wide>(variance.denominator) * scale;
  while (true) {
    const std::int64_t candidate = discrete_laplace(stream, {1, scale});
    // Accept with exp(-(|y| - s^2/t)^2 / (2 s^2)), s^2 = a/b, which is (|y| b t - a)^2 / (2 a b t^2). Sizes:
    // |y| < 2^27 but for a probability of e^-100, b t <= 2^31, so the square is below 2^116.
    const Wide size = static_cast<Wide>(candidate < 0 ? -candidate : candidate);
    if (size >> 32 != 0) continue;
    const Wide product = size * bt;
    const Wide gap = product > a ? product - a : a - product;
    if (bernoulli_exp(stream, gap * gap, 2 * a * bt * scale)) return candidate;
  }
}

}  // namespace privet::privacy
