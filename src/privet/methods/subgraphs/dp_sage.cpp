#include "privet/methods/subgraphs/dp_sage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/accounting/calibration.hpp"
#include "privet/base/error.hpp"
#include "privet/learn/noisy_hops.hpp"
#include "privet/learn/private_fit.hpp"
#include "privet/learn/private_rows.hpp"
#include "privet/learn/published_accounting.hpp"
#include "privet/learn/row_scores.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/proof/certificate.hpp"

namespace privet::methods {
namespace {

using GuardedMatrix = privacy::Guarded<tensor::Matrix>;
using GuardedFeatures = privacy::Guarded<graph::Features>;

const std::string kNeighbors = "neighbors";
const std::string kShare = "share";
const std::string kWeight = "0.weight";
const std::string kBias = "0.bias";

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

// The largest factor by which a matrix lengthens a row, nearly: power iteration. Rows are bounded in any
// case.
double largest_stretch(const tensor::Matrix& weight) {
  std::vector<float> row(weight.columns(), 1.0F);
  double stretch = 0;
  constexpr int kRounds = 30;
  for (int round = 0; round < kRounds; ++round) {
    const double norm = std::sqrt(dot(row, row));
    if (!(norm > 0)) break;
    for (float& value : row) value = static_cast<float>(static_cast<double>(value) / norm);
    std::vector<double> next(weight.columns());
    for (std::size_t i = 0; i < weight.rows(); ++i) {
      const double along = dot(weight.row(i), row);
      for (std::size_t j = 0; j < next.size(); ++j) next[j] += along * static_cast<double>(weight(i, j));
    }
    std::ranges::transform(next, row.begin(), [](double value) { return static_cast<float>(value); });
    stretch = std::sqrt(std::sqrt(dot(row, row)));
  }
  return stretch > 0 ? stretch : 1;
}

tensor::Matrix rows_of(const tensor::Matrix& matrix, std::size_t first, std::size_t count) {
  tensor::Matrix some(count, matrix.columns());
  for (std::size_t i = 0; i < count; ++i) std::ranges::copy(matrix.row(first + i), some.row(i).begin());
  return some;
}

nn::Parameters one_layer(const tensor::Matrix& weight, std::span<const float> bias) {
  nn::Parameters parameters{tensor::AlignedVector<float>(weight.size() + bias.size()), {}};
  std::ranges::copy(weight.values(), parameters.learnt.begin());
  std::ranges::copy(bias, parameters.learnt.begin() + static_cast<std::ptrdiff_t>(weight.size()));
  return parameters;
}

GuardedFeatures unit_rows(const GuardedFeatures& features) {
  if (features.is_secret()) return GuardedFeatures::hidden(features.secret().map(&scaled_rows, 1.0));
  return GuardedFeatures::public_value(scaled_rows(features.visible(), 1));
}

graph::Features sum_of(const tensor::Matrix& own, const tensor::Matrix& others) {
  tensor::Matrix sum = own;
  for (std::size_t i = 0; i < sum.values().size(); ++i) sum.values()[i] += others.values()[i];
  return sum;
}

}  // namespace

graph::Features star_rows(const graph::Graph& graph, const graph::Features& features, double share) {
  graph::Features own = scaled_rows(features, 1);
  const std::size_t columns = graph::feature_columns(own);
  const std::size_t nodes = graph.nodes();
  if (const auto* dense = std::get_if<tensor::Matrix>(&own)) {
    tensor::Matrix rows(nodes, 2 * columns);
    for (graph::NodeId i = 0; i < nodes; ++i) {
      std::ranges::copy(dense->row(i), rows.row(i).begin());
      const std::span<float> sum = rows.row(i).subspan(columns);
      for (const graph::NodeId j : graph.neighbors(i))
        for (std::size_t c = 0; c < columns; ++c) sum[c] += static_cast<float>(share) * (*dense)(j, c);
    }
    return rows;
  }
  const auto* sparse = std::get_if<tensor::SparseMatrix>(&own);
  if (sparse == nullptr) return own;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> places;
  tensor::AlignedVector<float> values;
  std::vector<float> sum(columns);
  std::vector<std::uint32_t> touched;
  for (graph::NodeId i = 0; i < nodes; ++i) {
    const auto each = [&](graph::NodeId node, const auto& take) {
      for (std::uint64_t k = sparse->offsets()[node]; k < sparse->offsets()[node + 1]; ++k)
        take(sparse->column_indices()[k], sparse->value(k));
    };
    each(i, [&](std::uint32_t column, float value) {
      places.push_back(column);
      values.push_back(value);
    });
    for (const graph::NodeId j : graph.neighbors(i)) {
      each(j, [&](std::uint32_t column, float value) {
        if (sum[column] == 0) touched.push_back(column);
        sum[column] += static_cast<float>(share) * value;
      });
    }
    std::ranges::sort(touched);
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const std::uint32_t column : touched) {
      places.push_back(static_cast<std::uint32_t>(columns) + column);
      values.push_back(sum[column]);
      sum[column] = 0;
    }
    touched.clear();
    offsets.push_back(places.size());
  }
  return tensor::SparseMatrix(nodes, 2 * columns, std::move(offsets), std::move(places), std::move(values));
}

graph::Graph greedily_sampled(const graph::Graph& graph, std::uint64_t most, std::uint64_t seed) {
  // An edge has its place in the order whether or not others are there: what changes is the sampler's doing.
  const SeededStream parent(seed);
  std::vector<std::pair<std::uint64_t, graph::Edge>> edges;
  for (graph::NodeId i = 0; i < graph.nodes(); ++i) {
    for (const graph::NodeId j : graph.neighbors(i)) {
      if (graph.undirected() && i > j) continue;
      edges.emplace_back(parent.fork("place", (std::uint64_t{i} << 32U) + j)->bits(), graph::Edge{i, j});
    }
  }
  std::ranges::sort(edges, {}, &std::pair<std::uint64_t, graph::Edge>::first);
  std::vector<std::uint64_t> degree(graph.nodes());
  graph::EdgeList kept;
  for (const auto& [place, edge] : edges) {
    if (degree[edge.from] >= most || degree[edge.to] >= most) continue;
    ++degree[edge.from];
    ++degree[edge.to];
    kept.add(edge.from, edge.to);
  }
  return {graph.nodes(), std::move(kept), graph.direction()};
}

DpSage::DpSage() {
  training_.learning_rate = 0.01;
  training_.epochs = 100;
}

std::string DpSage::summary() const { return "one layer of message passing by private SGD; protects people"; }
std::string DpSage::reference() const {
  return "Daigavane et al. 2021; as SAGE-NDP in Sajadmanesh et al. 2023 (GAP)";
}

std::vector<Preset> DpSage::presets() const {
  return {{"gap",
           "GAP's SAGE-NDP: width 16, batches of 256, 10 epochs, degrees sampled to 100",
           {"width=16", "batch=256", "epochs=10", "learning_rate=0.01", "clip_norm=1", "max_degree=100",
            "average=0"}}};
}

OptionTable DpSage::options() {
  OptionTable table(name());
  table.add("width", width_, "numbers behind message passing", 1, 65536);
  table.add("activation", activation_, "behind message passing", {"selu", "relu", "tanh", "none"});
  training_.declare(table);
  table.add("clip_norm", clip_norm_, "norm to which one example's gradient is scaled down", 1e-6, 1e6);
  table.add("average", average_, "share of the last steps whose parameters are averaged; 0 takes the last",
            0.0, 1.0);
  table.add("training_noise", training_noise_, "noise of the training relative to that of the sums", 1e-3,
            1e3);
  table.add("sums_noise", sums_noise_, "the same of the sums", 1e-3, 1e3);
  table.add("max_degree", max_degree_,
            "paper rigor: edges of one node that are kept, by sampling; 0 is the unit's bound", 0,
            1000000000);
  return table;
}

nn::Network DpSage::tail(std::size_t classes) const {
  nn::Network network;
  network.add<nn::NormalizeRows>(width_);
  network.add<nn::Activate>(width_, parse_activation(activation_));
  network.add<nn::Linear>(width_, classes);
  return network;
}

nn::Network DpSage::network(std::size_t features, std::size_t classes) const {
  nn::Network network;
  network.add<nn::Linear>(2 * features, width_);
  network.add<nn::NormalizeRows>(width_);
  network.add<nn::Activate>(width_, parse_activation(activation_));
  network.add<nn::Linear>(width_, classes);
  return network;
}

nn::PrivateTraining DpSage::training(const Request& request, const privacy::PublicFacts& facts) const {
  const std::uint64_t population = facts.count(graph::Role::train);
  const std::uint64_t batch =
      training_.batch == 0 ? population : std::min<std::uint64_t>(training_.batch, population);
  return {.unit = request.unit,
          .affected = privacy::examples_with_one_hop(request.unit, population),
          .clipping = {{clip_norm_}},
          .noise_multiplier = 1,
          .sampling = privacy::PoissonSampling{static_cast<double>(batch) / static_cast<double>(population)},
          .population = population,
          .steps = std::max<std::uint64_t>(1, training_.epochs * population / batch)};
}

DpSage::Parts DpSage::published_parts(const Request& request, const privacy::PublicFacts& facts) const {
  std::uint64_t degree = request.unit.max_degree();
  if (max_degree_ > 0) degree = std::min(degree, max_degree_);
  const std::uint64_t population = facts.count(graph::Role::train);
  const std::uint64_t batch = training_.batch == 0 ? population : training_.batch;
  const PublishedPlan published{.trainings = {{.batches = PublishedBatches::subgraphs,
                                               .population = population,
                                               .batch = batch,
                                               .epochs = training_.epochs,
                                               .max_degree = std::min(degree, population - 1)}},
                                .gaussians = 1};
  const double sigma = published_sigma(published, request.epsilon->value(), request.delta.value());
  nn::PrivateTraining trained = training(request, facts);
  trained.sampling = privacy::FixedSizeSampling{population, batch};
  trained.affected = privacy::AffectedExamples{.replaced = degree + 1}.among(population);
  trained.noise_multiplier = 2 * static_cast<double>(degree + 1) * sigma;
  const auto sensitivity =
      privacy::Sensitivity::stated(request.unit, {.l2 = std::sqrt(static_cast<double>(degree)),
                                                  .coordinates = degree * width_,
                                                  .value = "sum of neighbours' rows, as published",
                                                  .argument = "public code of GAP (SAGE-NDP)"});
  return {.training = std::move(trained),
          .sums = privacy::GaussianMechanism::with_stddev(
              sensitivity, privacy::NoiseStddev(sigma * sensitivity.l2().value())),
          .sampled_degree = degree < request.unit.max_degree() ? degree : 0,
          .share = 1,
          .claimed_epsilon =
              privacy::printed_epsilon(published_epsilon(published, sigma, request.delta.value()))};
}

DpSage::Parts DpSage::parts(const Request& request, const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  require_budget(request, "dp-sage", "the method sage with the unit none");
  if (request.rigor == privacy::Rigor::kPaper) return published_parts(request, facts);
  const nn::PrivateTraining trained = training(request, facts);
  const double reach = trained.affected.clip_norms();
  const std::vector<privacy::WeightedPart> weighted = {
      {[&](double noise) { return trained.with_noise(reach * noise).event(); }, training_noise_},
      {[](double noise) { return privacy::Event(privacy::GaussianEvent{noise}); }, sums_noise_}};
  const std::vector<double> noise = privacy::calibrate_weighted(weighted, *request.epsilon, request.delta);
  auto sums = privacy::GaussianMechanism::with_multiplier(hop_sensitivity(request.unit, width_), noise[1]);
  // Wiener's factor for one neighbour's row against the noise: public numbers.
  const double loud = sums.stddev().value() * std::sqrt(static_cast<double>(width_));
  return {.training = trained.with_noise(reach * noise[0]),
          .sums = std::move(sums),
          .share = 1 / (1 + loud * loud)};
}

Plan DpSage::plan(const Request& request, const privacy::PublicFacts& facts) const {
  const Parts parts = this->parts(request, facts);
  nn::require_trainable(network(facts.features, facts.classes), parts.training);
  Plan plan{.event = privacy::composed({parts.training.event(), parts.sums.event()})};
  plan.numbers = {
      {"affected examples", fmt::format("{}", parts.training.affected.count())},
      {"noise multiplier of the training", fmt::format("{:.4f}", parts.training.noise_multiplier)},
      {"steps", fmt::format("{}", parts.training.steps)},
      {"noise of the sums", fmt::format("{:.4f}", parts.sums.stddev().value())},
      {"share of the neighbours", fmt::format("{:.3g}", parts.share)}};
  plan.assumptions = {
      "ids, roles, classes and the number of training nodes are public",
      fmt::format("no node has more than {} edges", request.unit.max_degree()),
      "row i of the sums, which the model holds, and the scores of node i are for the eyes of node i: the "
      "model as a whole is not for publication",
      "batches larger than their bound, which occur with probability below 2^-100 each, are left out of the "
      "bound on rounding"};
  if (request.rigor == privacy::Rigor::kStrict) return plan;
  if (!request.unit.blanks_person()) {
    plan.failed_claims = {
        "replacing a node changes the stars of its old and its new neighbours, 2D + 1 examples; D + 1 were "
        "paid for",
        "the sums over neighbours move by 2 sqrt D, and sqrt D was paid for"};
  }
  plan.failed_claims.push_back(
      "the paper calls all rows of the sums private, but a node's own row moves by up to its degree");
  if (parts.sampled_degree > 0) {
    plan.failed_claims.push_back(
        fmt::format("degrees are cut down to {} greedily: one edge less can change the fate of any number of "
                    "others",
                    parts.sampled_degree));
  }
  plan.claimed_epsilon = parts.claimed_epsilon;
  plan.claimed_by = "rdp";
  return plan;
}

tensor::Matrix DpSage::neighbors(const Model& model, const privacy::Guarded<graph::Graph>& graph,
                                 const privacy::ProtectedDataset& data,
                                 const std::optional<privacy::GaussianMechanism>& noise, Run& run) const {
  tensor::Matrix weight =
      rows_of(model.tensor(kWeight, 2 * model.features, width_), model.features, model.features);
  const double stretch = largest_stretch(weight);
  for (float& value : weight.values()) value = static_cast<float>(static_cast<double>(value) / stretch);
  nn::Network layer;
  layer.add<nn::Linear>(model.features, width_, false);
  const GuardedMatrix rows = row_scores(layer, one_layer(weight, {}), unit_rows(data.features));
  tensor::Matrix sums =
      noisy_sums(graph, rows, width_, data.facts.nodes, noise, "sum over neighbours, for predicting", run);
  const double factor = stretch * static_cast<double>(model.tensor(kShare, 1, 1)(0, 0));
  for (float& value : sums.values()) value = static_cast<float>(static_cast<double>(value) * factor);
  return sums;
}

Fit DpSage::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  const Parts parts = this->parts(request, data.facts);
  const nn::Network net = network(data.facts.features, data.facts.classes);
  const std::uint64_t seed = run.noise.fork("sampler", 0)->bits();
  const auto graph = privacy::Guarded<graph::Graph>::hidden(data.graph.secret().map(
      [](const graph::Graph& whole, std::uint64_t most, std::uint64_t from) {
        return most == 0 ? whole : greedily_sampled(whole, most, from);
      },
      parts.sampled_degree, seed));
  const auto stars =
      GuardedFeatures::hidden(graph.secret().map(&star_rows, data.features.secret(), parts.share));
  const auto examples = examples_in_role(stars, data, graph::Role::train);
  const PrivateFitOptions options{.optimizer = training_.optimizer_options(),
                                  .average = average_,
                                  .label = name(),
                                  .what = "clipped gradients of a batch of stars"};
  const std::unique_ptr<RandomStream> weights = run.stream.fork("weights", 0);
  const std::unique_ptr<RandomStream> noise = run.noise.fork("training", 0);
  const PrivateFit fitted = private_fit(net, parts.training, options, examples.secret(),
                                        net.initial_parameters(*weights), *noise, run.log);
  Fit fit{.epochs = fitted.epochs};
  fit.model.features = data.facts.features;
  fit.model.classes = data.facts.classes;
  store(net, fitted.parameters, "", fit.model);
  tensor::NamedMatrix share{kShare, tensor::Matrix(1, 1)};
  share.values(0, 0) = static_cast<float>(parts.share);
  fit.model.tensors.push_back(std::move(share));
  tensor::Matrix sums = neighbors(fit.model, graph, data, parts.sums, run);
  fit.model.tensors.push_back({kNeighbors, std::move(sums)});
  return fit;
}

GuardedMatrix DpSage::finished(const Model& model, const tensor::Matrix& neighbors,
                               const privacy::ProtectedDataset& data) const {
  nn::Network layer;
  layer.add<nn::Linear>(model.features, width_);
  const tensor::Matrix weight = rows_of(model.tensor(kWeight, 2 * model.features, width_), 0, model.features);
  const GuardedMatrix own =
      row_scores(layer, one_layer(weight, model.tensor(kBias, 1, width_).values()), unit_rows(data.features));
  const GuardedFeatures sums = own.is_secret()
                                   ? GuardedFeatures::hidden(own.secret().map(&sum_of, neighbors))
                                   : GuardedFeatures::public_value(sum_of(own.visible(), neighbors));
  const nn::Network last = tail(model.classes);
  const nn::Parameters whole = restore(network(model.features, model.classes), "", model);
  nn::Parameters parameters{tensor::AlignedVector<float>(last.parameters()), {}};
  std::copy_n(whole.learnt.end() - static_cast<std::ptrdiff_t>(last.parameters()), last.parameters(),
              parameters.learnt.begin());
  return row_scores(last, parameters, sums);
}

GuardedMatrix DpSage::scores(const Model& model, const privacy::ProtectedDataset& data) const {
  return finished(model, model.tensor(kNeighbors, data.facts.nodes, width_), data);
}

Plan DpSage::inference_plan(const Request& request, const Model& model, const privacy::PublicFacts&) const {
  require_unit(request.unit);
  return noisy_sums_plan(request, model);
}

GuardedMatrix DpSage::infer(const Request& request, const Model& model, const privacy::ProtectedDataset& data,
                            Run& run) const {
  const Plan plan = inference_plan(request, model, data.facts);
  const auto mechanism = privacy::GaussianMechanism::with_multiplier(
      hop_sensitivity(request.unit, width_),
      std::get<privacy::GaussianEvent>(plan.event.kind()).noise_multiplier);
  return finished(model, neighbors(model, data.graph, data, mechanism, run), data);
}

}  // namespace privet::methods
