#include "privet/methods/fold_prior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/sha256.hpp"
#include "privet/graph/split.hpp"
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

// The last few priors, by everything that they were made from.
class Memory {
 public:
  std::shared_ptr<const FoldPrior> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(known_, key, &Known::first);
    return found == known_.end() ? nullptr : found->second;
  }
  void keep(const std::string& key, std::shared_ptr<const FoldPrior> prior) {
    constexpr std::size_t kMost = 32;
    const std::lock_guard lock(mutex_);
    known_.emplace_back(key, std::move(prior));
    if (known_.size() > kMost) known_.pop_front();
  }

 private:
  using Known = std::pair<std::string, std::shared_ptr<const FoldPrior>>;
  std::mutex mutex_;
  std::deque<Known> known_;
};

template <typename T>
void add_values(Sha256& hash, std::span<const T> values) {
  const std::uint64_t count = values.size();
  hash.update(std::as_bytes(std::span(&count, 1)));
  hash.update(std::as_bytes(values));
}

std::string key_of(const FoldOptions& options, const graph::Features& features,
                   const std::vector<std::int32_t>& labels, std::size_t classes, const graph::Split& split,
                   RandomStream& stream) {
  Sha256 hash;
  const std::string text = fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", options.folds, options.shape.layers,
      options.shape.width, options.shape.activation, options.shape.dropout, options.shape.batch_norm,
      options.shape.initialization, options.training.epochs, options.training.batch,
      options.training.optimizer, options.training.learning_rate, options.training.weight_decay,
      options.training.final_rate, options.training.patience, classes, stream.bits());
  add_values(hash, std::span<const char>(text));
  const std::array<std::uint64_t, 4> more = {stream.bits(), stream.bits(), stream.bits(),
                                             graph::feature_columns(features)};
  add_values(hash, std::span<const std::uint64_t>(more));
  add_values(hash, std::span<const std::int32_t>(labels));
  add_values(hash, std::span<const graph::Role>(split.roles));
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) {
    add_values(hash, std::span<const float>(dense->values()));
  } else if (const auto* sparse = std::get_if<tensor::SparseMatrix>(&features)) {
    add_values(hash, std::span<const std::uint64_t>(sparse->offsets()));
    add_values(hash, std::span<const std::uint32_t>(sparse->column_indices()));
    if (!sparse->all_ones()) add_values(hash, std::span<const float>(sparse->values()));
  }
  return to_hex(hash.finish());
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
  throw DataError({.what = fmt::format("{} training nodes for {} folds", training_nodes, options.folds),
                   .where = "folds",
                   .expected = "at least one node for each"});
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
  static Memory memory;
  const std::string key = key_of(options, features, labels, classes, split, *stream.fork("key", 0));
  if (std::shared_ptr<const FoldPrior> known = memory.find(key)) return known;
  auto trained =
      std::make_shared<const FoldPrior>(train_folds(options, features, labels, classes, split, stream));
  memory.keep(key, trained);
  return trained;
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
