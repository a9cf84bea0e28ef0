#include "privet/core/mechanisms/discrete_gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/grid.hpp"
#include "privet/core/noise/discrete_gaussian.hpp"
#include "privet/core/opening.hpp"

namespace privet::privacy {
namespace {

std::int64_t bounded(std::int64_t value) { return std::clamp(value, -kMostSteps, kMostSteps); }

}  // namespace

double epsilon_of_concentrated(double rho, double delta) {
  const auto bound = [&](double log_excess) {
    const double excess = std::exp(log_excess);  // the order less 1
    const double order = 1 + excess;
    return rho * order + (-std::log(delta) + excess * std::log(excess / order) - std::log(order)) / excess;
  };
  // One valley in the order; golden section in its logarithm.
  double low = std::log(1e-6);
  double high = std::log(1e9);
  const double golden = (std::sqrt(5.0) - 1) / 2;
  for (int step = 0; step < 200; ++step) {
    const double left = high - golden * (high - low);
    const double right = low + golden * (high - low);
    (bound(left) < bound(right) ? high : low) = bound(left) < bound(right) ? right : left;
  }
  return std::max(0.0, bound((low + high) / 2) * (1 + 0x1p-40));
}

DiscreteGaussianMechanism::DiscreteGaussianMechanism(Sensitivity sensitivity, NoiseStddev stddev, Delta delta)
    : sensitivity_(std::move(sensitivity)),
      variance_(variance_at_least(stddev.value())),
      delta_(delta.value()) {
  if (delta_ == 0) {
    throw InvalidArgument(
        {.what = "0", .where = "delta of discrete Gaussian noise", .expected = "above 0 and below 1"});
  }
  (void)sensitivity_.l2();
}

double DiscreteGaussianMechanism::rho() const {
  const double l2 = sensitivity_.l2().value();
  return l2 * l2 / (2 * variance_.value());
}

Event DiscreteGaussianMechanism::event() const {
  return ApproximateEvent{epsilon_of_concentrated(rho(), delta_), delta_};
}

void DiscreteGaussianMechanism::write(std::string what, ReleaseLog& log, const RandomStream& stream) const {
  log.add(Release{.what = std::move(what),
                  .unit = sensitivity_.unit().text(),
                  .mechanism = "discrete-gaussian",
                  .sensitivity = sensitivity_.l2().value(),
                  .norm = "L2",
                  .noise_stddev = std::sqrt(variance_.value()),
                  .times = 1,
                  .sampling = "none",
                  .reference = "Canonne, Kamath, Steinke 2020, Theorem 4; " + sensitivity_.argument(),
                  .replayable = stream.replayable(),
                  .event = event()});
}

std::int64_t DiscreteGaussianMechanism::release(const Secret<std::int64_t>& value, std::string what,
                                                ReleaseLog& log, RandomStream& stream) const {
  const std::int64_t noise = discrete_gaussian(stream, variance_);
  write(std::move(what), log, stream);
  const std::int64_t* opened = value.read(OpeningBy<DiscreteGaussianMechanism>::key());
  return (opened != nullptr ? bounded(*opened) : 0) + noise;
}

std::vector<std::int64_t> DiscreteGaussianMechanism::release(const Secret<std::vector<std::int64_t>>& value,
                                                             std::size_t length, std::string what,
                                                             ReleaseLog& log, RandomStream& stream) const {
  std::vector<std::int64_t> result(length);
  for (std::int64_t& noise : result) noise = discrete_gaussian(stream, variance_);
  write(std::move(what), log, stream);
  const std::vector<std::int64_t>* opened = value.read(OpeningBy<DiscreteGaussianMechanism>::key());
  if (opened != nullptr && opened->size() == length) {
    for (std::size_t i = 0; i < length; ++i) result[i] += bounded((*opened)[i]);
  }
  return result;
}

}  // namespace privet::privacy
