#include "privet/methods/caribou/caribou.hpp"

#include "privet/methods/caribou/caribou_edges.hpp"
#include "privet/methods/caribou/caribou_people.hpp"
#include "privet/methods/caribou/caribou_sampler.hpp"

namespace privet::methods {

Caribou::Caribou() {
  options_.prior.shape.layers = 2;
  options_.prior.shape.width = 64;
  options_.prior.shape.dropout = 0.5;
  options_.prior.shape.batch_norm = true;
  options_.classifier.steps = 60;
}

std::string Caribou::summary() const {
  return "many contractive hops with noise, of which only the last state leaves";
}
std::string Caribou::reference() const { return "Zheng et al. 2025 (CARIBOU), algorithm 1"; }
std::vector<std::string> Caribou::units() const { return {"none", "edge", "directed-edge", "node"}; }

std::vector<Preset> Caribou::presets() const {
  return {{"published",
           "rows, hops and weights in the middle of the paper's grid, for paper rigor",
           {"rows=embedding", "columns=64", "hops=10", "contraction=0.9", "graph_share=1", "residual=10"}},
          {"chains",
           "few neighbours, and labels that have to come from far: label rows",
           {"rows=labels", "expected_degree=2", "expected_homophily=1"}}};
}

OptionTable Caribou::options() {
  OptionTable table(name());
  table.add("rows", options_.rows,
            "what a node tells: its class probabilities, the label of training nodes, an embedding, or its "
            "features",
            {"probabilities", "labels", "embedding", "features"});
  table.add("columns", options_.columns, "numbers per node of an embedding", 1, 65536);
  table.add("hops", options_.hops, "products with the graph: auto, or 1 to 1000");
  table.add("contraction", options_.contraction,
            "by how much a hop shrinks differences (C_L): auto, or above 0, at most 1");
  table.add("floor", options_.floor, "public floor of the degrees, edge units: auto, or at least 1");
  table.add("graph_share", options_.graph_share,
            "share of the neighbours in a hop (alpha1); the rest is the mean of all nodes", 0.0, 1.0);
  table.add("residual", options_.residual, "weight of the first rows in every hop (beta)", 0.0, 1000.0);
  table.add("expected_degree", options_.expected_degree,
            "your guess of the mean degree, from which auto chooses", 0.1, 1e9);
  table.add("expected_homophily", options_.expected_homophily,
            "your guess of the share of edges within a class, for the same", 0.0, 1.0);
  table.add(
      "listening_share", options_.listening_share,
      "share of the training nodes that tell no label and teach the combiner, with labels and embeddings",
      0.01, 0.99);
  table.add("folds", options_.prior.folds,
            "of the training nodes, each judged by a network that has not seen it", 2, 100);
  options_.prior.shape.declare(table);
  options_.prior.training.declare(table);
  table.add("tuning", options_.tuning,
            "dropout by a rule on the numbers of features and training nodes, or as given",
            {"auto", "given"});
  table.add("regression_steps", options_.regression.steps, "unit node: private steps of the encoder", 1,
            100000000);
  table.add("classifier_steps", options_.classifier.steps, "unit node: private steps of the classifier", 1,
            100000000);
  table.add("classifier_rate", options_.classifier.learning_rate, "unit node: size of the classifier's steps",
            1e-9, 1e3);
  table.add("encoder_share", options_.encoder_share, "unit node: share of the squared mu for the encoder",
            0.01, 0.98);
  table.add("classifier_share", options_.classifier_share, "unit node: the same for the classifier", 0.01,
            0.98);
  return table;
}

CaribouPlan Caribou::private_plan(const Request& request, const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  return caribou_plan(options_, request, facts);
}

Plan Caribou::plan(const Request& request, const privacy::PublicFacts& facts) const {
  const CaribouPlan parts = private_plan(request, facts);
  if (!request.unit.protects_labels()) require_folds(options_.prior, facts.count(graph::Role::train));
  if (parts.encoder) require_regression(*parts.encoder, facts.features, facts.classes);
  if (parts.classifier) require_regression(*parts.classifier, 2 * facts.classes, facts.classes);
  return describe(options_, parts, request);
}

Fit Caribou::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  return data.unit.protects_labels() ? fit_caribou_people(options_, request, data, run)
                                     : fit_caribou_edges(options_, request, data, run);
}

Plan Caribou::inference_plan(const Request& request, const Model& model,
                             const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  const std::optional<CaribouPlan> parts = caribou_edges_elsewhere(options_, request, model, facts);
  if (!parts) return {};
  Plan plan = describe(options_, *parts, request);
  plan.assumptions.emplace_back(
      "the certificate is for this graph; that of the model's own graph is with the model");
  return plan;
}

privacy::Guarded<tensor::Matrix> Caribou::infer(const Request& request, const Model& model,
                                                const privacy::ProtectedDataset& data, Run& run) const {
  return privacy::Guarded<tensor::Matrix>::public_value(
      caribou_edge_scores_elsewhere(options_, request, model, data, run));
}

privacy::Guarded<tensor::Matrix> Caribou::scores(const Model& model,
                                                 const privacy::ProtectedDataset& data) const {
  if (data.unit.protects_labels()) return caribou_people_scores(model, data);
  return privacy::Guarded<tensor::Matrix>::public_value(caribou_edge_scores(options_, model, data));
}

std::optional<AuditSampler> Caribou::audit_sampler(const Request& request, const privacy::PublicFacts& facts,
                                                   const AuditPair& pair) const {
  if (!request.wants_privacy()) return {};
  return caribou_sampler(private_plan(request, facts), request, facts, pair);
}

}  // namespace privet::methods
