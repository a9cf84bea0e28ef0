#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privet/base/random.hpp"

namespace privet {

/// Draws for generators and initial weights. Noise that protects someone has samplers of its own in
/// core/, whose tails and rounding are part of the guarantee.

double standard_normal(RandomStream& stream);
double exponential(RandomStream& stream);

/// How many failures before the next success of a coin that falls well with probability p in (0, 1]; capped
/// at `most`. Visiting successes by such skips takes time linear in the successes, not in the trials.
class GeometricSkip {
 public:
  explicit GeometricSkip(double p);
  std::uint64_t operator()(RandomStream& stream, std::uint64_t most) const;

  /// Many at once, capped at 2^62: several times faster than one by one.
  void fill(RandomStream& stream, std::span<std::uint64_t> skips) const;

 private:
  double inverse_log_failure_;  // 1 / log(1-p); 0 when p is 1
};

/// Index i with probability weights[i] / sum, in constant time per draw (Walker's alias method).
class AliasTable {
 public:
  /// Weights are finite, at least 0, and not all 0.
  explicit AliasTable(std::span<const double> weights);
  std::size_t operator()(RandomStream& stream) const;

 private:
  struct Cell {
    double keep;
    std::uint32_t other;
  };
  std::vector<Cell> cells_;
};

}  // namespace privet
