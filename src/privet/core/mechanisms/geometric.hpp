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

/// Adds discrete Laplace (two-sided geometric) noise to integers: no grid, no rounding.
///
///   unit         that of the Sensitivity
///   sensitivity  L1; integers differ by integers, so down to the next one
///   loss         epsilon = sensitivity x rate, pure (Ghosh, Roughgarden, Sundararajan 2012); PureEvent
///
/// Shapes and failures are treated as GaussianMechanism does; noise and log come before the secret is opened.
/// Values are cut off at +-2^51, a public bound.
class GeometricMechanism {
 public:
  /// The largest rate with which a release costs at most `epsilon`, from 2^-20 to 2^20.
  static GeometricMechanism with_epsilon(Sensitivity sensitivity, Epsilon epsilon);

  [[nodiscard]] const Sensitivity& sensitivity() const noexcept { return sensitivity_; }
  /// Noise k has probability proportional to exp(-|k| rate).
  [[nodiscard]] Ratio rate() const noexcept { return rate_; }
  [[nodiscard]] Event event() const;

  [[nodiscard]] std::int64_t release(const Secret<std::int64_t>& value, std::string what, ReleaseLog& log,
                                     RandomStream& stream) const;
  [[nodiscard]] std::vector<std::int64_t> release(const Secret<std::vector<std::int64_t>>& value,
                                                  std::size_t length, std::string what, ReleaseLog& log,
                                                  RandomStream& stream) const;

 private:
  GeometricMechanism(Sensitivity sensitivity, std::uint64_t steps, Ratio rate)
      : sensitivity_(std::move(sensitivity)), steps_(steps), rate_(rate) {}
  void write(std::string what, ReleaseLog& log, const RandomStream& stream) const;

  Sensitivity sensitivity_;
  std::uint64_t steps_;  // the sensitivity, an integer
  Ratio rate_;
};

}  // namespace privet::privacy
