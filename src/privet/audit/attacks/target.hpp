#pragma once

#include <memory>
#include <optional>
#include <string>

#include "privet/graph/dataset.hpp"
#include "privet/learn/method.hpp"

namespace privet::audit {

/// A trained model under attack and what may be asked of it. Attacks are for the owner of the data: they look
/// at answers that a deployment might give to single people only.
struct Target {
  const methods::Method& method;
  methods::Model model;
  privacy::Unit unit;
  const graph::Dataset& dataset;
  /// The noisy graph that the method released and learnt from, where there is one and it is known: the graph
  /// on which its network is asked. What is true is in `dataset` all the same.
  std::optional<graph::Graph> released = {};
  /// Its answers, where they were given once: of a graph that the model was not trained on and of which it
  /// released something first.
  std::optional<tensor::Matrix> given = {};
};

/// Trains one. The released graph is drawn with the very noise of the training.
Target train_target(const methods::Method& method, const methods::Request& request,
                    const graph::Dataset& dataset, const graph::Split& split, const RandomStream& root);

/// A model asked about a graph that it was not trained on, with a release of its own where the method makes
/// one.
Target infer_target(const methods::Method& method, methods::Model model, const methods::Request& request,
                    const graph::Dataset& dataset, const RandomStream& root);

/// The model alone, of training with these roles.
methods::Model train_model(const methods::Method& method, const methods::Request& request,
                           const graph::Dataset& dataset, const graph::Split& split,
                           const RandomStream& root);

/// Scores before the softmax that the model gives to all nodes of the data set: of the released model, asked
/// as `privet predict` asks it.
tensor::Matrix answers(const methods::Method& method, const methods::Model& model,
                       const graph::Dataset& dataset, const privacy::Unit& unit);

/// The same of a target, or what it gave once.
tensor::Matrix answers(const Target& target);

/// Softmax of every row, in double precision, one row after the other.
std::vector<double> posteriors(const tensor::Matrix& scores);

/// ln p - ln(1 - p) of the probability that these scores give to the class: LiRA's statistic. Stable for any
/// scores, finite for all that are.
double label_logit(std::span<const float> scores, std::int32_t label);

}  // namespace privet::audit
