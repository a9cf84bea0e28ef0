#include "privet/methods/feature_gate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "privet/methods/dense_network.hpp"
#include "privet/methods/row_scores.hpp"
#include "privet/nn/trainer.hpp"

namespace privet::methods {
namespace {

const std::string kPrefix = "features.";
const std::string kAlike = "without the graph";  // says that the method's own network answers so

// mlp with the preset dpdgc.
nn::Network perceptron(std::size_t features, std::size_t classes) {
  return dense_network({.layers = 3, .width = 64, .activation = "selu", .dropout = 0.5, .batch_norm = true},
                       features, classes);
}

}  // namespace

void FeatureGate::declare(OptionTable& table) {
  table.add("gate", on_,
            "edge units: validation labels, public there, choose between this and the features alone");
}

bool FeatureGate::asks(const Request& request) const {
  return on_ && request.wants_privacy() && request.rigor == privacy::Rigor::kStrict &&
         !request.unit.protects_features();
}

FeatureGate::Reads FeatureGate::ask(const Request& request, const privacy::ProtectedDataset& data, Run& run,
                                    Fit& fit, std::optional<double> alike) const {
  if (!asks(request)) return Reads::graph;
  const nn::Network network = perceptron(data.facts.features, data.facts.classes);
  const std::unique_ptr<RandomStream> weights = run.stream.fork("weights", 0);
  const std::unique_ptr<RandomStream> order = run.stream.fork("order", 0);
  const auto examples = [&](graph::Role role) {
    return nn::examples_of(data.features.visible(), data.labels.visible(), data.facts.split.nodes(role));
  };
  nn::TrainerOptions options;
  options.optimizer.learning_rate = 0.001;
  options.label = "features alone";
  const nn::TrainingResult alone = nn::Trainer(network, options)
                                       .fit(examples(graph::Role::train), examples(graph::Role::validation),
                                            network.initial_parameters(*weights), *order);
  const double plain = alone.validation_accuracy.value_or(0);
  const double share = std::max(plain, alike.value_or(0));
  const auto count = static_cast<double>(data.facts.count(graph::Role::validation));
  const double error = std::sqrt(share * (1 - share) / std::max(1.0, count));
  const bool better = fit.validation_accuracy.value_or(0) > share + error;
  fit.findings.emplace_back(
      "classifier reads",
      better ? "features and graph"
             : "features alone; the graph was no better by a standard error on validation labels");
  if (better) return Reads::graph;
  fit.validation_accuracy = share;
  if (share > plain) {
    fit.model.tensors.push_back({kAlike, tensor::Matrix(1, 1)});
    return Reads::alike;
  }
  store(network, alone.parameters, kPrefix, fit.model);
  return Reads::features;
}

bool gate_is_closed(const Model& model) {
  return std::ranges::any_of(model.tensors, [](const tensor::NamedMatrix& one) {
    return one.name == kAlike || one.name.starts_with(kPrefix);
  });
}

std::optional<privacy::Guarded<tensor::Matrix>> scores_behind_gate(const Model& model,
                                                                   const privacy::ProtectedDataset& data) {
  const bool answers = std::ranges::any_of(
      model.tensors, [](const tensor::NamedMatrix& one) { return one.name.starts_with(kPrefix); });
  if (!answers) return std::nullopt;
  const nn::Network network = perceptron(model.features, model.classes);
  return row_scores(network, restore(network, kPrefix, model), data.features);
}

}  // namespace privet::methods
