#pragma once

#include <string>
#include <vector>

#include "privet/audit/observation.hpp"

namespace privet::audit {

/// One number from many: the direction that tells two worlds apart best if both are Gaussian with one
/// covariance (Fisher's discriminant). Learnt on pilot runs and fixed from then on; a bad one makes a weak
/// audit, never a wrong one.
///
/// With few runs for many numbers the correlations are not to be trusted: they are shrunk towards 0 by the
/// share (numbers) / (numbers + runs).
class Discriminant {
 public:
  /// At least two observations of each world.
  Discriminant(const std::vector<Observation>& first, const std::vector<Observation>& second);

  [[nodiscard]] double operator()(const Observation& seen) const;

  /// How many standard deviations apart the pilot's worlds are along the direction: grows with what there is
  /// to see, but also by chance.
  [[nodiscard]] double separation() const noexcept { return separation_; }

 private:
  struct Term {
    std::string name;
    double weight;
    double center;
  };
  std::vector<Term> terms_;
  double separation_ = 0;
};

}  // namespace privet::audit
