#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "privet/nn/examples.hpp"
#include "privet/nn/network.hpp"
#include "privet/nn/optimizer.hpp"

namespace privet::nn {

/// By what the epoch is chosen whose parameters are kept, on the validation examples: the first with the
/// largest accuracy or with the smallest mean loss.
enum class Selection : std::uint8_t { accuracy, loss };

/// Of outputs whose softmax are the probabilities of the classes, or of outputs that are logarithms of
/// probabilities already.
enum class Loss : std::uint8_t { cross_entropy, likelihood };

struct TrainerOptions {
  std::uint64_t epochs = 100;
  std::uint64_t batch = 0;  ///< rows; 0 is the full batch
  OptimizerOptions optimizer;
  Selection selection = Selection::accuracy;
  Loss loss = Loss::cross_entropy;  ///< of fit_on_graph; that of fit is cross-entropy
  /// Stop after so many epochs without a better validation; 0 never stops early.
  std::uint64_t patience = 0;
  /// fit_on_graph measures the validation accuracy every so many epochs, and after the last; at least 1.
  std::uint64_t validate_every = 1;
  std::string label = "training";  ///< of the progress bar
};

struct TrainingResult {
  Parameters parameters;     ///< of the selected epoch; of the last one without validation
  std::uint64_t epochs = 0;  ///< run
  std::uint64_t best_epoch = 0;
  double final_loss = 0;                      ///< mean over the training examples of the last epoch
  std::optional<double> validation_accuracy;  ///< of the parameters returned
  std::optional<double> validation_loss;      ///< likewise, where it is what they were selected by
};

/// Ordinary training on public data: nothing here protects anybody.
///
/// A loss that is not finite stops the run with an Error that says at which epoch.
class Trainer {
 public:
  Trainer(const Network& network, TrainerOptions options);

  /// Rows are examples: mini-batches are drawn from them, in a fresh order every epoch, and the average loss
  /// of a batch is minimised. The validation accuracy is measured after every epoch if there are validation
  /// examples.
  TrainingResult fit(const Examples& training, const Examples& validation, Parameters initial,
                     RandomStream& stream) const;

  /// Full batch over all rows of a graph: `labels` has -1 where a row is not for training. `validation` are
  /// rows and their labels, -1 elsewhere.
  TrainingResult fit_on_graph(const graph::Features& features, const Propagation& propagation,
                              const std::vector<std::int32_t>& labels,
                              const std::vector<std::int32_t>& validation, Parameters initial,
                              RandomStream& stream) const;

 private:
  const Network& network_;
  TrainerOptions options_;
};

/// The share of rows whose largest output is their label; rows with label -1 do not count. 0 without rows.
double accuracy(tensor::ConstMatrixView outputs, std::span<const std::int32_t> labels);

/// The mean loss of the rows; those with label -1 do not count. 0 without rows.
double mean_loss(tensor::ConstMatrixView outputs, std::span<const std::int32_t> labels,
                 Loss loss = Loss::cross_entropy);

/// Outputs for all rows, in batches: nothing larger than one batch and the result is held.
tensor::Matrix outputs_of(const Network& network, const Parameters& parameters, const Input& input,
                          const Propagation* propagation = nullptr);

}  // namespace privet::nn
