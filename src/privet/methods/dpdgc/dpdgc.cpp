#include "privet/methods/dpdgc/dpdgc.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/learn/row_scores.hpp"
#include "privet/methods/dpdgc/dpdgc_sums.hpp"
#include "privet/proof/certificate.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {

Dpdgc::Dpdgc() {
  plain_.epochs = 100;
  plain_.learning_rate = 0.01;
}

std::string Dpdgc::summary() const {
  return "an embedding learnt from neighbour lists, released once with noise, beside the features";
}
std::string Dpdgc::reference() const { return "Chien et al. 2023 (DPDGC), algorithm 2"; }
std::vector<std::string> Dpdgc::units() const {
  return {"none", "edge", "directed-edge", "k-neighbor", "node"};
}

std::vector<Preset> Dpdgc::presets() const {
  const auto with = [](const char* plain_batch, const char* private_batch) {
    return std::vector<std::string>{"width=64",
                                    "embedding_steps=0",
                                    "classifier_steps=0",
                                    "epochs=100",
                                    std::string("batch=") + plain_batch,
                                    std::string("private_batch=") + private_batch,
                                    "sampling=fixed-size",
                                    "learning_rate=0.001",
                                    "embedding_rate=0.001",
                                    "embedding_decay=1e-05",
                                    "classifier_rate=0.001",
                                    "classifier=linkx",
                                    "feature_layers=2",
                                    "dropout=0.5",
                                    "batch_norm=yes",
                                    "feature_norm=0",
                                    "average=0",
                                    "embedding_norm=1",
                                    "degree=100"};
  };
  return {
      {"published-64", "100 + 100 epochs, Adam 0.001, private batches of 64 (Cora, Photo, Computers)",
       with("0", "64")},
      {"published-wiki",
       "the same with batches of 64 everywhere (Squirrel, Chameleon; one edge: Cora, Photo, Computers too)",
       with("64", "64")},
      {"published-256", "the same with private batches of 256 (Facebook)", with("0", "256")},
      {"published-pubmed", "the same with batches of 256 everywhere (PubMed; one edge: Facebook too)",
       with("256", "256")}};
}

OptionTable Dpdgc::options() {
  OptionTable table(name());
  table.add("width", privacy_.width, "columns of the embedding, numbers between the layers", 1, 65536);
  table.add("row_bound", privacy_.row_bound, "norm to which rows of W are held", 1e-6, 1e6);
  table.add("embedding_norm", embedding_norm_,
            "norm to which rows of the released embedding are scaled; 0 leaves them", 0.0, 1e6);
  gate_.declare(table);
  table.add("embedding_share", privacy_.embedding_share,
            "share of the budget of the graph that learns W; the rest is for the noise on A W", 0.01, 0.99);
  table.add("classifier_share", privacy_.classifier_share,
            "share of the whole budget for the classifier, where it is private", 0.01, 0.99);
  table.add("embedding_steps", privacy_.embedding_steps, "private steps; 0 is as many as the epochs make", 0,
            100000000);
  table.add("embedding_rate", embedding_rate_, "learning rate of private steps of the embedding", 1e-9, 1e3);
  table.add("embedding_decay", embedding_decay_, "pull of W towards 0", 0.0, 1e3);
  table.add("classifier_steps", privacy_.classifier_steps, "private steps; 0 is as many as the epochs make",
            0, 100000000);
  table.add("classifier_rate", classifier_rate_, "learning rate of private steps of the classifier", 1e-9,
            1e3);
  table.add("private_batch", privacy_.batch, "examples per private step on average; 0 is all of them", 0,
            100000000);
  table.add("sampling", privacy_.sampling, "how private batches are drawn", {"poisson", "fixed-size"});
  table.add("clip_norm", privacy_.clip_norm, "norm to which one example's gradient is scaled down", 1e-6,
            1e6);
  table.add("average", average_,
            "share of the last private steps whose parameters are averaged; 0 takes the last", 0.0, 1.0);
  table.add("feature_norm", feature_norm_,
            "norm to which feature rows are scaled for a private classifier; 0 leaves them", 0.0, 1e6);
  table.add("classifier", classifier_, "auto is linear where the classifier is private, else linkx",
            {"auto", "linkx", "linear"});
  table.add("feature_layers", feature_layers_, "layers of linkx on the features alone", 1, 16);
  table.add("dropout", dropout_, "of linkx, where the classifier is not private", 0.0, 0.99);
  table.add("batch_norm", batch_norm_, "of linkx, where the classifier is not private");
  plain_.declare(table);
  table.add("degree", privacy_.degree,
            "paper rigor at node level: columns are sampled down to it; 0 is the unit's bound", 0, 100000000);
  return table;
}

DpdgcPrivacy Dpdgc::costs() const {
  DpdgcPrivacy costs = privacy_;
  costs.epochs = plain_.epochs;
  return costs;
}

nn::Network Dpdgc::classifier(bool is_private, std::size_t features, std::size_t classes) const {
  const ClassifierShape shape{.features = features,
                              .embedding = privacy_.width,
                              .classes = classes,
                              .feature_layers = feature_layers_,
                              .dropout = is_private ? 0 : dropout_,
                              .batch_norm = !is_private && batch_norm_};
  const bool linear = classifier_ == "linear" || (classifier_ == "auto" && is_private);
  return linear ? linear_network(shape) : linkx_network(shape);
}

double Dpdgc::feature_norm(bool is_private) const { return is_private ? feature_norm_ : 0; }

// b is private already, and added behind the noise.
tensor::Matrix Dpdgc::finished(tensor::Matrix sums, std::span<const float> bias) const {
  tensor::add_to_rows(bias, sums);
  if (embedding_norm_ == 0) return sums;
  tensor::normalize_rows_l2(sums, sums);
  for (float& value : sums.values()) value *= static_cast<float>(embedding_norm_);
  return sums;
}

void Dpdgc::require_trainable(const DpdgcPlan& parts, const privacy::PublicFacts& facts) const {
  SeededStream any(0);  // of R, whose values don't matter here
  nn::require_trainable(embedding_network(facts.nodes, privacy_.width, facts.classes, false, any),
                        parts.embedding);
  if (parts.classifier)
    nn::require_trainable(classifier(true, facts.features, facts.classes), *parts.classifier);
}

Plan Dpdgc::plan(const Request& request, const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  // Refuses data without features before anything is opened.
  (void)classifier(request.unit.protects_features(), facts.features, facts.classes);
  Plan plan;
  if (!request.unit.protects_anything()) return plan;
  require_budget(request, "dpdgc");
  const bool paper = request.rigor == privacy::Rigor::kPaper;
  const DpdgcPlan parts = private_plan(request, facts);
  require_trainable(parts, facts);
  plan.event = parts.event();
  const auto add = [&](const char* what, std::string value) { plan.numbers.emplace_back(what, value); };
  if (parts.published_sigma) add("published sigma", fmt::format("{:.4f}", *parts.published_sigma));
  add("embedding noise multiplier", fmt::format("{:.4f}", parts.embedding.noise_multiplier));
  add("embedding steps", fmt::format("{}", parts.embedding.steps));
  add("affected examples", fmt::format("{}", parts.embedding.affected.count()));
  add("noise on A W over its row bound",
      fmt::format("{:.4f}", parts.sums.stddev().value() / privacy_.row_bound));
  if (parts.classifier) {
    add("classifier noise multiplier", fmt::format("{:.4f}", parts.classifier->noise_multiplier));
    add("classifier steps", fmt::format("{}", parts.classifier->steps));
  }
  if (paper) {
    // The sound noise for the same steps and batches, side by side.
    DpdgcPrivacy same = costs();
    same.embedding_steps = same.classifier_steps = 0;
    same.sampling = "fixed-size";
    Request sound = request;
    sound.rigor = privacy::Rigor::kStrict;
    const DpdgcPlan strict = dpdgc_plan(same, sound, facts);
    add("strict: embedding noise multiplier", fmt::format("{:.4f}", strict.embedding.noise_multiplier));
    add("strict: noise on A W over its row bound",
        fmt::format("{:.4f}", strict.sums.stddev().value() / privacy_.row_bound));
    if (strict.classifier)
      add("strict: classifier noise multiplier", fmt::format("{:.4f}", strict.classifier->noise_multiplier));
  }
  add("batch", fmt::format("{:.6g}", parts.embedding.expected_batch()));
  add("training nodes", fmt::format("{}", parts.embedding.population));
  plan.assumptions = {
      "ids, roles, classes and the number of training nodes are public",
      "batches larger than their bound, which occur with probability below 2^-100 each, are left out of the "
      "bound on rounding"};
  if (request.unit.protects_features()) {
    plan.assumptions.emplace_back(
        "a node's own row of the embedding, which the model holds, and its scores are for its own eyes");
  } else {
    plan.assumptions.emplace_back("features and labels are public, those of validation nodes too");
  }
  if (!paper) return plan;
  plan.failed_claims = dpdgc_failed_claims(request.unit);
  if (request.published_defects) {
    plan.failed_claims.insert(plan.failed_claims.begin(),
                              "the published code never bounds the rows of W, and adds noise for rows of "
                              "norm 1e-8: A W leaves with "
                              "seven exact digits and every entry of A can be read off it");
    return plan;
  }
  plan.claimed_epsilon = privacy::printed_epsilon(published_epsilon(
      dpdgc_published(costs(), request.unit, facts), *parts.published_sigma, request.delta.value()));
  plan.claimed_by = "published";
  return plan;
}

privacy::Guarded<tensor::Matrix> Dpdgc::scores_with(const Model& model, const privacy::ProtectedDataset& data,
                                                    const tensor::Matrix& embedding) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  const bool is_private = privacy::Unit::parse(model.unit).protects_features();
  const nn::Network network = classifier(is_private, model.features, model.classes);
  const nn::Parameters parameters = restore(network, "classifier.", model);
  const std::vector<graph::NodeId> all = everybody(data.facts.nodes);
  const double norm = feature_norm(is_private);
  if (!data.features.is_secret()) {
    return row_scores(network, parameters,
                      privacy::Guarded<graph::Features>::public_value(
                          joined_rows(data.features.visible(), embedding, all, norm)));
  }
  return row_scores(network, parameters,
                    privacy::Guarded<graph::Features>::hidden(
                        data.features.secret().map(&joined_rows, embedding, all, norm)));
}

privacy::Guarded<tensor::Matrix> Dpdgc::scores(const Model& model,
                                               const privacy::ProtectedDataset& data) const {
  return scores_with(model, data, model.tensor(kEmbedding, data.facts.nodes, privacy_.width));
}

Plan Dpdgc::inference_plan(const Request& request, const Model& model,
                           const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  if (gate_is_closed(model)) return {};
  const auto weight = std::ranges::find(model.tensors, kWeight, &tensor::NamedMatrix::name);
  if (weight != model.tensors.end() && weight->values.rows() != facts.nodes) {
    throw DataError({.what = fmt::format("{} nodes", facts.nodes),
                     .where = facts.data,
                     .expected = fmt::format("the {} nodes that the model was trained on, with other edges",
                                             weight->values.rows()),
                     .remedy =
                         "the embedding has learnt one row for each node and has none for others: train on "
                         "this graph, or use a method that learns from features alone"});
  }
  if (!request.unit.protects_anything()) return {};
  if (!request.wants_privacy()) {
    throw InvalidArgument({.what = "no budget",
                           .where = "--epsilon",
                           .expected = "one for the sums over the edges of this graph"});
  }
  const privacy::GaussianMechanism sums = dpdgc_sums(privacy_, request);
  Plan plan{.event = sums.event()};
  plan.numbers = {
      {"noise on A W over its row bound", fmt::format("{:.4f}", sums.stddev().value() / privacy_.row_bound)}};
  plan.assumptions = {"the nodes are those that the model was trained on, in the same order",
                      "what the model's own training data cost is on its own certificate"};
  return plan;
}

privacy::Guarded<tensor::Matrix> Dpdgc::infer(const Request& request, const Model& model,
                                              const privacy::ProtectedDataset& data, Run& run) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  const tensor::Matrix& weight = model.tensor(kWeight, data.facts.nodes, privacy_.width);
  const tensor::Matrix& bias = model.tensor(kBias, 1, privacy_.width);
  tensor::Matrix sums = data.graph.is_secret()
                            ? noisy_sums(data.graph.secret(), weight, dpdgc_sums(privacy_, request),
                                         privacy_.row_bound, run.log, run.noise)
                            : plain_sums(data.graph.visible(), weight);
  return scores_with(model, data, finished(std::move(sums), bias.row(0)));
}

std::optional<AuditSampler> Dpdgc::audit_sampler(const Request& request, const privacy::PublicFacts& facts,
                                                 const AuditPair& pair) const {
  // The published code draws other noise than its mechanism says: whole runs show that.
  if (!request.wants_privacy() || request.published_defects) return {};
  const DpdgcPlan parts = private_plan(request, facts);
  if (parts.sampled_degree > 0) return {};  // of another graph in every run
  return neighbor_sums_sampler(parts.sums, {.row_bound = privacy_.row_bound, .columns = privacy_.width}, 1,
                               pair);
}

}  // namespace privet::methods
