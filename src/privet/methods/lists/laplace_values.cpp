#include "privet/methods/lists/laplace_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "privet/base/distributions.hpp"

namespace privet::methods {
namespace {

constexpr std::size_t kStepsPerUnit = 256;
constexpr std::size_t kSteps = static_cast<std::size_t>(2 - LaplaceValues::kLowest) * kStepsPerUnit;

}  // namespace

// What a zero lacks of 1 has the density e sinh(e z) / (exp(e) - 1) up to 1 and falls by exp(-e) a unit from
// there on. Its distribution is tabulated by steps, exactly, and folded with itself.
LaplaceValues::LaplaceValues(double flip) : epsilon_(std::log1p(-flip) - std::log(flip)), below_(kSteps + 1) {
  const double one = (1 - flip) / (1 - 2 * flip);
  mean_of_zero_ = 1 - one;
  variance_ = 1 + 2 / (epsilon_ * epsilon_) - flip * (1 - 2 * one) - one * one;
  const double all = std::expm1(epsilon_);
  const auto lacks_less = [&](double z) {
    if (z <= 1) return (std::cosh(epsilon_ * z) - 1) / all;
    return 1 - std::sinh(epsilon_) / all * std::exp(-epsilon_ * (z - 1));
  };
  constexpr double kStep = 1.0 / kStepsPerUnit;
  std::vector<double> within(kSteps);
  for (std::size_t i = 0; i < kSteps; ++i) {
    const auto z = static_cast<double>(i) * kStep;
    within[i] = std::max(0.0, lacks_less(z + kStep) - lacks_less(z));
  }
  // Each of the two is somewhere within its step: their sum is in the step of the sum or the next.
  std::vector<double> folded(kSteps + 1);
  for (std::size_t i = 0; i < kSteps; ++i) {
    for (std::size_t j = 0; i + j < kSteps; ++j) {
      const double both = within[i] * within[j] / 2;
      folded[i + j] += both;
      folded[i + j + 1] += both;
    }
  }
  for (std::size_t i = 0; i < kSteps; ++i) below_[i + 1] = below_[i] + folded[i];
}

double LaplaceValues::of_one(RandomStream& stream) const {
  const double share = stream.uniform() * std::expm1(epsilon_);
  if (1 + share < std::cosh(epsilon_)) return std::acosh(1 + share) / epsilon_;
  return 1 + exponential(stream) / epsilon_;
}

double LaplaceValues::zeros_above(double threshold) const {
  const double at = std::clamp((2 - threshold) * kStepsPerUnit, 0.0, static_cast<double>(kSteps));
  const auto step = std::min(static_cast<std::size_t>(at), kSteps - 1);
  return below_[step] + (at - static_cast<double>(step)) * (below_[step + 1] - below_[step]);
}

double LaplaceValues::zeros_above(double threshold, RandomStream& stream) const {
  const double share = stream.uniform_positive() * zeros_above(threshold);
  const auto next = std::ranges::lower_bound(below_, share);
  const auto step = static_cast<double>(next - below_.begin()) - 1;
  const double part = (share - *(next - 1)) / (*next - *(next - 1));
  return 2 - (step + part) / kStepsPerUnit;
}

}  // namespace privet::methods
