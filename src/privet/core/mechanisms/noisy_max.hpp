#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/core/sensitivity.hpp"

namespace privet::privacy {

/// Tells which of several public candidates has (about) the largest score, and nothing of the scores.
///
///   unit         that of the Sensitivity
///   sensitivity  of one score: L-infinity, plus one grid step for rounding (grid.hpp)
///   loss         epsilon, pure (McKenna, Sheldon 2020, Theorem 1); PureEvent
///
/// It is "permute and flip": candidates in random order, each taken with probability exp(epsilon (score -
/// best) / (2 sensitivity)), the same law as the largest score after adding exponential noise to each (Ding
/// et al. 2021) and never worse than the exponential mechanism. The coins are exact, in integer arithmetic
/// (bernoulli_exp.hpp): there is no floating point noise to attack. How many are tossed depends on the
/// scores; they come from a fork, so that the stream's later numbers do not.
///
/// The number of candidates is public: scores of another length, or that failed, count as all equal. A score
/// that is not a number counts as 0.
class NoisyMax {
 public:
  /// `epsilon` from 2^-20 to 2^20.
  NoisyMax(Sensitivity sensitivity, Epsilon epsilon);

  [[nodiscard]] const Sensitivity& sensitivity() const noexcept { return sensitivity_; }
  [[nodiscard]] double grid() const noexcept { return grid_; }
  [[nodiscard]] Event event() const;

  /// The index of a candidate, of which there is at least one.
  [[nodiscard]] std::size_t release(const Secret<std::vector<double>>& scores, std::size_t candidates,
                                    std::string what, ReleaseLog& log, RandomStream& stream) const;

 private:
  Sensitivity sensitivity_;
  double grid_;
  std::uint64_t steps_;      // sensitivity of a score in grid steps
  std::uint64_t numerator_;  // the exponent of one step, over kDenominator
};

}  // namespace privet::privacy
