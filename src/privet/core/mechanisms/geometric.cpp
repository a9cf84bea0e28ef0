#include "privet/core/mechanisms/geometric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/grid.hpp"
#include "privet/core/opening.hpp"

namespace privet::privacy {
namespace {

std::int64_t bounded(std::int64_t value) { return std::clamp(value, -kMostSteps, kMostSteps); }

}  // namespace

GeometricMechanism GeometricMechanism::with_epsilon(Sensitivity sensitivity, Epsilon epsilon) {
  if (!(epsilon.value() >= 0x1p-20 && epsilon.value() <= 0x1p20)) {
    throw InvalidArgument({.what = fmt::format("{}", epsilon.value()),
                           .where = "epsilon of geometric noise",
                           .expected = "from 2^-20 to 2^20"});
  }
  // Integers differ by integers, so a bound that was rounded up may be rounded down to the next one.
  const double steps = std::floor(sensitivity.l1().value());
  if (!(steps >= 1 && steps <= 0x1p31)) {
    throw InvalidArgument({.what = fmt::format("{}", sensitivity.l1().value()),
                           .where = "sensitivity of an integer",
                           .expected = "from 1 to 2^31"});
  }
  const double rate =
      std::floor(epsilon.value() * (1 - 0x1p-48) / steps * static_cast<double>(kLargestDenominator));
  if (rate < 1) {
    throw InvalidArgument(
        {.what = "epsilon is too small for this sensitivity", .where = sensitivity.value()});
  }
  return {std::move(sensitivity), static_cast<std::uint64_t>(steps),
          Ratio{static_cast<std::uint64_t>(rate), kLargestDenominator}};
}

Event GeometricMechanism::event() const {
  return PureEvent{static_cast<double>(steps_) * rate_.value() * (1 + 0x1p-50)};
}

void GeometricMechanism::write(std::string what, ReleaseLog& log, const RandomStream& stream) const {
  const double decay = std::exp(-rate_.value());
  log.add(Release{.what = std::move(what),
                  .unit = sensitivity_.unit().text(),
                  .mechanism = "geometric",
                  .sensitivity = static_cast<double>(steps_),
                  .norm = "L1",
                  .noise_stddev = std::sqrt(2 * decay) / -std::expm1(-rate_.value()),
                  .times = 1,
                  .sampling = "none",
                  .reference = "Ghosh, Roughgarden, Sundararajan 2012; " + sensitivity_.argument(),
                  .replayable = stream.replayable(),
                  .event = event()});
}

std::int64_t GeometricMechanism::release(const Secret<std::int64_t>& value, std::string what, ReleaseLog& log,
                                         RandomStream& stream) const {
  const std::int64_t noise = discrete_laplace(stream, rate_);
  write(std::move(what), log, stream);
  const std::int64_t* opened = value.read(OpeningBy<GeometricMechanism>::key());
  return (opened != nullptr ? bounded(*opened) : 0) + noise;
}

std::vector<std::int64_t> GeometricMechanism::release(const Secret<std::vector<std::int64_t>>& value,
                                                      std::size_t length, std::string what, ReleaseLog& log,
                                                      RandomStream& stream) const {
  std::vector<std::int64_t> result(length);
  for (std::int64_t& noise : result) noise = discrete_laplace(stream, rate_);
  write(std::move(what), log, stream);
  const std::vector<std::int64_t>* opened = value.read(OpeningBy<GeometricMechanism>::key());
  if (opened != nullptr && opened->size() == length) {
    for (std::size_t i = 0; i < length; ++i) result[i] += bounded((*opened)[i]);
  }
  return result;
}

}  // namespace privet::privacy
