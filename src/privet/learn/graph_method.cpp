#include "privet/learn/graph_method.hpp"

#include "privet/nn/examples.hpp"
#include "privet/nn/trainer.hpp"

namespace privet::methods {
namespace {

std::vector<std::int32_t> labels_of(const privacy::ProtectedDataset& data, graph::Role role) {
  std::vector<std::int32_t> labels = data.labels.visible();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (data.facts.split.roles[i] != role) labels[i] = graph::kUnlabeled;
  }
  return labels;
}

}  // namespace

OptionTable GraphMethod::options() {
  OptionTable table(name());
  declare(table);
  table.add("epochs", training_.epochs, "steps, each over the whole graph", 1, 1000000);
  table.add("optimizer", training_.optimizer, "what turns gradients into steps", {"adam", "sgd"});
  table.add("learning_rate", training_.learning_rate, "size of a step", 1e-9, 1e3);
  table.add("weight_decay", training_.weight_decay, "pull of the weights towards 0", 0.0, 1e3);
  table.add("final_rate", training_.final_rate, "share of the learning rate left at the last step", 0.0, 1.0);
  table.add("patience", training_.patience, "stop after so many epochs without a better validation; 0 never",
            0, 1000000);
  return table;
}

Plan GraphMethod::plan(const Request& request, const privacy::PublicFacts&) const {
  require_unit(request.unit);
  return {};
}

Fit GraphMethod::fit(const Request&, const privacy::ProtectedDataset& data, Run& run) const {
  const nn::Network net = network(data.facts.features, data.facts.classes);
  const nn::Propagation propagation(adjacency(data.graph.visible()));
  const std::unique_ptr<RandomStream> weights = run.stream.fork("weights", 0);
  const std::unique_ptr<RandomStream> masks = run.stream.fork("order", 0);
  nn::TrainingResult result =
      nn::Trainer(net, training_.trainer_options(name()))
          .fit_on_graph(data.features.visible(), propagation, labels_of(data, graph::Role::train),
                        labels_of(data, graph::Role::validation), net.initial_parameters(*weights), *masks);
  Fit fit{.epochs = result.epochs, .validation_accuracy = result.validation_accuracy};
  tell_validation_loss(result, fit);
  store(net, result.parameters, "", fit.model);
  return fit;
}

privacy::Guarded<tensor::Matrix> GraphMethod::scores(const Model& model,
                                                     const privacy::ProtectedDataset& data) const {
  const nn::Network net = network(model.features, model.classes);
  const nn::Propagation propagation(adjacency(data.graph.visible()));
  return privacy::Guarded<tensor::Matrix>::public_value(
      nn::outputs_of(net, restore(net, "", model), nn::all_rows(data.features.visible()), &propagation));
}

std::optional<MessagePassing> GraphMethod::message_passing(const Model& model,
                                                           const graph::Graph& graph) const {
  nn::Network net = network(model.features, model.classes);
  nn::Parameters parameters = restore(net, "", model);
  return MessagePassing{std::move(net), std::move(parameters), adjacency(graph)};
}

}  // namespace privet::methods
