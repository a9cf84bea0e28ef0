#include "privet/methods/dpdgc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "privet/base/error.hpp"
#include "privet/base/progress.hpp"
#include "privet/methods/row_scores.hpp"
#include "privet/nn/average.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/privacy/certificate.hpp"
#include "privet/privacy/mechanisms/fixed_point.hpp"
#include "privet/tensor/fill.hpp"
#include "privet/tensor/rows.hpp"
#include "privet/tensor/sparse_product.hpp"

namespace privet::methods {
namespace {

// The published code means to bound rows of W by this, and scales its noise to it.
constexpr double kPublishedRowBound = 1e-8;

const std::string kWeight = "embedding.weight";
const std::string kBias = "embedding.bias";
const std::string kEmbedding = "embedding";
const std::string kReadsEmbedding = "reads_embedding";

nn::Examples list_examples(const graph::Graph& graph, const std::vector<std::int32_t>& labels,
                           const std::vector<graph::NodeId>& nodes) {
  nn::Examples examples;
  examples.features = list_rows(graph, nodes);
  for (const graph::NodeId node : nodes) examples.labels.push_back(labels[node]);
  nn::know_norms(examples);
  return examples;
}

nn::Examples joined_examples(const graph::Features& features, const std::vector<std::int32_t>& labels,
                             const tensor::Matrix& embedding, const std::vector<graph::NodeId>& nodes,
                             double feature_norm) {
  nn::Examples examples;
  examples.features = joined_rows(features, embedding, nodes, feature_norm);
  for (const graph::NodeId node : nodes) examples.labels.push_back(labels[node]);
  nn::know_norms(examples);
  return examples;
}

privacy::Secret<nn::Examples> secret_lists(const privacy::Secret<graph::Graph>& graph,
                                           const privacy::ProtectedDataset& data, graph::Role role) {
  const std::vector<graph::NodeId> nodes = data.facts.split.nodes(role);
  return data.labels.is_secret() ? graph.map(&list_examples, data.labels.secret(), nodes)
                                 : graph.map(&list_examples, data.labels.visible(), nodes);
}

double secret_accuracy(const privacy::Secret<nn::Examples>& examples, const nn::Network& network,
                       const nn::Parameters& parameters, const char* what, privacy::ReleaseLog& log) {
  return privacy::declassify(
      examples.map(
          [](const nn::Examples& rows, const nn::Network& of, const nn::Parameters& numbers) {
            return nn::accuracy(nn::outputs_of(of, numbers, nn::all_rows(rows.features)), rows.labels);
          },
          network, parameters),
      what, "the paper chooses the epoch by it", log);
}

std::vector<graph::NodeId> everybody(std::size_t nodes) {
  std::vector<graph::NodeId> all(nodes);
  std::iota(all.begin(), all.end(), graph::NodeId{0});
  return all;
}

tensor::Matrix plain_sums(const graph::Graph& graph, const tensor::Matrix& weight) {
  const graph::Features rows = list_rows(graph, everybody(graph.nodes()));
  tensor::Matrix sums(graph.nodes(), weight.columns());
  tensor::multiply(tensor::SparseView(std::get<tensor::SparseMatrix>(rows)), weight, sums);
  return sums;
}

// The only way of A W out of a protected graph that is accounted for.
tensor::Matrix noisy_sums(const privacy::Secret<graph::Graph>& graph, const tensor::Matrix& weight,
                          const privacy::GaussianMechanism& mechanism, double row_bound,
                          privacy::ReleaseLog& log, RandomStream& noise) {
  const privacy::Secret<privacy::FixedPointMatrix> sums = graph.map(
      [](const graph::Graph& edges, const tensor::Matrix& rows, double grid, double bound) {
        return privacy::neighbor_sums(edges, rows, {.grid = grid, .row_bound = bound});
      },
      weight, mechanism.grid(), row_bound);
  return mechanism.release(sums, weight.rows(), weight.columns(), "sums of neighbours' rows of the embedding",
                           log, noise);
}

tensor::NamedMatrix named(const std::string& name, const tensor::Matrix& values) { return {name, values}; }

}  // namespace

struct Dpdgc::Embedding {
  tensor::Matrix weight;  // one row for every node
  tensor::Matrix bias;
  tensor::Matrix rows;  // A W + b as released
};

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
      {"published-wiki", "the same with batches of 64 everywhere (Squirrel, Chameleon)", with("64", "64")},
      {"published-256", "the same with private batches of 256 (Facebook)", with("0", "256")},
      {"published-pubmed", "the same with batches of 256 everywhere (PubMed)", with("256", "256")}};
}

OptionTable Dpdgc::options() {
  OptionTable table(name());
  table.add("width", privacy_.width, "columns of the embedding, numbers between the layers", 1, 65536);
  table.add("row_bound", privacy_.row_bound, "norm to which rows of W are held", 1e-6, 1e6);
  table.add("embedding_norm", embedding_norm_,
            "norm to which rows of the released embedding are scaled; 0 leaves them", 0.0, 1e6);
  table.add("gate", gate_,
            "edge units: validation labels, public there, choose between this and the features alone");
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

// The perceptron of the paper's comparisons: mlp with the preset dpdgc.
nn::Network Dpdgc::features_alone(std::size_t features, std::size_t classes) const {
  return dense_network({.layers = 3, .width = 64, .activation = "selu", .dropout = 0.5, .batch_norm = true},
                       features, classes);
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

Plan Dpdgc::plan(const Request& request, const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  // Refuses data without features before anything is opened.
  (void)classifier(request.unit.protects_features(), facts.features, facts.classes);
  Plan plan;
  if (!request.wants_privacy()) {
    if (request.unit.kind() == privacy::Unit::Kind::none) return plan;
    throw InvalidArgument({.what = "no budget",
                           .where = "dpdgc",
                           .expected = "a finite epsilon",
                           .remedy = "the unit none trains without privacy"});
  }
  const bool paper = request.rigor == privacy::Rigor::kPaper;
  const DpdgcPlan parts = private_plan(request, facts);
  plan.event = parts.event();
  const auto add = [&](const char* what, std::string value) { plan.numbers.emplace_back(what, value); };
  if (parts.published_sigma) add("published sigma", fmt::format("{:.4f}", *parts.published_sigma));
  add("embedding noise multiplier", fmt::format("{:.4f}", parts.embedding.noise_multiplier));
  add("embedding steps", fmt::format("{}", parts.embedding.steps));
  add("affected examples",
      fmt::format("{}", parts.embedding.affected.added + parts.embedding.affected.replaced));
  add("noise on A W over its row bound",
      fmt::format("{:.4f}", parts.sums.stddev().value() / privacy_.row_bound));
  if (parts.classifier) {
    add("classifier noise multiplier", fmt::format("{:.4f}", parts.classifier->noise_multiplier));
    add("classifier steps", fmt::format("{}", parts.classifier->steps));
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
      dpdgc_published(privacy_, request.unit, facts), *parts.published_sigma, request.delta.value()));
  plan.claimed_by = "published";
  return plan;
}

Dpdgc::Embedding Dpdgc::plain_embedding(const privacy::ProtectedDataset& data, Run& run) const {
  const graph::Graph& graph = data.graph.visible();
  const std::unique_ptr<RandomStream> weights = run.stream.fork("embedding", 0);
  const std::unique_ptr<RandomStream> order = run.stream.fork("embedding order", 0);
  const nn::Network network =
      embedding_network(data.facts.nodes, privacy_.width, data.facts.classes, batch_norm_, *weights);
  const auto examples = [&](graph::Role role) {
    return list_examples(graph, data.labels.visible(), data.facts.split.nodes(role));
  };
  nn::TrainerOptions options = plain_.trainer_options("dpdgc embedding");
  options.optimizer.weight_decay = embedding_decay_;
  const nn::TrainingResult result = nn::Trainer(network, options)
                                        .fit(examples(graph::Role::train), examples(graph::Role::validation),
                                             network.initial_parameters(*weights), *order);
  Embedding embedding{
      tensor::Matrix(data.facts.nodes, privacy_.width), tensor::Matrix(1, privacy_.width), {}};
  const std::span<const float> learnt(result.parameters.learnt);
  std::ranges::copy(learnt.first(embedding.weight.size()), embedding.weight.values().begin());
  std::ranges::copy(learnt.subspan(embedding.weight.size(), privacy_.width), embedding.bias.values().begin());
  embedding.rows = finished(plain_sums(graph, embedding.weight), embedding.bias.row(0));
  return embedding;
}

Dpdgc::Embedding Dpdgc::private_embedding(const Request& request, const privacy::ProtectedDataset& data,
                                          Run& run) const {
  const bool paper = request.rigor == privacy::Rigor::kPaper;
  const DpdgcPlan parts = private_plan(request, data.facts);
  const std::unique_ptr<RandomStream> weights = run.stream.fork("embedding", 0);
  const std::unique_ptr<RandomStream> noise = run.noise.fork("embedding", 0);
  const nn::Network network =
      embedding_network(data.facts.nodes, privacy_.width, data.facts.classes, false, *weights);
  std::optional<privacy::Secret<graph::Graph>> sampled;
  if (parts.sampled_degree > 0)
    sampled.emplace(data.graph.secret().map(&sampled_columns, parts.sampled_degree, run.noise.bits()));
  const privacy::Secret<graph::Graph>& graph = sampled ? *sampled : data.graph.secret();
  const privacy::Secret<nn::Examples> examples = secret_lists(graph, data, graph::Role::train);
  const privacy::Secret<nn::Examples> validation = secret_lists(graph, data, graph::Role::validation);

  nn::OptimizerOptions steps = plain_.optimizer_options();
  steps.learning_rate = embedding_rate_;
  steps.weight_decay = embedding_decay_;
  nn::PrivateOptimizer optimizer(network, parts.embedding, steps);
  nn::Parameters parameters = network.initial_parameters(*weights);
  const tensor::MatrixView rows(parameters.learnt.data(), data.facts.nodes, privacy_.width);
  const auto bound_rows = [&] {
    if (request.published_defects) return;
    if (paper) {
      tensor::normalize_rows_l2(rows, rows);  // to norm c, whether longer or shorter
      for (float& value : std::span(parameters.learnt).first(rows.rows * rows.columns))
        value *= static_cast<float>(privacy_.row_bound);
    }
    tensor::project_rows(rows, static_cast<float>(privacy_.row_bound));
  };
  bound_rows();
  const auto per_epoch = static_cast<std::uint64_t>(
      std::max(1.0, static_cast<double>(parts.embedding.population) / parts.embedding.expected_batch()));
  nn::Average average(parts.embedding.steps, average_);
  nn::Parameters best;
  double best_accuracy = -1;
  Progress progress("dpdgc embedding", parts.embedding.steps);
  for (std::uint64_t step = 0; step < parts.embedding.steps; ++step) {
    optimizer.step(examples, parameters, "clipped gradients of the embedding", run.log, *noise);
    bound_rows();
    progress.advance();
    if (!paper) {
      average.see(step, parameters);
      continue;
    }
    if ((step + 1) % per_epoch != 0) continue;
    const double accuracy = secret_accuracy(validation, network, parameters,
                                            "accuracy of the embedding on validation nodes", run.log);
    if (accuracy <= best_accuracy) continue;
    best_accuracy = accuracy;
    best = parameters;
  }
  if (best_accuracy >= 0) {
    std::ranges::copy(best.learnt, parameters.learnt.begin());
  } else if (average_ > 0) {
    average.write(parameters);  // a mean of rows within the ball is within it
    bound_rows();
  }

  Embedding embedding{
      tensor::Matrix(data.facts.nodes, privacy_.width), tensor::Matrix(1, privacy_.width), {}};
  std::ranges::copy(std::span(parameters.learnt).first(embedding.weight.size()),
                    embedding.weight.values().begin());
  std::ranges::copy(std::span(parameters.learnt).subspan(embedding.weight.size(), privacy_.width),
                    embedding.bias.values().begin());
  if (!request.published_defects) {
    embedding.rows =
        finished(noisy_sums(graph, embedding.weight, parts.sums, privacy_.row_bound, run.log, *noise),
                 embedding.bias.row(0));
    return embedding;
  }
  embedding.rows = privacy::declassify(graph.map(&plain_sums, embedding.weight),
                                       "sums of neighbours' rows of the embedding, without noise that counts",
                                       "the published code does so", run.log);
  tensor::Matrix published(embedding.rows.rows(), embedding.rows.columns());
  tensor::fill_gaussian(
      *noise, static_cast<float>(kPublishedRowBound * parts.sums.stddev().value() / privacy_.row_bound),
      published.values());
  for (std::size_t i = 0; i < published.size(); ++i) embedding.rows.values()[i] += published.values()[i];
  tensor::add_to_rows(embedding.bias.row(0), embedding.rows);
  return embedding;
}

void Dpdgc::fit_plain_classifier(const Request& request, const privacy::ProtectedDataset& data,
                                 const tensor::Matrix& embedding, Run& run, Fit& fit) const {
  const nn::Network network = classifier(false, data.facts.features, data.facts.classes);
  const std::unique_ptr<RandomStream> weights = run.stream.fork("classifier", 0);
  const std::unique_ptr<RandomStream> order = run.stream.fork("classifier order", 0);
  const auto with = [&](graph::Role role) {
    return joined_examples(data.features.visible(), data.labels.visible(), embedding,
                           data.facts.split.nodes(role), 0);
  };
  const nn::TrainingResult joined = nn::Trainer(network, plain_.trainer_options("dpdgc classifier"))
                                        .fit(with(graph::Role::train), with(graph::Role::validation),
                                             network.initial_parameters(*weights), *order);
  fit.epochs = joined.epochs;
  fit.validation_accuracy = joined.validation_accuracy;
  bool reads_embedding = true;
  if (gate_ && request.wants_privacy() && request.rigor == privacy::Rigor::kStrict) {
    const nn::Network alone = features_alone(data.facts.features, data.facts.classes);
    const std::unique_ptr<RandomStream> own = run.stream.fork("weights", 0);
    const std::unique_ptr<RandomStream> own_order = run.stream.fork("order", 0);
    const auto without = [&](graph::Role role) {
      return nn::examples_of(data.features.visible(), data.labels.visible(), data.facts.split.nodes(role));
    };
    nn::TrainerOptions options;
    options.optimizer.learning_rate = 0.001;
    options.label = "dpdgc features alone";
    const nn::TrainingResult result = nn::Trainer(alone, options)
                                          .fit(without(graph::Role::train), without(graph::Role::validation),
                                               alone.initial_parameters(*own), *own_order);
    // Of two that validation can't tell apart the plainer one: a standard error is what a lucky draw is
    // worth.
    const double share = result.validation_accuracy.value_or(0);
    const double error = std::sqrt(
        share * (1 - share) / std::max(1.0, static_cast<double>(data.facts.count(graph::Role::validation))));
    reads_embedding = joined.validation_accuracy.value_or(0) > share + error;
    if (!reads_embedding) {
      fit.validation_accuracy = result.validation_accuracy;
      store(alone, result.parameters, "features.", fit.model);
    }
  }
  if (reads_embedding) store(network, joined.parameters, "classifier.", fit.model);
  tensor::NamedMatrix flag{kReadsEmbedding, tensor::Matrix(1, 1)};
  flag.values(0, 0) = reads_embedding ? 1.0F : 0.0F;
  fit.model.tensors.push_back(std::move(flag));
}

void Dpdgc::fit_private_classifier(const Request& request, const privacy::ProtectedDataset& data,
                                   const tensor::Matrix& embedding, Run& run, Fit& fit) const {
  const bool paper = request.rigor == privacy::Rigor::kPaper;
  const nn::PrivateTraining training = *private_plan(request, data.facts).classifier;
  const nn::Network network = classifier(true, data.facts.features, data.facts.classes);
  const auto secret_rows = [&](graph::Role role) {
    return data.features.secret().map(&joined_examples, data.labels.secret(), embedding,
                                      data.facts.split.nodes(role), feature_norm(true));
  };
  const privacy::Secret<nn::Examples> examples = secret_rows(graph::Role::train);
  const privacy::Secret<nn::Examples> validation = secret_rows(graph::Role::validation);
  const std::unique_ptr<RandomStream> weights = run.stream.fork("classifier", 0);
  const std::unique_ptr<RandomStream> noise = run.noise.fork("classifier", 0);
  nn::OptimizerOptions steps = plain_.optimizer_options();
  steps.learning_rate = classifier_rate_;
  nn::PrivateOptimizer optimizer(network, training, steps);
  nn::Parameters parameters = network.initial_parameters(*weights);
  nn::Average average(training.steps, average_);
  const auto per_epoch = static_cast<std::uint64_t>(
      std::max(1.0, static_cast<double>(training.population) / training.expected_batch()));
  nn::Parameters best;
  Progress progress("dpdgc classifier", training.steps);
  for (std::uint64_t step = 0; step < training.steps; ++step) {
    optimizer.step(examples, parameters, "clipped gradients of the classifier", run.log, *noise);
    progress.advance();
    if (!paper) {
      average.see(step, parameters);
      continue;
    }
    if ((step + 1) % per_epoch != 0) continue;
    const double accuracy = secret_accuracy(validation, network, parameters,
                                            "accuracy of the classifier on validation nodes", run.log);
    if (fit.validation_accuracy && accuracy <= *fit.validation_accuracy) continue;
    fit.validation_accuracy = accuracy;
    best = parameters;
  }
  if (fit.validation_accuracy) {
    parameters = best;
  } else if (average_ > 0) {
    average.write(parameters);
  }
  fit.epochs = training.steps / per_epoch;
  store(network, parameters, "classifier.", fit.model);
  tensor::NamedMatrix flag{kReadsEmbedding, tensor::Matrix(1, 1)};
  flag.values(0, 0) = 1.0F;
  fit.model.tensors.push_back(std::move(flag));
}

Fit Dpdgc::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  require_unit(request.unit);
  Fit fit;
  const Embedding embedding =
      request.wants_privacy() ? private_embedding(request, data, run) : plain_embedding(data, run);
  if (data.features.is_secret()) {
    fit_private_classifier(request, data, embedding.rows, run, fit);
  } else {
    fit_plain_classifier(request, data, embedding.rows, run, fit);
  }
  fit.model.tensors.push_back(named(kWeight, embedding.weight));
  fit.model.tensors.push_back(named(kBias, embedding.bias));
  fit.model.tensors.push_back(named(kEmbedding, embedding.rows));
  return fit;
}

privacy::Guarded<tensor::Matrix> Dpdgc::scores_with(const Model& model, const privacy::ProtectedDataset& data,
                                                    const tensor::Matrix& embedding) const {
  if (model.tensor(kReadsEmbedding, 1, 1)(0, 0) == 0.0F) {
    const nn::Network alone = features_alone(model.features, model.classes);
    return row_scores(alone, restore(alone, "features.", model), data.features);
  }
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
  if (model.tensor(kReadsEmbedding, 1, 1)(0, 0) == 0.0F) return {};
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
  if (request.unit.kind() == privacy::Unit::Kind::none) return {};
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
                      "the model is public here: what its own training data cost is on its own certificate"};
  return plan;
}

privacy::Guarded<tensor::Matrix> Dpdgc::infer(const Request& request, const Model& model,
                                              const privacy::ProtectedDataset& data, Run& run) const {
  const tensor::Matrix none(data.facts.nodes, privacy_.width);
  if (model.tensor(kReadsEmbedding, 1, 1)(0, 0) == 0.0F) return scores_with(model, data, none);
  const tensor::Matrix& weight = model.tensor(kWeight, data.facts.nodes, privacy_.width);
  const tensor::Matrix& bias = model.tensor(kBias, 1, privacy_.width);
  tensor::Matrix sums = data.graph.is_secret()
                            ? noisy_sums(data.graph.secret(), weight, dpdgc_sums(privacy_, request),
                                         privacy_.row_bound, run.log, run.noise)
                            : plain_sums(data.graph.visible(), weight);
  return scores_with(model, data, finished(std::move(sums), bias.row(0)));
}

}  // namespace privet::methods
