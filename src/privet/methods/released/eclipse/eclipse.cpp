#include "privet/methods/released/eclipse/eclipse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/accounting/calibration.hpp"
#include "privet/base/error.hpp"
#include "privet/core/sensitivity.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/learn/noisy_hops.hpp"
#include "privet/methods/released/low_rank_graph.hpp"
#include "privet/methods/released/top_entries_sampler.hpp"
#include "privet/nn/examples.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/tensor/eigenpairs.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

const std::string kBasis = "basis.";

// mlp with the preset dpdgc, as the gate has it.
nn::Network perceptron(std::size_t features, std::size_t classes) {
  return dense_network({.layers = 3, .width = 64, .activation = "selu", .dropout = 0.5, .batch_norm = true},
                       features, classes);
}

privacy::NeighborSum sum_of(std::size_t columns) { return {.row_bound = 1, .columns = columns}; }

tensor::Matrix beside(const std::vector<tensor::Matrix>& parts) {
  std::size_t columns = 0;
  for (const tensor::Matrix& part : parts) columns += part.columns();
  tensor::Matrix all(parts.front().rows(), columns);
  for (std::size_t i = 0; i < all.rows(); ++i) {
    auto at = all.row(i).begin();
    for (const tensor::Matrix& part : parts) at = std::ranges::copy(part.row(i), at).out;
  }
  return all;
}

graph::Graph without_edges(std::size_t nodes) { return {nodes, {}, graph::Direction::undirected}; }

}  // namespace

tensor::Matrix class_basis(const privacy::ProtectedDataset& data, Run& run, const Model* model,
                           std::vector<tensor::NamedMatrix>& tensors) {
  const nn::Network network = perceptron(data.facts.features, data.facts.classes);
  nn::Parameters parameters;
  if (model != nullptr) {
    parameters = restore(network, kBasis, *model);
  } else {
    const auto examples = [&](graph::Role role) {
      return nn::examples_of(data.features.visible(), data.labels.visible(), data.facts.split.nodes(role));
    };
    const std::unique_ptr<RandomStream> weights = run.stream.fork("weights of the basis", 0);
    const std::unique_ptr<RandomStream> order = run.stream.fork("order of the basis", 0);
    nn::TrainerOptions options;
    options.optimizer.learning_rate = 0.001;
    options.label = "basis";
    parameters = nn::Trainer(network, options)
                     .fit(examples(graph::Role::train), examples(graph::Role::validation),
                          network.initial_parameters(*weights), *order)
                     .parameters;
    Model own;
    store(network, parameters, kBasis, own);
    tensors = std::move(own.tensors);
  }
  const tensor::Matrix logits = nn::outputs_of(network, parameters, nn::all_rows(data.features.visible()));
  tensor::Matrix basis(logits.rows(), logits.columns());
  tensor::softmax_rows(logits, basis);
  for (const graph::NodeId node : data.facts.split.nodes(graph::Role::train)) {
    std::ranges::fill(basis.row(node), 0.0F);
    basis(node, static_cast<std::size_t>(data.labels.visible()[node])) = 1;
  }
  return basis;
}

std::string Eclipse::summary() const { return "learning on a noisy graph of low rank"; }
std::string Eclipse::reference() const {
  return "Tang, Niu, Avestimehr, Annavaram 2024 (Eclipse); strict: Hardt and Price 2014, noisy products";
}

std::vector<Preset> Eclipse::presets() const {
  return {
      {"published",
       "rank 20, 1 % for the count; 2 layers of 64, dropout 0.5, Adam 0.01 going down to 0 in 500 epochs, "
       "the one of the lowest validation loss",
       {"rank=20", "count_share=0.01", "layers=2", "width=64", "dropout=0.5", "epochs=500",
        "learning_rate=0.01", "weight_decay=0.0005", "final_rate=0", "select=loss", "normalization=loops"}}};
}

OptionTable Eclipse::options() {
  OptionTable table(name());
  table.add("rank", published_.rank, "singular values (paper), or eigenpairs of a noisy matrix", 1, 1000);
  table.add("count_share", published_.count_share, "share of epsilon for the count of the edges", 0.001, 0.5);
  table.add("basis", basis_, "what the graph is multiplied with (strict)",
            {"features", "iterated", "noisy-matrix"});
  table.add("iterations", iterations_, "noisy products (strict, basis=iterated)", 1, 100);
  table.add("readout", readout_,
            "what the network reads of the product: its rows, its largest entries (strict)",
            {"rows", "graph", "both"});
  declare_network(table);
  return table;
}

double Eclipse::count_epsilon(const Request& request) const {
  return published_.count_share * request.epsilon->value();
}

privacy::GaussianMechanism Eclipse::product_noise(const Request& request, std::size_t columns) const {
  const auto cost = [&](double noise) {
    std::vector<privacy::Event> events;
    if (counts_edges()) events.push_back(edge_count_event(request.unit, count_epsilon(request)));
    events.push_back(privacy::repeated(privacy::GaussianEvent{noise}, products()));
    return privacy::composed(std::move(events));
  };
  return privacy::GaussianMechanism::with_multiplier(
      privacy::neighbor_sum_sensitivity(request.unit, sum_of(columns)),
      privacy::calibrate(cost, *request.epsilon, request.delta));
}

privacy::TopEntries Eclipse::matrix_noise(const Request& request) const {
  return {request.unit, privacy::Epsilon(request.epsilon->value() - count_epsilon(request))};
}

Plan Eclipse::published_plan(const Request& request) const {
  const privacy::GaussianMechanism noise = published_eclipse_noise(published_, request);
  Plan plan{
      .event = privacy::composed({edge_count_event(request.unit, count_epsilon(request)), noise.event()}),
      .assumptions = {"features and labels are public"},
      .failed_claims = {"the singular vectors of the adjacency matrix leave without noise; they are "
                        "functions of every edge, so the graph that is made of them is not private at "
                        "any epsilon (Theorem 1 takes them to be the same with and without the edge)"},
      .claimed_epsilon = request.epsilon->value(),
      .claimed_by = "published"};
  if (request.epsilon->value() > 1)
    plan.failed_claims.emplace_back(
        "the classic calibration of Gaussian noise is proven for epsilon below 1");
  plan.numbers = {{"noise of a singular value", fmt::format("{:.4f}", noise.stddev().value())},
                  {"rank", fmt::format("{}", published_.rank)}};
  return plan;
}

Plan Eclipse::plan(const Request& request, const privacy::PublicFacts& facts) const {
  if (!requires_privacy(request)) return {};
  if (request.rigor == privacy::Rigor::kPaper) return published_plan(request);
  std::vector<privacy::Event> events;
  if (counts_edges()) events.push_back(edge_count_event(request.unit, count_epsilon(request)));
  Plan plan{.assumptions = {"features and labels are public"}};
  if (basis_ == "noisy-matrix") {
    const privacy::TopEntries entries = matrix_noise(request);
    events.push_back(entries.event());
    plan.numbers = {{"scale of the noise", fmt::format("{:.4f}", entries.scale())}};
  } else {
    const privacy::GaussianMechanism noise = product_noise(request, facts.classes);
    events.push_back(privacy::repeated(noise.event(), products()));
    plan.numbers = {{"noise of a product", fmt::format("{:.4f}", noise.stddev().value())}};
  }
  plan.event = privacy::composed(std::move(events));
  return plan;
}

Plan Eclipse::inference_plan(const Request& request, const Model& model,
                             const privacy::PublicFacts& facts) const {
  const bool has_basis = std::ranges::any_of(
      model.tensors, [](const tensor::NamedMatrix& one) { return one.name.starts_with(kBasis); });
  if (request.wants_privacy() && request.rigor == privacy::Rigor::kStrict && basis_ != "noisy-matrix" &&
      !has_basis && !gate_is_closed(model)) {
    throw Unsound({.what = "a model that was learnt as published has no sound way to read another graph",
                   .where = "eclipse",
                   .remedy = "train it with --rigor strict, or --rigor paper here too, without a guarantee"});
  }
  if (request.wants_privacy() && request.rigor == privacy::Rigor::kPaper && has_basis) {
    throw InvalidArgument({.what = "a model that was learnt in strict rigor reads products, not a graph",
                           .where = "eclipse, paper rigor",
                           .remedy = "leave --rigor out, or train it with --rigor paper"});
  }
  return ReleasedGraph::inference_plan(request, model, facts);
}

Released Eclipse::released_products(const Request& request, const privacy::ProtectedDataset& data, Run& run,
                                    const Model* model) const {
  Released released{.graph = without_edges(data.facts.nodes)};
  std::uint64_t count = 0;
  if (counts_edges()) count = released_edge_count(data, request.unit, count_epsilon(request), run);
  const std::size_t columns = data.facts.classes;
  const privacy::GaussianMechanism noise = product_noise(request, columns);
  tensor::Matrix basis = class_basis(data, run, model, released.tensors);
  std::vector<tensor::Matrix> rows;
  for (std::uint64_t step = 1; step <= products(); ++step) {
    const tensor::Matrix product =
        noisy_sums(data.graph, privacy::Guarded<tensor::Matrix>::public_value(basis), columns,
                   data.facts.nodes, noise, "product of the graph with a released basis", run);
    if (readout_ != "rows" && step == products()) released.graph = graph_of_largest(product, basis, count);
    tensor::normalize_rows_l2(product, basis);
    rows.push_back(basis);
  }
  if (readout_ != "graph") released.rows = beside(rows);
  return released;
}

Released Eclipse::released_eigenpairs(const Request& request, const privacy::ProtectedDataset& data,
                                      Run& run) const {
  const std::uint64_t count = released_edge_count(data, request.unit, count_epsilon(request), run);
  const privacy::TopEntries entries = matrix_noise(request);
  const graph::Graph noisy = privacy::graph_of_pairs(
      entries.release(data.graph.secret(), data.facts.nodes, count,
                      "pairs of nodes with the largest noisy entries", run.log, run.noise));
  const tensor::Eigenpairs pairs = tensor::leading_eigenpairs(graph::plain_adjacency(noisy), published_.rank);
  tensor::Matrix scaled = pairs.vectors;
  for (std::size_t i = 0; i < scaled.rows(); ++i) {
    for (std::size_t j = 0; j < scaled.columns(); ++j) scaled(i, j) *= static_cast<float>(pairs.values[j]);
  }
  Released released{.graph = without_edges(data.facts.nodes)};
  if (readout_ != "rows") released.graph = graph_of_largest(scaled, pairs.vectors, count);
  if (readout_ != "graph") {
    tensor::normalize_rows_l2(scaled, scaled);
    released.rows = std::move(scaled);
  }
  return released;
}

Released Eclipse::release(const Request& request, const privacy::ProtectedDataset& data, Run& run,
                          const Model* model) const {
  if (!request.unit.protects_anything() || request.rigor == privacy::Rigor::kPaper)
    return {.graph = published_eclipse_graph(published_, request, data, run)};
  if (basis_ == "noisy-matrix") return released_eigenpairs(request, data, run);
  return released_products(request, data, run, model);
}

std::optional<AuditSampler> Eclipse::audit_sampler(const Request& request, const privacy::PublicFacts& facts,
                                                   const AuditPair& pair) const {
  if (request.rigor == privacy::Rigor::kPaper) return published_eclipse_sampler(published_, request, pair);
  if (basis_ == "noisy-matrix") return top_entries_sampler(matrix_noise(request));
  return neighbor_sums_sampler(product_noise(request, facts.classes), sum_of(facts.classes), products(),
                               pair);
}

}  // namespace privet::methods
