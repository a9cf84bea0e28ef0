#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "privet/base/random.hpp"
#include "privet/nn/private_optimizer.hpp"

namespace privet::methods {

/// How a private training goes beyond its plan: what costs nothing, and what `paper` rigor looks at.
struct PrivateFitOptions {
  nn::OptimizerOptions optimizer;
  /// Share of the last steps whose parameters are averaged: post-processing. 0 takes the last step's.
  double average = 0;
  std::string label;  ///< of the progress bar
  std::string what;   ///< of the releases
  /// Examples whose accuracy chooses the epoch, without noise: an unaccounted use. Null in strict rigor.
  const privacy::Secret<nn::Examples>* validation = nullptr;
  /// Post-processing of the parameters after every step, and of what is returned: a projection.
  std::function<void(nn::Parameters& parameters)> after_step = {};
};

struct PrivateFit {
  nn::Parameters parameters;
  std::uint64_t epochs = 0;  ///< to which the steps amount
  std::optional<double> validation_accuracy = {};
};

/// All steps of the plan, from `initial`.
PrivateFit private_fit(const nn::Network& network, const nn::PrivateTraining& training,
                       const PrivateFitOptions& options, const privacy::Secret<nn::Examples>& examples,
                       nn::Parameters initial, RandomStream& noise, privacy::ReleaseLog& log);
/// The same on training subgraphs; no validation.
PrivateFit private_fit(const nn::Network& network, const nn::PrivateTraining& training,
                       const PrivateFitOptions& options, const privacy::Secret<nn::StarExamples>& examples,
                       nn::Parameters initial, RandomStream& noise, privacy::ReleaseLog& log);

}  // namespace privet::methods
