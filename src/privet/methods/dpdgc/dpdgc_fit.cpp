#include "privet/methods/dpdgc/dpdgc.hpp"

#include <algorithm>
#include <cmath>

#include "privet/learn/private_fit.hpp"
#include "privet/methods/dpdgc/dpdgc_sums.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/tensor/fill.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

// The published code means to bound rows of W by this, and scales its noise to it.
constexpr double kPublishedRowBound = 1e-8;

privacy::Secret<nn::Examples> secret_lists(const privacy::Secret<graph::Graph>& graph,
                                           const privacy::ProtectedDataset& data, graph::Role role) {
  const std::vector<graph::NodeId> nodes = data.facts.split.nodes(role);
  return data.labels.is_secret() ? graph.map(&list_examples, data.labels.secret(), nodes)
                                 : graph.map(&list_examples, data.labels.visible(), nodes);
}

tensor::NamedMatrix named(const std::string& name, const tensor::Matrix& values) { return {name, values}; }

}  // namespace

struct Dpdgc::Embedding {
  tensor::Matrix weight;  // one row for every node
  tensor::Matrix bias;
  tensor::Matrix rows;  // A W + b as released
};

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

Dpdgc::Embedding Dpdgc::private_embedding(const Request& request, const DpdgcPlan& parts,
                                          const privacy::ProtectedDataset& data, Run& run) const {
  const bool paper = request.rigor == privacy::Rigor::kPaper;
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

  PrivateFitOptions options{.optimizer = plain_.optimizer_options(),
                            .average = average_,
                            .label = "dpdgc embedding",
                            .what = "clipped gradients of the embedding",
                            .validation = paper ? &validation : nullptr};
  options.optimizer.learning_rate = embedding_rate_;
  options.optimizer.weight_decay = embedding_decay_;
  if (!request.published_defects) {
    const auto radius = static_cast<float>(privacy_.row_bound);
    options.optimizer.ball = {.rows = data.facts.nodes, .columns = privacy_.width, .radius = radius};
    if (paper) {  // to norm c, whether longer or shorter
      options.after_step = [&, radius](nn::Parameters& now) {
        const tensor::MatrixView rows(now.learnt.data(), data.facts.nodes, privacy_.width);
        tensor::normalize_rows_l2(rows, rows);
        for (float& value : std::span(now.learnt).first(rows.rows * rows.columns)) value *= radius;
        tensor::project_rows(rows, radius);
      };
    }
  }
  const nn::Parameters parameters = private_fit(network, parts.embedding, options, examples,
                                                network.initial_parameters(*weights), *noise, run.log)
                                        .parameters;

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
  store(network, joined.parameters, "classifier.", fit.model);
  gate_.ask(request, data, run, fit);
}

void Dpdgc::fit_private_classifier(const Request& request, const nn::PrivateTraining& training,
                                   const privacy::ProtectedDataset& data, const tensor::Matrix& embedding,
                                   Run& run, Fit& fit) const {
  const bool paper = request.rigor == privacy::Rigor::kPaper;
  const nn::Network network = classifier(true, data.facts.features, data.facts.classes);
  const auto secret_rows = [&](graph::Role role) {
    return data.features.secret().map(&joined_examples, data.labels.secret(), embedding,
                                      data.facts.split.nodes(role), feature_norm(true));
  };
  const privacy::Secret<nn::Examples> examples = secret_rows(graph::Role::train);
  const privacy::Secret<nn::Examples> validation = secret_rows(graph::Role::validation);
  const std::unique_ptr<RandomStream> weights = run.stream.fork("classifier", 0);
  const std::unique_ptr<RandomStream> noise = run.noise.fork("classifier", 0);
  PrivateFitOptions options{.optimizer = plain_.optimizer_options(),
                            .average = average_,
                            .label = "dpdgc classifier",
                            .what = "clipped gradients of the classifier",
                            .validation = paper ? &validation : nullptr};
  options.optimizer.learning_rate = classifier_rate_;
  const PrivateFit learnt = private_fit(network, training, options, examples,
                                        network.initial_parameters(*weights), *noise, run.log);
  fit.epochs = learnt.epochs;
  fit.validation_accuracy = learnt.validation_accuracy;
  store(network, learnt.parameters, "classifier.", fit.model);
}

Fit Dpdgc::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  require_unit(request.unit);
  std::optional<DpdgcPlan> parts;
  if (request.wants_privacy()) parts.emplace(private_plan(request, data.facts));
  Fit fit;
  const Embedding embedding =
      parts ? private_embedding(request, *parts, data, run) : plain_embedding(data, run);
  if (parts && parts->classifier) {
    fit_private_classifier(request, *parts->classifier, data, embedding.rows, run, fit);
  } else {
    fit_plain_classifier(request, data, embedding.rows, run, fit);
  }
  fit.model.tensors.push_back(named(kWeight, embedding.weight));
  fit.model.tensors.push_back(named(kBias, embedding.bias));
  fit.model.tensors.push_back(named(kEmbedding, embedding.rows));
  return fit;
}

}  // namespace privet::methods
