#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "privet/tensor/matrix.hpp"
#include "privet/tensor/update.hpp"

namespace privet::nn {

/// The first rows x columns parameters, read as rows, stay within a ball: rows that a step made longer are
/// scaled down to its radius.
struct RowBall {
  std::size_t rows = 0;  ///< 0: no ball
  std::size_t columns = 0;
  float radius = 0;
};

struct OptimizerOptions {
  enum class Kind : std::uint8_t { sgd, adam };
  Kind kind = Kind::adam;
  double learning_rate = 0.01;
  double weight_decay = 0;  ///< added to the gradient, times the parameter, as in PyTorch
  double momentum = 0;      ///< of sgd
  double beta1 = 0.9;       ///< of adam, as the next two
  double beta2 = 0.999;
  double stability = 1e-8;
  /// The rate falls in a straight line to this share of itself at the last step.
  double final_share = 1;
  RowBall ball = {};
};

/// Turns gradients into steps. Knows nothing of where the gradient comes from: the private optimiser feeds it
/// noisy sums, the plain trainer exact ones.
class Optimizer {
 public:
  Optimizer(const OptimizerOptions& options, std::size_t parameters, std::uint64_t steps);

  /// One step along `gradient` x `scale` (a public number: 1 / batch size).
  void step(std::span<const float> gradient, double scale, std::span<float> parameters);

  /// The same step for a gradient that comes in pieces: next_step(), then every piece once, in any order and
  /// on any thread, then end_step(). `first` is where the piece begins.
  void next_step(double scale);
  void step_piece(std::size_t first, std::span<const float> gradient, std::span<float> parameters);
  void end_step(std::span<float> parameters);

  /// What a step reads and writes beside the gradient; empty where it has nothing there.
  [[nodiscard]] std::array<std::span<const float>, 3> touched(std::span<const float> parameters) const {
    return {first_, second_, parameters};
  }

  [[nodiscard]] std::uint64_t steps_done() const noexcept { return done_; }

 private:
  OptimizerOptions options_;
  std::uint64_t steps_;
  std::uint64_t done_ = 0;
  std::variant<tensor::DescentStep, tensor::AdamStep> step_;
  std::atomic<bool> rows_were_cut_ = false;  // pieces did not end where rows do
  tensor::AlignedVector<float> first_;       // momentum
  tensor::AlignedVector<float> second_;      // adam's mean of squares
};

/// "sgd" or "adam"; anything else is an InvalidArgument with the nearest.
OptimizerOptions::Kind parse_optimizer(const std::string& name);

}  // namespace privet::nn
