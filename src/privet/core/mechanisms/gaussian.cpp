#include "privet/core/mechanisms/gaussian.hpp"

#include <cmath>
#include <limits>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/core/mechanisms/grid.hpp"
#include "privet/core/noise/gaussian.hpp"
#include "privet/core/opening.hpp"

namespace privet::privacy {
namespace {

constexpr double kRoundings = 8 * std::numeric_limits<double>::epsilon();
constexpr std::size_t kGrain = std::size_t{1} << 16;

double charge(const Sensitivity& sensitivity, double grid) {
  const double rounding = grid * std::sqrt(static_cast<double>(sensitivity.coordinates()));
  return (sensitivity.l2().value() + rounding) * (1 + kRoundings);
}

// With very many coordinates and very much noise, rounding them costs so much that the noise outgrows its
// grid.
void require_steps(double stddev, double grid) {
  if (stddev > kMostGaussianSteps * grid) {
    throw InvalidArgument({.what = "so much noise on so many coordinates",
                           .where = "Gaussian mechanism",
                           .expected = "noise multiplier x sqrt(coordinates) of at most 10 million",
                           .remedy = "release fewer coordinates, or less noise on each"});
  }
}

}  // namespace

GaussianMechanism GaussianMechanism::with_multiplier(Sensitivity sensitivity, double noise_multiplier) {
  const Event checked = GaussianEvent{noise_multiplier};
  const double grid = grid_below(noise_multiplier * sensitivity.l2().value());
  const double charged = charge(sensitivity, grid);
  const NoiseStddev stddev(noise_multiplier * charged * (1 + kRoundings));
  require_steps(stddev.value(), grid);
  return {std::move(sensitivity), charged, noise_multiplier, stddev, grid};
}

GaussianMechanism GaussianMechanism::with_stddev(Sensitivity sensitivity, NoiseStddev stddev) {
  const double grid = grid_below(stddev.value());
  const double charged = charge(sensitivity, grid);
  const double multiplier = stddev.value() / charged * (1 - kRoundings);
  require_steps(stddev.value(), grid);
  return {std::move(sensitivity), charged, multiplier, stddev, grid};
}

std::vector<std::int32_t> GaussianMechanism::draw(std::size_t count, RandomStream& stream) const {
  std::vector<std::int32_t> noise(count);
  fill_rounded_gaussian(stream, stddev_.value() / grid_, noise);
  return noise;
}

void GaussianMechanism::write(std::string what, ReleaseLog& log, const RandomStream& stream) const {
  log.add(Release{.what = std::move(what),
                  .unit = sensitivity_.unit().text(),
                  .mechanism = "gaussian",
                  .sensitivity = charged_,
                  .norm = "L2",
                  .noise_stddev = stddev_.value(),
                  .times = 1,
                  .sampling = "none",
                  .reference = "Dong, Roth, Su 2022, Theorem 1; " + sensitivity_.argument() +
                               "; ideal Gaussian noise, rounded, docs/privacy/mechanisms.md#gaussian",
                  .replayable = stream.replayable(),
                  .event = event()});
}

double GaussianMechanism::release(const Secret<double>& value, std::string what, ReleaseLog& log,
                                  RandomStream& stream) const {
  const std::int32_t noise = draw(1, stream).front();
  write(std::move(what), log, stream);
  const double* opened = value.read(OpeningBy<GaussianMechanism>::key());
  return from_steps((opened != nullptr ? to_steps(*opened, grid_) : 0) + noise, grid_);
}

std::vector<double> GaussianMechanism::release(const Secret<std::vector<double>>& value, std::size_t length,
                                               std::string what, ReleaseLog& log,
                                               RandomStream& stream) const {
  const std::vector<std::int32_t> noise = draw(length, stream);
  std::vector<double> result(length);
  write(std::move(what), log, stream);
  const std::vector<double>* opened = value.read(OpeningBy<GaussianMechanism>::key());
  const bool fits = opened != nullptr && opened->size() == length;
  for (std::size_t i = 0; i < length; ++i) {
    result[i] = from_steps((fits ? to_steps((*opened)[i], grid_) : 0) + noise[i], grid_);
  }
  return result;
}

tensor::Matrix GaussianMechanism::release(const Secret<tensor::Matrix>& value, std::size_t rows,
                                          std::size_t columns, std::string what, ReleaseLog& log,
                                          RandomStream& stream) const {
  // A copy of the right shape whatever the secret holds; from there on it is the same as in place.
  Secret<tensor::Matrix> copy =
      value.map([](const tensor::Matrix& m, std::size_t r,
                   std::size_t c) { return m.rows() == r && m.columns() == c ? m : tensor::Matrix(r, c); },
                rows, columns);
  return release(std::move(copy), rows, columns, std::move(what), log, stream);
}

tensor::Matrix GaussianMechanism::release(Secret<tensor::Matrix>&& value, std::size_t rows,
                                          std::size_t columns, std::string what, ReleaseLog& log,
                                          RandomStream& stream) const {
  const std::vector<std::int32_t> noise = draw(rows * columns, stream);
  tensor::Matrix result(0, 0);
  write(std::move(what), log, stream);
  Secret<tensor::Matrix> taken = std::move(value);
  tensor::Matrix* opened = taken.read(OpeningBy<GaussianMechanism>::key());
  const bool fits = opened != nullptr && opened->rows() == rows && opened->columns() == columns;
  result = fits ? std::move(*opened) : tensor::Matrix(rows, columns);
  const std::span<float> values = result.values();
  parallel_for(values.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      // Rounding to float32 comes after the noise, so it is post-processing.
      values[i] = static_cast<float>(from_steps(to_steps(values[i], grid_) + noise[i], grid_));
    }
  });
  return result;
}

tensor::Matrix GaussianMechanism::release(const Secret<FixedPointMatrix>& value, std::size_t rows,
                                          std::size_t columns, std::string what, ReleaseLog& log,
                                          RandomStream& stream) const {
  const std::vector<std::int32_t> noise = draw(rows * columns, stream);
  tensor::Matrix result(rows, columns);
  write(std::move(what), log, stream);
  const FixedPointMatrix* opened = value.read(OpeningBy<GaussianMechanism>::key());
  const bool fits = opened != nullptr && opened->rows == rows && opened->columns == columns &&
                    opened->steps.size() == noise.size();
  const std::span<float> values = result.values();
  parallel_for(values.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t steps = fits ? to_steps(from_steps(opened->steps[i], opened->grid), grid_) : 0;
      values[i] = static_cast<float>(from_steps(steps + noise[i], grid_));
    }
  });
  return result;
}

}  // namespace privet::privacy
