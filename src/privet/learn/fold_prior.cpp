#include "privet/learn/fold_prior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/graph/split.hpp"
#include "privet/learn/remembered.hpp"
#include "privet/nn/examples.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

const std::string kFoldOf = "prior.fold_of";

std::string prefix_of(std::size_t fold) { return fmt::format("prior.{}.", fold); }

// Folds of equal size, up to one, in random order; fold `folds` for everybody else.
std::vector<std::uint32_t> draw_folds(std::size_t nodes, std::vector<graph::NodeId> training,
                                      std::uint64_t folds, RandomStream& stream) {
  graph::shuffle(training, stream);
  std::vector<std::uint32_t> fold_of(nodes, static_cast<std::uint32_t>(folds));
  for (std::size_t i = 0; i < training.size(); ++i)
    fold_of[training[i]] = static_cast<std::uint32_t>(i % folds);
  return fold_of;
}

PublicInputs inputs_of(const FoldOptions& options, const graph::Features& features,
                       const std::vector<std::int32_t>& labels, std::size_t classes,
                       const graph::Split& split) {
  PublicInputs inputs;
  inputs
      .add(fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", options.folds,
                       options.shape.layers, options.shape.width, options.shape.activation,
                       options.shape.dropout, options.shape.batch_norm, options.shape.initialization,
                       options.training.epochs, options.training.batch, options.training.optimizer,
                       options.training.learning_rate, options.training.weight_decay,
                       options.training.final_rate, options.training.select, options.training.patience,
                       options.training.validate_every, classes))
      .add(std::span<const std::int32_t>(labels))
      .add(std::span<const graph::Role>(split.roles))
      .add(features);
  return inputs;
}

void to_log_probabilities(tensor::Matrix& logits, double floor) {
  tensor::softmax_rows(logits, logits);
  for (float& value : logits.values())
    value = static_cast<float>(std::log(static_cast<double>(value) + floor));
}

}  // namespace

tensor::Matrix FoldPrior::log_probabilities(const graph::Features& features, double floor) const {
  std::vector<tensor::Matrix> logits(folds.size());
  parallel_for(folds.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t fold = begin; fold < end; ++fold)
      logits[fold] = nn::outputs_of(network, folds[fold], nn::all_rows(features));
  });
  tensor::Matrix prior(fold_of.size(), network.outputs());
  for (std::size_t i = 0; i < fold_of.size(); ++i) {
    const bool seen = fold_of[i] < folds.size();
    for (std::size_t fold = 0; fold < folds.size(); ++fold) {
      if (seen && fold != fold_of[i]) continue;
      const double share = seen ? 1 : 1 / static_cast<double>(folds.size());
      for (std::size_t c = 0; c < prior.columns(); ++c)
        prior(i, c) += static_cast<float>(share * static_cast<double>(logits[fold](i, c)));
    }
  }
  to_log_probabilities(prior, floor);
  return prior;
}

tensor::Matrix FoldPrior::whole_log_probabilities(const graph::Features& features, double floor) const {
  tensor::Matrix prior = nn::outputs_of(network, whole, nn::all_rows(features));
  to_log_probabilities(prior, floor);
  return prior;
}

void require_folds(const FoldOptions& options, std::size_t training_nodes) {
  if (training_nodes >= options.folds) return;
  throw DataError(
      {.what = fmt::format("{} training nodes for {} folds", training_nodes, options.folds),
       .where = "folds",
       .expected = "at least one node for each",
       .remedy =
           "more nodes with labels, fewer folds (--set folds=N), or a larger share for training (--split)"});
}

FoldPrior train_folds(const FoldOptions& options, const graph::Features& features,
                      const std::vector<std::int32_t>& labels, std::size_t classes, const graph::Split& split,
                      RandomStream& stream) {
  const std::vector<graph::NodeId> training = split.nodes(graph::Role::train);
  require_folds(options, training.size());
  FoldPrior prior{
      .network = dense_network(options.shape, graph::feature_columns(features), classes),
      .folds = std::vector<nn::Parameters>(options.folds),
      .whole = {},
      .fold_of = draw_folds(split.roles.size(), training, options.folds, *stream.fork("folds", 0))};
  const nn::Examples validation = nn::examples_of(features, labels, split.nodes(graph::Role::validation));
  std::vector<std::unique_ptr<RandomStream>> weights;
  std::vector<std::unique_ptr<RandomStream>> orders;
  for (std::size_t i = 0; i <= options.folds; ++i) {
    weights.push_back(stream.fork("weights", i));
    orders.push_back(stream.fork("order", i));
  }
  const nn::Trainer trainer(prior.network, options.training.trainer_options("prior"));
  parallel_for(options.folds + 1, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t fold = begin; fold < end; ++fold) {
      std::vector<graph::NodeId> seen;
      for (const graph::NodeId node : training) {
        if (prior.fold_of[node] != fold) seen.push_back(node);
      }
      nn::Parameters learnt = trainer
                                  .fit(nn::examples_of(features, labels, seen), validation,
                                       prior.network.initial_parameters(*weights[fold]), *orders[fold])
                                  .parameters;
      (fold == options.folds ? prior.whole : prior.folds[fold]) = std::move(learnt);
    }
  });
  return prior;
}

std::shared_ptr<const FoldPrior> remembered_folds(const FoldOptions& options, const graph::Features& features,
                                                  const std::vector<std::int32_t>& labels,
                                                  std::size_t classes, const graph::Split& split,
                                                  RandomStream& stream) {
  static Remembered<FoldPrior> priors;
  PublicInputs inputs = inputs_of(options, features, labels, classes, split);
  return priors.get(inputs, stream,
                    [&] { return train_folds(options, features, labels, classes, split, stream); });
}

void store(const FoldPrior& prior, Model& model) {
  for (std::size_t fold = 0; fold < prior.folds.size(); ++fold)
    store(prior.network, prior.folds[fold], prefix_of(fold), model);
  store(prior.network, prior.whole, "prior.whole.", model);
  tensor::NamedMatrix fold_of{kFoldOf, tensor::Matrix(prior.fold_of.size(), 1)};
  std::ranges::transform(prior.fold_of, fold_of.values.values().begin(),
                         [](std::uint32_t fold) { return static_cast<float>(fold); });
  model.tensors.push_back(std::move(fold_of));
}

FoldPrior restore_folds_elsewhere(const FoldOptions& options, const Model& model, std::size_t nodes) {
  FoldPrior prior{.network = dense_network(options.shape, model.features, model.classes),
                  .folds = {},
                  .whole = {},
                  .fold_of = std::vector<std::uint32_t>(nodes, static_cast<std::uint32_t>(options.folds))};
  for (std::size_t fold = 0; fold < options.folds; ++fold)
    prior.folds.push_back(restore(prior.network, prefix_of(fold), model));
  prior.whole = restore(prior.network, "prior.whole.", model);
  return prior;
}

FoldPrior restore_folds(const FoldOptions& options, const Model& model, std::size_t nodes) {
  FoldPrior prior = restore_folds_elsewhere(options, model, 0);
  for (const float fold : model.tensor(kFoldOf, nodes, 1).values()) {
    if (!(fold >= 0 && fold <= static_cast<float>(options.folds)))
      throw DataError({.what = fmt::format("fold {}", fold), .where = "model, " + kFoldOf});
    prior.fold_of.push_back(static_cast<std::uint32_t>(fold));
  }
  return prior;
}

}  // namespace privet::methods
