#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/core/sensitivity.hpp"

namespace privet::privacy {

/// Adds Laplace noise to real numbers.
///
///   unit         that of the Sensitivity
///   sensitivity  L1, plus what rounding to the grid costs (grid.hpp): `charged`
///   loss         epsilon = charged / scale, pure (Dwork, McSherry, Nissim, Smith 2006, Proposition 1);
///                LaplaceEvent
///
/// The noise is Laplace noise rounded to the grid, drawn exactly in integer arithmetic
/// (discrete_laplace.hpp). Shapes, failures and what is not a number are treated as GaussianMechanism does;
/// noise and log come before the secret is opened here too.
class LaplaceMechanism {
 public:
  /// The smallest scale on the grid with which a release costs at most `epsilon` (positive).
  static LaplaceMechanism with_epsilon(Sensitivity sensitivity, Epsilon epsilon);

  [[nodiscard]] const Sensitivity& sensitivity() const noexcept { return sensitivity_; }
  [[nodiscard]] double charged() const noexcept { return charged_; }
  [[nodiscard]] double scale() const noexcept { return static_cast<double>(half_steps_) * grid_ / 2; }
  [[nodiscard]] double grid() const noexcept { return grid_; }
  [[nodiscard]] Event event() const;

  [[nodiscard]] double release(const Secret<double>& value, std::string what, ReleaseLog& log,
                               RandomStream& stream) const;
  [[nodiscard]] std::vector<double> release(const Secret<std::vector<double>>& value, std::size_t length,
                                            std::string what, ReleaseLog& log, RandomStream& stream) const;

 private:
  LaplaceMechanism(Sensitivity sensitivity, double charged, double grid, std::uint64_t half_steps)
      : sensitivity_(std::move(sensitivity)), charged_(charged), grid_(grid), half_steps_(half_steps) {}
  void write(std::string what, ReleaseLog& log, const RandomStream& stream) const;

  Sensitivity sensitivity_;
  double charged_;
  double grid_;
  std::uint64_t half_steps_;
};

}  // namespace privet::privacy
