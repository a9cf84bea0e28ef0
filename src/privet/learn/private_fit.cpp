#include "privet/learn/private_fit.hpp"

#include <algorithm>

#include "privet/base/progress.hpp"
#include "privet/learn/private_rows.hpp"
#include "privet/nn/trainer.hpp"

namespace privet::methods {
namespace {

template <typename SomeExamples>
PrivateFit fitted(const nn::Network& network, const nn::PrivateTraining& training,
                  const PrivateFitOptions& options, const privacy::Secret<SomeExamples>& examples,
                  nn::Parameters initial, RandomStream& noise, privacy::ReleaseLog& log) {
  nn::Parameters parameters = std::move(initial);
  nn::PrivateOptimizer optimizer(network, training, options.optimizer);
  IterateAverage average(training.steps, options.average);
  const auto per_epoch = static_cast<std::uint64_t>(
      std::max(1.0, static_cast<double>(training.population) / training.expected_batch()));
  nn::Parameters best;
  std::optional<double> best_accuracy;
  Progress progress(options.label, training.steps);
  for (std::uint64_t step = 0; step < training.steps; ++step) {
    optimizer.step(examples, parameters, options.what, log, noise);
    if (options.after_step) options.after_step(parameters);
    average.see(step, parameters);
    progress.advance();
    if (options.validation == nullptr || (step + 1) % per_epoch != 0) continue;
    const double accuracy = privacy::declassify(
        options.validation->map(
            [](const nn::Examples& rows, const nn::Network& of, const nn::Parameters& numbers) {
              return nn::accuracy(nn::outputs_of(of, numbers, nn::all_rows(rows.features)), rows.labels);
            },
            network, parameters),
        "accuracy on validation nodes after every epoch", "the paper chooses the epoch by it", log);
    if (best_accuracy && accuracy <= *best_accuracy) continue;
    best_accuracy = accuracy;
    best = parameters;
  }
  if (best_accuracy) {
    parameters = best;
  } else if (options.average > 0) {
    average.write(parameters);
  }
  if (options.after_step) options.after_step(parameters);
  return {std::move(parameters), training.steps / per_epoch, best_accuracy};
}

}  // namespace

PrivateFit private_fit(const nn::Network& network, const nn::PrivateTraining& training,
                       const PrivateFitOptions& options, const privacy::Secret<nn::Examples>& examples,
                       nn::Parameters initial, RandomStream& noise, privacy::ReleaseLog& log) {
  return fitted(network, training, options, examples, std::move(initial), noise, log);
}

PrivateFit private_fit(const nn::Network& network, const nn::PrivateTraining& training,
                       const PrivateFitOptions& options, const privacy::Secret<nn::StarExamples>& examples,
                       nn::Parameters initial, RandomStream& noise, privacy::ReleaseLog& log) {
  return fitted(network, training, options, examples, std::move(initial), noise, log);
}

}  // namespace privet::methods
