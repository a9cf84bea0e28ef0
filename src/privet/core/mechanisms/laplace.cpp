#include "privet/core/mechanisms/laplace.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/grid.hpp"
#include "privet/core/noise/discrete_laplace.hpp"
#include "privet/core/opening.hpp"

namespace privet::privacy {
namespace {

constexpr double kRoundings = 8 * std::numeric_limits<double>::epsilon();

}  // namespace

LaplaceMechanism LaplaceMechanism::with_epsilon(Sensitivity sensitivity, Epsilon epsilon) {
  if (epsilon.value() == 0) {
    throw InvalidArgument({.what = "0", .where = "epsilon of Laplace noise", .expected = "above 0"});
  }
  const double plain = sensitivity.l1().value();
  const double grid = grid_below(plain / epsilon.value());
  const double charged = (plain + grid * static_cast<double>(sensitivity.coordinates())) * (1 + kRoundings);
  const double half_steps = std::ceil(2 * charged / epsilon.value() / grid * (1 + kRoundings));
  if (!(half_steps <= static_cast<double>(kLargestDenominator))) {
    throw InvalidArgument({.what = "rounding costs more than the value itself",
                           .where = sensitivity.value(),
                           .remedy = "spend a larger epsilon or release fewer coordinates"});
  }
  return {std::move(sensitivity), charged, grid, static_cast<std::uint64_t>(half_steps)};
}

Event LaplaceMechanism::event() const { return LaplaceEvent{scale() / charged_ * (1 - kRoundings)}; }

void LaplaceMechanism::write(std::string what, ReleaseLog& log, const RandomStream& stream) const {
  log.add(
      Release{.what = std::move(what),
              .unit = sensitivity_.unit().text(),
              .mechanism = "laplace",
              .sensitivity = charged_,
              .norm = "L1",
              .noise_stddev = scale() * std::numbers::sqrt2,
              .times = 1,
              .sampling = "none",
              .reference = "Dwork, McSherry, Nissim, Smith 2006, Proposition 1; " + sensitivity_.argument(),
              .replayable = stream.replayable(),
              .event = event()});
}

double LaplaceMechanism::release(const Secret<double>& value, std::string what, ReleaseLog& log,
                                 RandomStream& stream) const {
  const std::int64_t noise = rounded_laplace(stream, half_steps_);
  write(std::move(what), log, stream);
  const double* opened = value.read(OpeningBy<LaplaceMechanism>::key());
  return from_steps((opened != nullptr ? to_steps(*opened, grid_) : 0) + noise, grid_);
}

std::vector<double> LaplaceMechanism::release(const Secret<std::vector<double>>& value, std::size_t length,
                                              std::string what, ReleaseLog& log, RandomStream& stream) const {
  std::vector<std::int64_t> noise(length);
  for (std::int64_t& n : noise) n = rounded_laplace(stream, half_steps_);
  std::vector<double> result(length);
  write(std::move(what), log, stream);
  const std::vector<double>* opened = value.read(OpeningBy<LaplaceMechanism>::key());
  const bool fits = opened != nullptr && opened->size() == length;
  for (std::size_t i = 0; i < length; ++i) {
    result[i] = from_steps((fits ? to_steps((*opened)[i], grid_) : 0) + noise[i], grid_);
  }
  return result;
}

}  // namespace privet::privacy
