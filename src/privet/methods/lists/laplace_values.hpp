#pragma once

#include <vector>

#include "privet/base/random.hpp"

namespace privet::methods {

/// Bits with Laplace noise of scale 1 / epsilon, made from the answers of randomised response with the same
/// epsilon. Everything that epsilon lets one tell of a bit can be made from that answer (Kairouz, Oh,
/// Viswanath 2015, Theorem 2), and so can this: a one becomes a number with density proportional to
/// e^epsilon f(x - 1) - f(x), f being Laplace's density, and a zero the same number mirrored at 1/2. Of the
/// bit, flips included, the number then has the density f(x - bit) exactly.
///
/// So a server draws what clients would have sent, only where it looks, and what they do send is sparse. All
/// of it is post-processing: plain doubles.
class LaplaceValues {
 public:
  /// `flip` is that of the response: 1 / (1 + e^epsilon), below 1/2.
  explicit LaplaceValues(double flip);

  [[nodiscard]] double of_one(RandomStream& stream) const;
  [[nodiscard]] double of_zero(RandomStream& stream) const { return 1 - of_one(stream); }

  /// Of what a zero becomes; a one becomes 1 minus the same, with the same variance.
  [[nodiscard]] double mean_of_zero() const noexcept { return mean_of_zero_; }
  [[nodiscard]] double variance() const noexcept { return variance_; }

  /// Two zeros add up to more than `threshold` with this probability; for thresholds from kLowest on (below
  /// it that at kLowest).
  [[nodiscard]] double zeros_above(double threshold) const;
  /// What they add up to where it is more; for thresholds below 2.
  [[nodiscard]] double zeros_above(double threshold, RandomStream& stream) const;
  static constexpr double kLowest = -4;

 private:
  double epsilon_;
  double mean_of_zero_;
  double variance_;
  std::vector<double> below_;  // probability that 2 minus the sum is below i steps
};

}  // namespace privet::methods
