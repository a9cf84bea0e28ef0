#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/learn/dense_network.hpp"
#include "privet/learn/model.hpp"
#include "privet/nn/network.hpp"

namespace privet::methods {

/// Class probabilities from public features and labels that are honest on the training nodes too: several
/// networks, each trained without one fold of the training nodes. A training node is judged by the network
/// that has not seen it, everybody else by the average of all. Whoever learns how far to trust these
/// probabilities (a combiner) would otherwise trust them too much.
struct FoldPrior {
  nn::Network network;
  std::vector<nn::Parameters> folds;
  nn::Parameters whole;  ///< trained on all training nodes
  /// Of every node: the fold that has not seen it, or folds.size() where none has.
  std::vector<std::uint32_t> fold_of;

  /// Log-probabilities, at least `floor` each before the logarithm, one row per node.
  [[nodiscard]] tensor::Matrix log_probabilities(const graph::Features& features, double floor) const;
  /// The same by the network that has seen all training nodes: not honest on those.
  [[nodiscard]] tensor::Matrix whole_log_probabilities(const graph::Features& features, double floor) const;
};

struct FoldOptions {
  std::uint64_t folds = 5;
  DenseShape shape;
  TrainingOptions training;
};

/// DataError where there are more folds than training nodes.
void require_folds(const FoldOptions& options, std::size_t training_nodes);

/// Draws the folds and trains, several networks at a time. Validation nodes choose the epoch. Everything it
/// reads is public: never call it where features or labels are protected.
FoldPrior train_folds(const FoldOptions& options, const graph::Features& features,
                      const std::vector<std::int32_t>& labels, std::size_t classes, const graph::Split& split,
                      RandomStream& stream);

/// The same, remembered: whoever asks again with the same public data, options and (seeded) stream, as
/// comparisons over many budgets do, gets what was trained before.
std::shared_ptr<const FoldPrior> remembered_folds(const FoldOptions& options, const graph::Features& features,
                                                  const std::vector<std::int32_t>& labels,
                                                  std::size_t classes, const graph::Split& split,
                                                  RandomStream& stream);

void store(const FoldPrior& prior, Model& model);
FoldPrior restore_folds(const FoldOptions& options, const Model& model, std::size_t nodes);
/// The same for so many nodes of other data, of which no fold has seen any.
FoldPrior restore_folds_elsewhere(const FoldOptions& options, const Model& model, std::size_t nodes);

}  // namespace privet::methods
