#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/mechanisms/fixed_point.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/core/sensitivity.hpp"
#include "privet/tensor/matrix.hpp"

namespace privet::privacy {

/// Adds Gaussian noise to real numbers.
///
///   unit         that of the Sensitivity
///   sensitivity  L2, plus what rounding to the grid costs (grid.hpp): `charged`
///   loss         Gaussian DP with mu = charged / stddev, exactly (Dong, Roth, Su 2022, Theorem 1; Balle,
///                Wang 2018, Theorem 8 for epsilon and delta); GaussianEvent
///
/// The noise is drawn and the Release logged before the secret is opened. The shape of the result is public
/// and given by the caller: a value of another shape, and one whose computation failed, counts as zeros. What
/// is not a number counts as 0, and the sensitivity is that of the value so read. The values must be what the
/// sensitivity was worked out for *as computed*: sums of many floats round differently in another order, so
/// sum them in fixed point (fixed_point.hpp).
class GaussianMechanism {
 public:
  /// Noise of standard deviation `noise_multiplier` x charged: the event says exactly that multiplier.
  static GaussianMechanism with_multiplier(Sensitivity sensitivity, double noise_multiplier);
  /// Noise of exactly this standard deviation.
  static GaussianMechanism with_stddev(Sensitivity sensitivity, NoiseStddev stddev);

  [[nodiscard]] const Sensitivity& sensitivity() const noexcept { return sensitivity_; }
  [[nodiscard]] double charged() const noexcept { return charged_; }
  [[nodiscard]] NoiseStddev stddev() const noexcept { return stddev_; }
  [[nodiscard]] double grid() const noexcept { return grid_; }
  /// What one release costs.
  [[nodiscard]] Event event() const { return GaussianEvent{noise_multiplier_}; }

  [[nodiscard]] double release(const Secret<double>& value, std::string what, ReleaseLog& log,
                               RandomStream& stream) const;
  [[nodiscard]] std::vector<double> release(const Secret<std::vector<double>>& value, std::size_t length,
                                            std::string what, ReleaseLog& log, RandomStream& stream) const;
  [[nodiscard]] tensor::Matrix release(const Secret<tensor::Matrix>& value, std::size_t rows,
                                       std::size_t columns, std::string what, ReleaseLog& log,
                                       RandomStream& stream) const;
  /// In place: the memory of the secret becomes that of the result.
  [[nodiscard]] tensor::Matrix release(Secret<tensor::Matrix>&& value, std::size_t rows, std::size_t columns,
                                       std::string what, ReleaseLog& log, RandomStream& stream) const;
  /// Of sums in fixed point.
  [[nodiscard]] tensor::Matrix release(const Secret<FixedPointMatrix>& value, std::size_t rows,
                                       std::size_t columns, std::string what, ReleaseLog& log,
                                       RandomStream& stream) const;

 private:
  GaussianMechanism(Sensitivity sensitivity, double charged, double multiplier, NoiseStddev stddev,
                    double grid)
      : sensitivity_(std::move(sensitivity)),
        charged_(charged),
        noise_multiplier_(multiplier),
        stddev_(stddev),
        grid_(grid) {}

  [[nodiscard]] std::vector<std::int32_t> draw(std::size_t count, RandomStream& stream) const;
  void write(std::string what, ReleaseLog& log, const RandomStream& stream) const;

  Sensitivity sensitivity_;
  double charged_;
  double noise_multiplier_;
  NoiseStddev stddev_;
  double grid_;
};

}  // namespace privet::privacy
