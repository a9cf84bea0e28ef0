#include "privet/learn/feature_gate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "privet/learn/dense_network.hpp"
#include "privet/learn/remembered.hpp"
#include "privet/learn/row_scores.hpp"
#include "privet/nn/trainer.hpp"

namespace privet::methods {
namespace {

const std::string kAlike = "without the graph";  // says that the method's own network answers so

/// A way to answer from the features alone.
struct Perceptron {
  std::string prefix;  // of its tensors
  DenseShape shape;
  double input_dropout = 0;
  nn::TrainerOptions training = {};

  [[nodiscard]] nn::Network network(std::size_t features, std::size_t classes) const {
    nn::Network made = dense_network(shape, features, classes);
    if (input_dropout > 0) made.set_input_dropout(input_dropout);
    return made;
  }
  [[nodiscard]] bool is_in(const Model& model) const {
    return std::ranges::any_of(model.tensors,
                               [&](const tensor::NamedMatrix& one) { return one.name.starts_with(prefix); });
  }
};

// mlp with the preset dpdgc, mlp as it comes, which learns faster and is better where features are many and
// dense, and what a graph convolutional network is without edges, which is better where labels are few.
std::vector<Perceptron> perceptrons() {
  Perceptron deep{
      .prefix = "features.",
      .shape = {.layers = 3, .width = 64, .activation = "selu", .dropout = 0.5, .batch_norm = true}};
  deep.training.optimizer.learning_rate = 0.001;
  Perceptron plain{.prefix = "plain features.",
                   .shape = {.layers = 2, .width = 64, .activation = "relu", .dropout = 0.5},
                   .input_dropout = 0.5};
  plain.training.epochs = 200;
  plain.training.optimizer.learning_rate = 0.01;
  plain.training.optimizer.weight_decay = 5e-4;
  Perceptron fast{
      .prefix = "fast features.",
      .shape = {.layers = 2, .width = 64, .activation = "selu", .dropout = 0.5, .batch_norm = true}};
  fast.training.optimizer.learning_rate = 0.01;
  for (Perceptron* one : {&deep, &plain, &fast}) one->training.label = "features alone";
  return {deep, plain, fast};
}

/// The best of the perceptrons on validation labels.
struct Alone {
  std::size_t way = 0;
  nn::TrainingResult learnt = {};
};

Alone train_alone(const privacy::ProtectedDataset& data, const RandomStream& stream) {
  const auto examples = [&](graph::Role role) {
    return nn::examples_of(data.features.visible(), data.labels.visible(), data.facts.split.nodes(role));
  };
  const std::vector<Perceptron> ways = perceptrons();
  Alone alone;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const nn::Network network = ways[way].network(data.facts.features, data.facts.classes);
    const std::unique_ptr<RandomStream> weights = stream.fork("weights", way);
    const std::unique_ptr<RandomStream> order = stream.fork("order", way);
    nn::TrainingResult learnt = nn::Trainer(network, ways[way].training)
                                    .fit(examples(graph::Role::train), examples(graph::Role::validation),
                                         network.initial_parameters(*weights), *order);
    if (way == 0 || learnt.validation_accuracy > alone.learnt.validation_accuracy)
      alone = {way, std::move(learnt)};
  }
  return alone;
}

// Every method and budget of a comparison asks for the same perceptrons.
std::shared_ptr<const Alone> remembered_alone(const privacy::ProtectedDataset& data,
                                              const RandomStream& stream) {
  static Remembered<Alone> known;
  return known.get(PublicInputs().add(data), stream, [&] { return train_alone(data, stream); });
}

}  // namespace

void tell_who_answers(bool graph, const std::string& why_not, Fit& fit) {
  fit.findings.insert(fit.findings.begin(),
                      {kWhoAnswers, graph ? kGraphAnswers : "features alone; " + why_not});
}

void FeatureGate::declare(OptionTable& table) {
  table.add("gate", on_,
            "strict, where labels are public: those of validation nodes choose between this and the features "
            "alone");
}

bool FeatureGate::asks(const Request& request) const {
  return on_ && request.wants_privacy() && request.rigor == privacy::Rigor::kStrict &&
         !request.unit.protects_features();
}

FeatureGate::Reads FeatureGate::ask(const Request& request, const privacy::ProtectedDataset& data, Run& run,
                                    Fit& fit, std::optional<double> alike) const {
  if (!asks(request)) return Reads::graph;
  if (data.facts.count(graph::Role::validation) == 0) {
    fit.findings.emplace_back(kWhoAnswers,
                              std::string(kGraphAnswers) + "; there are no validation nodes to ask");
    return Reads::graph;
  }
  const std::shared_ptr<const Alone> alone = remembered_alone(data, run.stream);
  const double plain = alone->learnt.validation_accuracy.value_or(0);
  const double share = std::max(plain, alike.value_or(0));
  const auto count = static_cast<double>(data.facts.count(graph::Role::validation));
  const double error = std::sqrt(share * (1 - share) / std::max(1.0, count));
  const bool better = fit.validation_accuracy.value_or(0) > share + error;
  tell_who_answers(better, kNoBetter, fit);
  if (better) return Reads::graph;
  forget_validation_loss(fit);
  fit.validation_accuracy = share;
  if (share > plain) {
    fit.model.tensors.push_back({kAlike, tensor::Matrix(1, 1)});
    return Reads::alike;
  }
  const Perceptron way = perceptrons()[alone->way];
  store(way.network(data.facts.features, data.facts.classes), alone->learnt.parameters, way.prefix,
        fit.model);
  return Reads::features;
}

bool gate_is_closed(const Model& model) {
  return std::ranges::any_of(model.tensors,
                             [](const tensor::NamedMatrix& one) { return one.name == kAlike; }) ||
         std::ranges::any_of(perceptrons(), [&](const Perceptron& one) { return one.is_in(model); });
}

std::optional<privacy::Guarded<tensor::Matrix>> scores_behind_gate(const Model& model,
                                                                   const privacy::ProtectedDataset& data) {
  for (const Perceptron& one : perceptrons()) {
    if (!one.is_in(model)) continue;
    const nn::Network network = one.network(model.features, model.classes);
    return row_scores(network, restore(network, one.prefix, model), data.features);
  }
  return std::nullopt;
}

}  // namespace privet::methods
