#include "privet/nn/trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "privet/base/error.hpp"
#include "privet/base/progress.hpp"
#include "privet/graph/split.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::nn {
namespace {

// The epoch with the best validation, the first of several; the last epoch without validation.
class BestEpoch {
 public:
  explicit BestEpoch(const TrainerOptions& options)
      : selection_(options.selection), loss_(options.loss), patience_(options.patience) {}

  void see(std::uint64_t epoch) { last_ = epoch_ = epoch; }
  void see(std::uint64_t epoch, const Parameters& parameters, tensor::ConstMatrixView outputs,
           std::span<const std::int32_t> labels) {
    last_ = epoch;
    const double right = accuracy(outputs, labels);
    const double merit = selection_ == Selection::loss ? -mean_loss(outputs, labels, loss_) : right;
    if (accuracy_ && merit <= merit_) return;
    merit_ = merit;
    accuracy_ = right;
    epoch_ = epoch;
    parameters_ = parameters;
  }
  [[nodiscard]] bool enough() const { return patience_ > 0 && accuracy_ && last_ - epoch_ >= patience_; }

  TrainingResult result(Parameters last, double loss) && {
    return {.parameters = accuracy_ ? std::move(parameters_) : std::move(last),
            .epochs = last_,
            .best_epoch = epoch_,
            .final_loss = loss,
            .validation_accuracy = accuracy_,
            .validation_loss =
                accuracy_ && selection_ == Selection::loss ? std::optional(-merit_) : std::nullopt};
  }

 private:
  Selection selection_;
  Loss loss_;
  std::uint64_t patience_;
  std::uint64_t last_ = 0;
  std::uint64_t epoch_ = 0;
  double merit_ = 0;
  std::optional<double> accuracy_;
  Parameters parameters_;
};

void require_finite(double loss, std::uint64_t epoch) {
  if (std::isfinite(loss)) return;
  throw Error({.what = fmt::format("the loss is no longer a number in epoch {}", epoch),
               .where = "training",
               .remedy = "lower the learning rate"});
}

// Of every row, and its gradient; both 0 for rows with label -1.
void losses_of(Loss loss, tensor::ConstMatrixView outputs, std::span<const std::int32_t> labels,
               tensor::MatrixView error, std::span<float> losses) {
  if (loss == Loss::cross_entropy) return tensor::softmax_cross_entropy(outputs, labels, error, losses);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::ranges::fill(error.row(i), 0.0F);
    losses[i] = 0;
    if (labels[i] < 0) continue;
    const auto label = static_cast<std::size_t>(labels[i]);
    if (label >= outputs.columns) throw std::logic_error("a label beyond the classes");
    losses[i] = -outputs.row(i)[label];
    error.row(i)[label] = -1;
  }
}

double sum_of(std::span<const float> losses) {
  double sum = 0;
  for (const float loss : losses) sum += static_cast<double>(loss);
  return sum;
}

}  // namespace

Trainer::Trainer(const Network& network, TrainerOptions options)
    : network_(network), options_(std::move(options)) {}

TrainingResult Trainer::fit(const Examples& training, const Examples& validation, Parameters initial,
                            RandomStream& stream) const {
  if (options_.loss != Loss::cross_entropy) throw std::logic_error("rows of a batch do not know all rows");
  if (training.count() == 0)
    throw DataError({.what = "no training nodes", .where = "split", .expected = "at least one"});
  const std::size_t batch =
      options_.batch == 0 ? training.count() : std::min<std::size_t>(options_.batch, training.count());
  const std::uint64_t batches = (training.count() + batch - 1) / batch;
  Parameters now = std::move(initial);
  Optimizer optimizer(options_.optimizer, network_.parameters(), options_.epochs * batches);
  std::vector<std::uint32_t> order(training.count());
  std::iota(order.begin(), order.end(), 0U);
  tensor::AlignedVector<float> gradient(network_.parameters());
  std::vector<float> losses(batch);
  Tape tape;
  BatchRoom room;
  BestEpoch best(options_);
  Progress progress(options_.label, options_.epochs);
  double loss = 0;
  for (std::uint64_t epoch = 1; epoch <= options_.epochs && !best.enough(); ++epoch) {
    if (batches > 1) graph::shuffle(order, stream);
    loss = 0;
    for (std::size_t first = 0; first < order.size(); first += batch) {
      const std::size_t count = std::min(batch, order.size() - first);
      const Pass pass{.training = true, .seed = stream.bits()};
      const Input input = batches == 1 ? all_rows(training.features)
                                       : gather(training, std::span(order).subspan(first, count), room);
      const std::span<const std::int32_t> labels = batches == 1 ? training.labels : room.labels;
      const tensor::ConstMatrixView logits = network_.forward(pass, now, input, tape);
      tensor::softmax_cross_entropy(logits, labels, network_.output_error(pass, input, tape),
                                    std::span(losses).first(count));
      loss += sum_of(std::span(losses).first(count));
      network_.backward(pass, now, input, tape);
      network_.gradient(pass, now, input, tape, gradient);
      optimizer.step(gradient, 1.0 / static_cast<double>(count), now.learnt);
      network_.update_statistics(tape, now);
    }
    loss /= static_cast<double>(order.size());
    require_finite(loss, epoch);
    if (validation.count() > 0) {
      best.see(epoch, now, outputs_of(network_, now, all_rows(validation.features)), validation.labels);
    } else {
      best.see(epoch);
    }
    progress.advance();
  }
  return std::move(best).result(std::move(now), loss);
}

TrainingResult Trainer::fit_on_graph(const graph::Features& features, const Propagation& propagation,
                                     const std::vector<std::int32_t>& labels,
                                     const std::vector<std::int32_t>& validation, Parameters initial,
                                     RandomStream& stream) const {
  const auto count = std::ranges::count_if(labels, [](std::int32_t label) { return label >= 0; });
  const bool validates = std::ranges::any_of(validation, [](std::int32_t label) { return label >= 0; });
  if (count == 0)
    throw DataError({.what = "no training nodes", .where = "split", .expected = "at least one"});
  Parameters now = std::move(initial);
  Optimizer optimizer(options_.optimizer, network_.parameters(), options_.epochs);
  tensor::AlignedVector<float> gradient(network_.parameters());
  std::vector<float> losses(labels.size());
  const Input input = all_rows(features);
  Tape tape;
  Tape evaluation;
  BestEpoch best(options_);
  Progress progress(options_.label, options_.epochs);
  double loss = 0;
  for (std::uint64_t epoch = 1; epoch <= options_.epochs && !best.enough(); ++epoch) {
    const Pass pass{.training = true, .seed = stream.bits(), .propagation = &propagation};
    const tensor::ConstMatrixView logits = network_.forward(pass, now, input, tape);
    losses_of(options_.loss, logits, labels, network_.output_error(pass, input, tape), losses);
    loss = sum_of(losses) / static_cast<double>(count);
    require_finite(loss, epoch);
    network_.backward(pass, now, input, tape);
    network_.gradient(pass, now, input, tape, gradient);
    optimizer.step(gradient, 1.0 / static_cast<double>(count), now.learnt);
    network_.update_statistics(tape, now);
    const bool due = epoch % std::max<std::uint64_t>(1, options_.validate_every) == 0;
    if (validates && !due && epoch < options_.epochs) {
      progress.advance();
      continue;
    }
    if (validates) {
      const Pass quiet{.propagation = &propagation};
      best.see(epoch, now, network_.forward(quiet, now, input, evaluation), validation);
    } else {
      best.see(epoch);
    }
    progress.advance();
  }
  return std::move(best).result(std::move(now), loss);
}

double accuracy(tensor::ConstMatrixView outputs, std::span<const std::int32_t> labels) {
  std::vector<std::int32_t> guesses(outputs.rows);
  tensor::largest_column(outputs, guesses);
  std::size_t counted = 0;
  std::size_t right = 0;
  for (std::size_t i = 0; i < guesses.size(); ++i) {
    if (labels[i] < 0) continue;
    ++counted;
    right += guesses[i] == labels[i] ? 1U : 0U;
  }
  return counted == 0 ? 0 : static_cast<double>(right) / static_cast<double>(counted);
}

double mean_loss(tensor::ConstMatrixView outputs, std::span<const std::int32_t> labels, Loss loss) {
  tensor::Matrix errors(outputs.rows, outputs.columns);
  std::vector<float> losses(outputs.rows);
  losses_of(loss, outputs, labels, errors, losses);
  const auto counted = std::ranges::count_if(labels, [](std::int32_t label) { return label >= 0; });
  return counted == 0 ? 0 : sum_of(losses) / static_cast<double>(counted);
}

tensor::Matrix outputs_of(const Network& network, const Parameters& parameters, const Input& input,
                          const Propagation* propagation) {
  constexpr std::size_t kRows = 2048;
  tensor::Matrix all(input.rows(), network.outputs());
  Tape tape;
  const Pass pass{.propagation = propagation};
  // Message passing needs all rows at once.
  const std::size_t piece = propagation != nullptr ? std::max<std::size_t>(input.rows(), 1) : kRows;
  for (std::size_t first = 0; first < input.rows(); first += piece) {
    const std::size_t count = std::min(piece, input.rows() - first);
    Input rows = input;
    if (input.is_sparse) {
      rows.sparse.rows = count;
      rows.sparse.begin += first;
      rows.sparse.end += first;
    } else {
      rows.dense = input.dense.row_range(first, count);
    }
    const tensor::ConstMatrixView outputs = network.forward(pass, parameters, rows, tape);
    for (std::size_t i = 0; i < count; ++i) std::ranges::copy(outputs.row(i), all.row(first + i).begin());
  }
  return all;
}

}  // namespace privet::nn
