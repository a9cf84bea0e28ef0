#include "privet/accounting/quantities.hpp"

#include <fmt/format.h>

#include <cmath>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

double require(bool holds, double value, const char* name, const char* expected) {
  if (!holds) throw InvalidArgument({.what = fmt::format("{}", value), .where = name, .expected = expected});
  return value;
}

double positive(double value, const char* name) {
  return require(std::isfinite(value) && value > 0, value, name, "a positive, finite number");
}

}  // namespace

Epsilon::Epsilon(double value)
    : value_(require(std::isfinite(value) && value >= 0, value, "epsilon", "a finite number, at least 0")) {}
Delta::Delta(double value)
    : value_(require(value >= 0 && value < 1, value, "delta", "at least 0 and below 1")) {}
NoiseStddev::NoiseStddev(double value) : value_(positive(value, "noise standard deviation")) {}
L2Sensitivity::L2Sensitivity(double value) : value_(positive(value, "L2 sensitivity")) {}
L1Sensitivity::L1Sensitivity(double value) : value_(positive(value, "L1 sensitivity")) {}
ClipNorm::ClipNorm(double value) : value_(positive(value, "clip norm")) {}

}  // namespace privet::privacy
