#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/noise/discrete_laplace.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/core/sensitivity.hpp"

namespace privet::privacy {

/// Adds discrete Gaussian noise to integers: no grid, no rounding, no floating point in the noise.
///
///   unit         that of the Sensitivity
///   sensitivity  L2
///   loss         rho = sensitivity^2 / (2 variance) of concentrated DP (Canonne, Kamath, Steinke 2020,
///                Theorem 4), turned into (epsilon, delta) by their Proposition 12; ApproximateEvent
///
/// Discrete Gaussian noise is not a function of Gaussian noise, so it is not Gaussian DP and the event is
/// (epsilon, delta) at one delta. Several such releases compose less tightly than GaussianMechanism's, which
/// is the better choice for many releases.
///
/// Shapes and failures are treated as GaussianMechanism does; noise and log come before the secret is opened.
/// Values are cut off at +-2^51, a public bound.
class DiscreteGaussianMechanism {
 public:
  /// `delta` is the one of the event, above 0. Variances are multiples of 2^-10: the next one up is used.
  DiscreteGaussianMechanism(Sensitivity sensitivity, NoiseStddev stddev, Delta delta);

  [[nodiscard]] const Sensitivity& sensitivity() const noexcept { return sensitivity_; }
  [[nodiscard]] Ratio variance() const noexcept { return variance_; }
  [[nodiscard]] double rho() const;
  [[nodiscard]] Event event() const;

  [[nodiscard]] std::int64_t release(const Secret<std::int64_t>& value, std::string what, ReleaseLog& log,
                                     RandomStream& stream) const;
  [[nodiscard]] std::vector<std::int64_t> release(const Secret<std::vector<std::int64_t>>& value,
                                                  std::size_t length, std::string what, ReleaseLog& log,
                                                  RandomStream& stream) const;

 private:
  void write(std::string what, ReleaseLog& log, const RandomStream& stream) const;

  Sensitivity sensitivity_;
  Ratio variance_;
  double delta_;
};

/// The epsilon at `delta` (above 0) of any mechanism with rho-concentrated DP: the infimum over orders a > 1
/// of rho a + (log(1/delta) + (a - 1) log(1 - 1/a) - log a) / (a - 1). Every order gives a valid bound; the
/// search only looks for a good one.
double epsilon_of_concentrated(double rho, double delta);

}  // namespace privet::privacy
