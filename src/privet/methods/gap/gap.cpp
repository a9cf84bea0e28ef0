#include "privet/methods/gap/gap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/accounting/calibration.hpp"
#include "privet/base/error.hpp"
#include "privet/learn/noisy_hops.hpp"
#include "privet/learn/private_fit.hpp"
#include "privet/learn/row_scores.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/channels.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/proof/certificate.hpp"

namespace privet::methods {
namespace {

const std::string kEncoder = "encoder.";
const std::string kClassifier = "classifier.";

std::string hop_name(std::uint64_t hop) { return fmt::format("hop.{}", hop); }

bool protects_people(const Model& model) { return privacy::Unit::parse(model.unit).protects_features(); }

// The published code knows GAP's reading (examples and nodes come and go, Poisson batches) and that of
// DPDGC's fork (they are replaced, batches of fixed size).
bool comes_and_goes(const privacy::Unit& unit) { return unit.bounds_degree() && unit.blanks_person(); }

}  // namespace

Gap::Gap() { training_.learning_rate = 0.01; }

std::string Gap::summary() const { return "noisy sums over neighbours of rows learnt from features"; }
std::string Gap::reference() const {
  return "Sajadmanesh, Shamsabadi, Bellet and Gatica-Perez 2023 (GAP); analysis of Chien et al. 2023 (DPDGC)";
}
std::vector<std::string> Gap::units() const {
  return {"none", "edge", "directed-edge", "node", "k-neighbor"};
}

std::vector<Preset> Gap::presets() const {
  const std::vector<std::string> gap = {
      "width=16",           "encoder_layers=2", "encoder_dropout=0", "dropout=0",      "batch_norm=yes",
      "learning_rate=0.01", "activation=selu",  "optimizer=adam",    "weight_decay=0", "average=0"};
  const std::vector<std::string> dpdgc = {
      "width=64",        "encoder_layers=2", "hops=2",         "batch_norm=yes",     "learning_rate=0.001",
      "activation=selu", "optimizer=adam",   "weight_decay=0", "encoder_epochs=100", "classifier_epochs=100",
      "average=0"};
  const auto with = [](std::vector<std::string> base, std::vector<std::string> more) {
    base.insert(base.end(), more.begin(), more.end());
    return base;
  };
  return {{"gap", "GAP's table 2, edge level: width 16, 2 hops, 100 + 100 epochs, Adam 0.01",
           with(gap, {"hops=2", "encoder_epochs=100", "classifier_epochs=100", "batch=0"})},
          {"gap-node", "the same for people: 10 + 10 epochs in batches of 256, degrees sampled to 100",
           with(gap, {"hops=2", "encoder_epochs=10", "classifier_epochs=10", "batch=256", "clip_norm=1",
                      "max_degree=100"})},
          {"people",
           "for the unit node in strict rigor: few numbers to learn, which noise leaves alive",
           {"width=16", "encoder_layers=1", "learning_rate=0.03"}},
          {"dpdgc", "GAP as DPDGC compares with it: width 64, 2 hops, dropout 0.5, Adam 0.001",
           with(dpdgc, {"encoder_dropout=0.5", "dropout=0.5", "batch=0"})},
          {"dpdgc-node-64", "the same for people, batches of 64 (Cora, Photo, Computers)",
           with(dpdgc, {"batch=64", "clip_norm=1", "max_degree=100"})},
          {"dpdgc-node-256", "the same for people, batches of 256 (PubMed, Facebook)",
           with(dpdgc, {"batch=256", "clip_norm=1", "max_degree=100"})}};
}

OptionTable Gap::options() {
  OptionTable table(name());
  table.add("width", width_, "numbers per node and hop", 1, 65536);
  table.add("hops", hops_, "noisy sums over neighbours", 1, 64);
  table.add("encoder_layers", encoder_layers_, "linear layers of the encoder", 1, 16);
  table.add("activation", activation_, "between the layers", {"selu", "relu", "tanh", "none"});
  table.add("encoder_dropout", encoder_dropout_,
            "share of the encoder's numbers set to 0 while training; not where people are protected", 0.0,
            0.99);
  table.add("dropout", dropout_, "the same of the classifier", 0.0, 0.99);
  table.add("batch_norm", batch_norm_, "batch norm between the layers; not where people are protected");
  table.add("encoder_epochs", encoder_epochs_, "passes over the training nodes of the encoder", 1, 1000000);
  table.add("classifier_epochs", classifier_epochs_, "the same of the classifier", 1, 1000000);
  table.add("batch", training_.batch, "examples per step; 0 is all of them", 0, 100000000);
  table.add("optimizer", training_.optimizer, "what turns gradients into steps", {"adam", "sgd"});
  table.add("learning_rate", training_.learning_rate, "size of a step", 1e-9, 1e3);
  table.add("weight_decay", training_.weight_decay, "pull of the weights towards 0", 0.0, 1e3);
  table.add("clip_norm", clip_norm_, "norm to which one example's gradient is scaled down", 1e-6, 1e6);
  table.add("average", average_,
            "share of the last private steps whose parameters are averaged; 0 takes the last", 0.0, 1.0);
  table.add("encoder_noise", encoder_noise_, "noise of the encoder's training relative to the other parts",
            1e-3, 1e3);
  table.add("hops_noise", hops_noise_, "the same of the hops", 1e-3, 1e3);
  table.add("classifier_noise", classifier_noise_, "the same of the classifier's training", 1e-3, 1e3);
  table.add("max_degree", max_degree_,
            "paper rigor: listeners of one node that are kept, by sampling; 0 is the unit's bound", 0,
            1000000000);
  gate_.declare(table);
  return table;
}

nn::Network Gap::trunk(std::size_t inputs, bool people) const {
  DenseShape shape{.layers = encoder_layers_,
                   .width = width_,
                   .activation = activation_,
                   .dropout = people ? 0 : encoder_dropout_,
                   .batch_norm = batch_norm_ && !people};
  nn::Network network = dense_network(shape, inputs, width_);
  network.add<nn::NormalizeRows>(width_);
  return network;
}

nn::Network Gap::encoder(std::size_t inputs, std::size_t outputs, bool people) const {
  nn::Network network = trunk(inputs, people);
  if (batch_norm_ && !people) network.add<nn::BatchNorm>(width_);
  if (encoder_dropout_ > 0 && !people) network.add<nn::Dropout>(width_, encoder_dropout_, encoder_layers_);
  network.add<nn::Activate>(width_, parse_activation(activation_));
  network.add<nn::Linear>(width_, outputs);
  return network;
}

nn::Network Gap::classifier(std::size_t outputs, bool people) const {
  const std::size_t columns = (hops_ + 1) * width_;
  nn::Network network;
  network.add<nn::Channels>(hops_ + 1, width_, width_);
  network.add<nn::NormalizeRows>(columns);
  if (batch_norm_ && !people) network.add<nn::BatchNorm>(columns);
  if (dropout_ > 0 && !people) network.add<nn::Dropout>(columns, dropout_, 0);
  network.add<nn::Activate>(columns, parse_activation(activation_));
  network.add<nn::Linear>(columns, outputs);
  return network;
}

privacy::Event Gap::Parts::event(std::uint64_t hops) const {
  std::vector<privacy::Event> all;
  if (encoder) all.push_back(encoder->event());
  if (hop) all.push_back(privacy::repeated(hop->event(), hops));
  if (classifier) all.push_back(classifier->event());
  return privacy::composed(std::move(all));
}

// Encoder: example i is person i's features and label. Classifier: besides those, row i of every hop. Of two
// neighbours the rows of all others are released before and equal, the person's own may be anything: one
// example again (DPDGC, Theorem B.1: compose over what is released, worst case over the own row).
nn::PrivateTraining Gap::private_training(const Request& request, const privacy::PublicFacts& facts,
                                          std::uint64_t epochs) const {
  const std::uint64_t population = facts.count(graph::Role::train);
  const std::uint64_t batch =
      training_.batch == 0 ? population : std::min<std::uint64_t>(training_.batch, population);
  const bool fixed_size = request.rigor == privacy::Rigor::kPaper && !comes_and_goes(request.unit);
  privacy::Sampling sampling =
      privacy::PoissonSampling{static_cast<double>(batch) / static_cast<double>(population)};
  if (fixed_size) sampling = privacy::FixedSizeSampling{population, batch};
  return {.unit = request.unit,
          .affected = privacy::examples_of_one_record(request.unit),
          .clipping = {{clip_norm_}},
          .noise_multiplier = 1,
          .sampling = sampling,
          .population = population,
          .steps = std::max<std::uint64_t>(1, epochs * population / batch)};
}

Gap::Parts Gap::strict_parts(const Request& request, const privacy::PublicFacts& facts) const {
  const privacy::Sensitivity sensitivity = hop_sensitivity(request.unit, width_);
  const auto hops = [&](double noise) { return privacy::repeated(privacy::GaussianEvent{noise}, hops_); };
  Parts parts;
  if (!request.unit.protects_features()) {
    const double noise = privacy::calibrate(hops, *request.epsilon, request.delta);
    parts.hop = privacy::GaussianMechanism::with_multiplier(sensitivity, noise);
    return parts;
  }
  const nn::PrivateTraining encoder = private_training(request, facts, encoder_epochs_);
  const nn::PrivateTraining classifier = private_training(request, facts, classifier_epochs_);
  // One multiplier for all, in units of what each part moves by, times the weights.
  const double reach = encoder.affected.clip_norms();
  const std::vector<privacy::WeightedPart> weighted = {
      {[&](double noise) { return encoder.with_noise(reach * noise).event(); }, encoder_noise_},
      {hops, hops_noise_},
      {[&](double noise) { return classifier.with_noise(reach * noise).event(); }, classifier_noise_}};
  const std::vector<double> noise = privacy::calibrate_weighted(weighted, *request.epsilon, request.delta);
  parts.encoder = encoder.with_noise(reach * noise[0]);
  parts.hop = privacy::GaussianMechanism::with_multiplier(sensitivity, noise[1]);
  parts.classifier = classifier.with_noise(reach * noise[2]);
  return parts;
}

Gap::Parts Gap::published_parts(const Request& request, const privacy::PublicFacts& facts) const {
  Parts parts;
  PublishedPlan published{.gaussians = hops_};
  const bool people = request.unit.protects_features();
  const bool node = request.unit.bounds_degree();
  constexpr std::uint64_t kUsualDegree = 100;
  std::uint64_t degree = node ? request.unit.max_degree() : kUsualDegree;
  if (max_degree_ > 0) degree = node ? std::min(degree, max_degree_) : max_degree_;
  if (people) {
    parts.encoder = private_training(request, facts, encoder_epochs_);
    parts.classifier = private_training(request, facts, classifier_epochs_);
    const PublishedBatches batches =
        comes_and_goes(request.unit) ? PublishedBatches::poisson : PublishedBatches::fixed_size;
    for (const std::uint64_t epochs : {encoder_epochs_, classifier_epochs_}) {
      const std::uint64_t population = facts.count(graph::Role::train);
      published.trainings.push_back({.batches = batches,
                                     .population = population,
                                     .batch = training_.batch == 0 ? population : training_.batch,
                                     .epochs = epochs});
    }
    if (!node || degree < request.unit.max_degree()) parts.sampled_degree = degree;
  }
  const double sigma = published_sigma(published, request.epsilon->value(), request.delta.value());
  parts.claimed_epsilon =
      privacy::printed_epsilon(published_epsilon(published, sigma, request.delta.value()));
  const privacy::Sensitivity sensitivity = published_hop_sensitivity(request.unit, width_, degree);
  // The published noise to the last digit, which pays nothing for rounding; but where the published
  // sensitivity is right the guarantee is kept.
  parts.hop = request.unit.changes_entries()
                  ? privacy::GaussianMechanism::with_multiplier(sensitivity, sigma)
                  : privacy::GaussianMechanism::with_stddev(
                        sensitivity, privacy::NoiseStddev(sigma * sensitivity.l2().value()));
  if (people) {
    const double reach = parts.encoder->affected.clip_norms();
    parts.encoder->noise_multiplier = reach * sigma;
    parts.classifier->noise_multiplier = reach * sigma;
  }
  return parts;
}

Gap::Parts Gap::parts(const Request& request, const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  if (!request.unit.protects_anything()) return {};
  require_budget(request, "gap");
  return request.rigor == privacy::Rigor::kPaper ? published_parts(request, facts)
                                                 : strict_parts(request, facts);
}

Plan Gap::plan(const Request& request, const privacy::PublicFacts& facts) const {
  const Parts parts = this->parts(request, facts);
  Plan plan{.event = parts.event(hops_)};
  if (!parts.hop) return plan;
  const privacy::Unit& unit = request.unit;
  plan.numbers = {{"hops", fmt::format("{}", hops_)},
                  {"sensitivity of a hop", fmt::format("{:.4f}", parts.hop->sensitivity().l2().value())},
                  {"noise of a hop", fmt::format("{:.4f}", parts.hop->stddev().value())}};
  if (parts.encoder) {
    nn::require_trainable(encoder(facts.features, facts.classes, true), *parts.encoder);
    nn::require_trainable(classifier(facts.classes, true), *parts.classifier);
    plan.numbers.emplace_back("noise multiplier of the encoder",
                              fmt::format("{:.4f}", parts.encoder->noise_multiplier));
    plan.numbers.emplace_back("noise multiplier of the classifier",
                              fmt::format("{:.4f}", parts.classifier->noise_multiplier));
    plan.numbers.emplace_back("steps", fmt::format("{} + {}", parts.encoder->steps, parts.classifier->steps));
    plan.assumptions = {
        "ids, roles, classes and the number of training nodes are public",
        "row i of a hop, which the model holds, and the scores of node i are for the eyes of node i: the "
        "model as a whole is not for publication",
        "batches larger than their bound, which occur with probability below 2^-100 each, are left out of "
        "the "
        "bound on rounding"};
    if (unit.bounds_degree())
      plan.assumptions.push_back(fmt::format("no node has more than {} edges", unit.max_degree()));
  } else {
    plan.assumptions = {"features and labels are public"};
  }
  if (request.rigor == privacy::Rigor::kStrict) return plan;
  if (unit.changes_pairs()) {
    plan.failed_claims.push_back(
        "an undirected edge is two entries in two rows: a hop moves by sqrt 2, and 1 was paid for");
  }
  if (unit.protects_features()) {
    plan.failed_claims.push_back("validation labels choose the epochs and are not accounted for");
    plan.failed_claims.push_back(
        "the paper calls all rows of the hops private, but a node's own row moves by up to its degree");
    if (parts.sampled_degree > 0) {
      plan.failed_claims.push_back(fmt::format(
          "degrees are cut down to {} by sampling: where a node leaves a full list another takes its place, "
          "and more rows change than were paid for",
          parts.sampled_degree));
    }
  }
  if (!plan.failed_claims.empty()) {
    plan.claimed_epsilon = parts.claimed_epsilon;
    plan.claimed_by = parts.encoder ? "rdp" : "gdp";
  }
  return plan;
}

std::vector<tensor::Matrix> Gap::all_hops(const privacy::Guarded<graph::Graph>& graph,
                                          const privacy::Guarded<tensor::Matrix>& rows, std::size_t nodes,
                                          const std::optional<privacy::GaussianMechanism>& noise,
                                          Run& run) const {
  std::vector<tensor::Matrix> hops;
  for (std::uint64_t k = 1; k <= hops_; ++k) {
    const std::string what = fmt::format("sum over neighbours, hop {}", k);
    hops.push_back(k == 1 ? hop(graph, rows, width_, nodes, noise, what, run)
                          : hop(graph, privacy::Guarded<tensor::Matrix>::public_value(hops.back()), width_,
                                nodes, noise, what, run));
  }
  return hops;
}

Fit Gap::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  const Parts parts = this->parts(request, data.facts);
  const bool people = request.unit.protects_features();
  const bool paper = request.rigor == privacy::Rigor::kPaper;
  const std::unique_ptr<RandomStream> weights = run.stream.fork("weights", 0);
  const std::unique_ptr<RandomStream> order = run.stream.fork("order", 0);
  const std::unique_ptr<RandomStream> noise = run.noise.fork("training", 0);
  Fit fit;
  const auto learn = [&](const nn::Network& network, const privacy::Guarded<graph::Features>& rows,
                         const std::optional<nn::PrivateTraining>& training, std::uint64_t epochs,
                         const std::string& prefix, const std::string& what) {
    const auto examples = examples_in_role(rows, data, graph::Role::train);
    const auto validation = examples_in_role(rows, data, graph::Role::validation);
    nn::Parameters initial = network.initial_parameters(*weights);
    if (training) {
      const PrivateFitOptions options{.optimizer = training_.optimizer_options(),
                                      .average = average_,
                                      .label = what,
                                      .what = fmt::format("clipped gradients of a batch, {}", what),
                                      .validation = paper ? &validation.secret() : nullptr};
      PrivateFit result =
          private_fit(network, *training, options, examples.secret(), std::move(initial), *noise, run.log);
      fit.epochs += result.epochs;
      fit.validation_accuracy = result.validation_accuracy;
      store(network, result.parameters, prefix, fit.model);
      return;
    }
    TrainingOptions plain = training_;
    plain.epochs = epochs;
    const nn::TrainingResult result =
        nn::Trainer(network, plain.trainer_options(what))
            .fit(examples.visible(), validation.visible(), std::move(initial), *order);
    fit.epochs += result.epochs;
    fit.validation_accuracy = result.validation_accuracy;
    store(network, result.parameters, prefix, fit.model);
  };
  fit.model.unit = request.unit.text();
  fit.model.features = data.facts.features;
  fit.model.classes = data.facts.classes;
  learn(encoder(data.facts.features, data.facts.classes, people), data.features, parts.encoder,
        encoder_epochs_, kEncoder, "encoder");
  const privacy::Guarded<tensor::Matrix> rows = embeddings(fit.model, data);
  std::vector<tensor::Matrix> hops;
  if (parts.sampled_degree > 0) {
    const std::uint64_t seed = run.noise.fork("listeners", 0)->bits();
    const auto sampled = privacy::Guarded<graph::Graph>::hidden(
        data.graph.secret().map(&sampled_listeners, parts.sampled_degree, seed));
    hops = all_hops(sampled, rows, data.facts.nodes, parts.hop, run);
  } else {
    hops = all_hops(data.graph, rows, data.facts.nodes, parts.hop, run);
  }
  learn(classifier(data.facts.classes, people), side_by_side(rows, hops), parts.classifier,
        classifier_epochs_, kClassifier, "classifier");
  for (std::uint64_t k = 1; k <= hops_; ++k)
    fit.model.tensors.push_back({hop_name(k), std::move(hops[k - 1])});
  gate_.ask(request, data, run, fit);
  return fit;
}

privacy::Guarded<tensor::Matrix> Gap::embeddings(const Model& model,
                                                 const privacy::ProtectedDataset& data) const {
  const nn::Network shorter = trunk(model.features, protects_people(model));
  // The trunk is the beginning of the encoder, and so are its numbers.
  const nn::Network whole = encoder(model.features, model.classes, protects_people(model));
  nn::Parameters parameters = restore(whole, kEncoder, model);
  parameters.learnt.resize(shorter.parameters());
  parameters.statistics.resize(shorter.statistics());
  return row_scores(shorter, parameters, data.features);
}

privacy::Guarded<tensor::Matrix> Gap::classified(const Model& model,
                                                 const privacy::Guarded<tensor::Matrix>& rows,
                                                 const std::vector<tensor::Matrix>& hops) const {
  const nn::Network network = classifier(model.classes, protects_people(model));
  return row_scores(network, restore(network, kClassifier, model), side_by_side(rows, hops));
}

privacy::Guarded<tensor::Matrix> Gap::scores(const Model& model,
                                             const privacy::ProtectedDataset& data) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  std::vector<tensor::Matrix> hops;
  for (std::uint64_t k = 1; k <= hops_; ++k)
    hops.push_back(model.tensor(hop_name(k), data.facts.nodes, width_));
  return classified(model, embeddings(model, data), hops);
}

privacy::GaussianMechanism Gap::inference_mechanism(const Request& request) const {
  const double noise = privacy::calibrate(
      [&](double multiplier) { return privacy::repeated(privacy::GaussianEvent{multiplier}, hops_); },
      *request.epsilon, request.delta);
  return privacy::GaussianMechanism::with_multiplier(hop_sensitivity(request.unit, width_), noise);
}

Plan Gap::inference_plan(const Request& request, const Model& model, const privacy::PublicFacts&) const {
  require_unit(request.unit);
  if (!request.unit.protects_anything() || gate_is_closed(model)) return {};
  if (!request.wants_privacy()) {
    throw InvalidArgument({.what = "no budget for the edges of another graph",
                           .where = fmt::format("model of {}", model.method),
                           .expected = "a finite epsilon",
                           .remedy = "name one with --epsilon, or --unit none if the graph is public"});
  }
  const privacy::GaussianMechanism mechanism = inference_mechanism(request);
  Plan plan{.event = privacy::repeated(mechanism.event(), hops_)};
  plan.numbers = {{"noise of a hop", fmt::format("{:.4f}", mechanism.stddev().value())}};
  plan.assumptions = {"the certificate is for this graph; that of the model's own graph is with the model"};
  if (request.unit.excludes_own_row())
    plan.assumptions.push_back("the scores of a node are for its own eyes");
  return plan;
}

privacy::Guarded<tensor::Matrix> Gap::infer(const Request& request, const Model& model,
                                            const privacy::ProtectedDataset& data, Run& run) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  std::optional<privacy::GaussianMechanism> noise;
  if (request.unit.protects_anything()) noise = inference_mechanism(request);
  const privacy::Guarded<tensor::Matrix> rows = embeddings(model, data);
  return classified(model, rows, all_hops(data.graph, rows, data.facts.nodes, noise, run));
}

std::optional<AuditSampler> Gap::audit_sampler(const Request& request, const privacy::PublicFacts& facts,
                                               const AuditPair& pair) const {
  const Parts parts = this->parts(request, facts);
  // Where degrees are sampled the sums are of another graph in every run.
  if (!parts.hop || parts.sampled_degree > 0) return {};
  return neighbor_sums_sampler(
      *parts.hop, {.row_bound = 1, .columns = width_, .rows = privacy::RowsOf::their_owners}, hops_, pair);
}

}  // namespace privet::methods
