#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privet/core/mechanisms/clipped_sum.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/nn/clipped_gradient.hpp"
#include "privet/nn/optimizer.hpp"
#include "privet/nn/plain_values.hpp"

namespace privet::nn {

/// Everything that private training agrees on, said once: from it come the batches, the clipping, the noise,
/// the number of steps, and the event that accountants and calibration read. Made without data.
struct PrivateTraining {
  privacy::Unit unit;
  privacy::AffectedExamples affected;  ///< by one change of the unit
  Clipping clipping;
  double noise_multiplier;  ///< standard deviation of the noise over the joint clip norm
  privacy::Sampling sampling;
  std::uint64_t population;  ///< public number of training examples
  std::uint64_t steps;
  SumIn sums = SumIn::pieces;
  std::uint64_t rows = 1;  ///< of one example, at most; more than one for stars

  /// What all steps cost together.
  [[nodiscard]] privacy::Event event() const;
  /// The same training with other noise: what calibration varies.
  [[nodiscard]] PrivateTraining with_noise(double multiplier) const;
  /// The public number by which sums are divided: the batch size, or what it is on average.
  [[nodiscard]] double expected_batch() const;
};

/// InvalidArgument or Unsound for a training that PrivateOptimizer would refuse, or whose noise could not be
/// drawn: for plans, so that it is known before anything is paid for or opened.
void require_trainable(const Network& network, const PrivateTraining& training);

/// Private SGD or Adam: every step draws a batch, clips each example's gradient, sums, adds noise and hands
/// the noisy sum to an ordinary optimiser. Networks in which examples are mixed (batch norm, message passing)
/// are refused with the reason. An empty batch is a step like any other.
class PrivateOptimizer {
 public:
  /// Unsound where the network has no gradients of single examples; InvalidArgument for numbers out of range.
  PrivateOptimizer(Network network, PrivateTraining training, const OptimizerOptions& options);

  /// One step. `examples` has as many as the plan's population; a secret of another size counts as no
  /// example. `what` goes onto the certificate.
  void step(const privacy::Secret<Examples>& examples, Parameters& parameters, const std::string& what,
            privacy::ReleaseLog& log, RandomStream& stream);
  /// The same for training subgraphs, under a plan that sums stars.
  void step(const privacy::Secret<StarExamples>& examples, Parameters& parameters, const std::string& what,
            privacy::ReleaseLog& log, RandomStream& stream);

  [[nodiscard]] const PrivateTraining& training() const noexcept { return training_; }
  [[nodiscard]] std::uint64_t steps_done() const noexcept { return optimizer_.steps_done(); }

 private:
  template <typename SomeExamples>
  void step_on(const privacy::Secret<SomeExamples>& examples, Parameters& parameters, const std::string& what,
               privacy::ReleaseLog& log, RandomStream& stream);

  Network network_;
  PrivateTraining training_;
  SumPlan sum_plan_;
  privacy::ClippedSum mechanism_;
  Optimizer optimizer_;
  std::vector<float> own_norms_;  // of every parameter's layer, where sums are measured in them
  privacy::Secret<GradientRoom> room_;
};

}  // namespace privet::nn
