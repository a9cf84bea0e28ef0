#include "privet/methods/features/mlp.hpp"

#include "privet/learn/row_scores.hpp"
#include "privet/nn/examples.hpp"
#include "privet/nn/trainer.hpp"

namespace privet::methods {

Mlp::Mlp() {
  shape_.layers = 2;
  shape_.dropout = 0.5;
  shape_.batch_norm = true;
}

std::string Mlp::summary() const { return "multi-layer perceptron on the features; opens no edge"; }
std::string Mlp::reference() const {
  return "Chien et al. 2023 (DPDGC), table 2; Sajadmanesh et al. 2023 (GAP)";
}
std::vector<std::string> Mlp::units() const { return {"none", "edge", "directed-edge", "local-edge"}; }

std::vector<Preset> Mlp::presets() const {
  return {{"dpdgc",
           "3 layers of 64, SELU, dropout 0.5, batch norm, Adam 0.001, 100 epochs",
           {"layers=3", "width=64", "activation=selu", "dropout=0.5", "batch_norm=yes", "epochs=100",
            "batch=0", "optimizer=adam", "learning_rate=0.001", "weight_decay=0"}}};
}

OptionTable Mlp::options() {
  OptionTable table(name());
  shape_.declare(table);
  training_.declare(table);
  training_.declare_selection(table);
  table.add("patience", training_.patience, "stop after so many epochs without a better validation; 0 never",
            0, 1000000);
  return table;
}

Plan Mlp::plan(const Request& request, const privacy::PublicFacts&) const {
  require_unit(request.unit);
  Plan plan;
  if (request.wants_privacy())
    plan.assumptions.push_back("features and labels are public; no edge is opened");
  return plan;
}

Fit Mlp::fit(const Request&, const privacy::ProtectedDataset& data, Run& run) const {
  const nn::Network network = dense_network(shape_, data.facts.features, data.facts.classes);
  const auto examples = [&](graph::Role role) {
    return nn::examples_of(data.features.visible(), data.labels.visible(), data.facts.split.nodes(role));
  };
  const std::unique_ptr<RandomStream> weights = run.stream.fork("weights", 0);
  const std::unique_ptr<RandomStream> order = run.stream.fork("order", 0);
  nn::TrainingResult result = nn::Trainer(network, training_.trainer_options("mlp"))
                                  .fit(examples(graph::Role::train), examples(graph::Role::validation),
                                       network.initial_parameters(*weights), *order);
  Fit fit{.epochs = result.epochs, .validation_accuracy = result.validation_accuracy};
  tell_validation_loss(result, fit);
  store(network, result.parameters, "", fit.model);
  return fit;
}

privacy::Guarded<tensor::Matrix> Mlp::scores(const Model& model,
                                             const privacy::ProtectedDataset& data) const {
  const nn::Network network = dense_network(shape_, model.features, model.classes);
  return row_scores(network, restore(network, "", model), data.features);
}

}  // namespace privet::methods
