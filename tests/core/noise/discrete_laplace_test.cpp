#include "privet/core/noise/discrete_laplace.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/simulation.hpp"

namespace privet::privacy {
namespace {

using testing::chance_of;

// Every comparison of counts in these tests rings falsely once in a million seeds.
constexpr double kFalseAlarm = 1e-6;
constexpr std::uint64_t kDraws = 200000;
constexpr std::int64_t kSpan = 60;

template <typename Draw>
std::vector<std::uint64_t> count(Draw draw) {
  std::vector<std::uint64_t> counts(2 * kSpan + 1);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const std::int64_t k = draw();
    if (std::abs(k) <= kSpan) ++counts[static_cast<std::size_t>(k + kSpan)];
  }
  return counts;
}

template <typename Mass>
std::vector<double> probabilities(Mass mass) {
  std::vector<double> result;
  for (std::int64_t k = -kSpan; k <= kSpan; ++k) result.push_back(mass(k));
  return result;
}

TEST(Geometric, HasTheRightLaw) {
  SeededStream stream(1);
  for (const Ratio rate : {Ratio{1, 2}, {1, 20}, {3, 7}, {5, 2}, {1u << 30, std::uint64_t{1} << 33}}) {
    const double r = rate.value();
    const auto counts = count([&] { return static_cast<std::int64_t>(geometric(stream, rate)); });
    const auto mass = probabilities(
        [&](std::int64_t k) { return k < 0 ? 0 : std::exp(-static_cast<double>(k) * r) * -std::expm1(-r); });
    EXPECT_GT(chance_of(counts, mass, kDraws), kFalseAlarm) << r;
  }
}

TEST(DiscreteLaplace, HasTheRightLaw) {
  SeededStream stream(2);
  for (const Ratio rate : {Ratio{1, 2}, {1, 10}, {3, 2}}) {
    const double r = rate.value();
    const auto counts = count([&] { return discrete_laplace(stream, rate); });
    const auto mass = probabilities(
        [&](std::int64_t k) { return std::tanh(r / 2) * std::exp(-std::abs(static_cast<double>(k)) * r); });
    EXPECT_GT(chance_of(counts, mass, kDraws), kFalseAlarm) << r;
  }
}

TEST(RoundedLaplace, IsLaplaceNoiseRounded) {
  SeededStream stream(3);
  for (const std::uint64_t half_steps : {1u, 3u, 20u}) {
    const double scale = static_cast<double>(half_steps) / 2;
    const auto counts = count([&] { return rounded_laplace(stream, half_steps); });
    const auto above = [&](double x) {
      return x >= 0 ? std::exp(-x / scale) / 2 : 1 - std::exp(x / scale) / 2;
    };
    const auto mass = probabilities([&](std::int64_t k) {
      return above(static_cast<double>(k) - 0.5) - above(static_cast<double>(k) + 0.5);
    });
    EXPECT_GT(chance_of(counts, mass, kDraws), kFalseAlarm) << half_steps;
  }
}

}  // namespace
}  // namespace privet::privacy
