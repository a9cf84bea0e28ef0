#include "privet/methods/subgraphs/dp_gnn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/accounting/calibration.hpp"
#include "privet/base/error.hpp"
#include "privet/core/mechanisms/noisy_quantile.hpp"
#include "privet/graph/split.hpp"
#include "privet/learn/clipped_sums_sampler.hpp"
#include "privet/learn/noisy_hops.hpp"
#include "privet/learn/private_fit.hpp"
#include "privet/learn/private_rows.hpp"
#include "privet/methods/subgraphs/dp_gnn_published.hpp"
#include "privet/proof/certificate.hpp"

namespace privet::methods {
namespace {

constexpr double kPublishedQuantile = 0.75;

// A tenth of a decade apart, around any norm that a gradient of a network may have.
std::vector<double> clip_candidates() {
  std::vector<double> candidates;
  for (int i = -30; i <= 30; ++i) candidates.push_back(std::pow(10.0, 0.1 * i));
  return candidates;
}

// Roots are training nodes; with one layer nobody else needs a list.
nn::StarExamples star_examples(const graph::Graph& graph, const graph::Features& features,
                               const std::vector<std::int32_t>& labels, const std::vector<graph::Role>& roles,
                               const privacy::SubgraphSampler& sampler, bool disjoint, bool greedy,
                               std::uint64_t key, double feature_norm) {
  std::vector<std::uint8_t> training(graph.nodes());
  nn::StarExamples examples{
      .features = scaled_rows(features, feature_norm), .heard = {}, .layers = sampler.caps().layers};
  for (graph::NodeId v = 0; v < graph.nodes(); ++v) {
    training[v] = roles[v] == graph::Role::train ? 1 : 0;
    if (training[v] == 0) continue;
    examples.roots.push_back(v);
    examples.labels.push_back(labels[v]);
  }
  const graph::Graph used = disjoint ? graph::within_roles(graph, roles) : graph;
  examples.heard =
      greedy ? greedy_subgraphs(used, training, sampler.caps().heard, key)
             : sampler.sample(
                   used, examples.layers == 1 ? training : std::vector<std::uint8_t>(graph.nodes(), 1), key);
  return examples;
}

std::vector<double> chosen_group(const nn::StarExamples& examples, const nn::Network& network,
                                 const nn::Parameters& parameters, bool flat, std::size_t group) {
  const std::vector<double> norms = nn::gradient_norms(network, parameters, examples, flat);
  const auto begin = norms.begin() + static_cast<std::ptrdiff_t>(group * examples.count());
  return {begin, begin + static_cast<std::ptrdiff_t>(examples.count())};
}

// The percentile of each layer's norms, interpolated between neighbours as numpy does.
std::vector<double> percentiles(const nn::StarExamples& examples, const nn::Network& network,
                                const nn::Parameters& parameters, double quantile) {
  const std::vector<double> norms = nn::gradient_norms(network, parameters, examples, false);
  const std::size_t count = examples.count();
  std::vector<double> found;
  for (std::size_t g = 0; g < network.groups(); ++g) {
    std::vector<double> own(norms.begin() + static_cast<std::ptrdiff_t>(g * count),
                            norms.begin() + static_cast<std::ptrdiff_t>((g + 1) * count));
    std::ranges::sort(own);
    const double place = quantile * static_cast<double>(count - 1);
    const auto below = static_cast<std::size_t>(place);
    const double above = own[std::min(below + 1, count - 1)];
    found.push_back(own[below] + (place - static_cast<double>(below)) * (above - own[below]));
  }
  return found;
}

}  // namespace

DpGnn::DpGnn() {
  training_.learning_rate = 0.02;
  training_.batch = 0;
}

std::string DpGnn::summary() const {
  return "message passing by private SGD on bounded subgraphs; protects people";
}
std::string DpGnn::reference() const { return "Daigavane et al. 2021 (node-level DP-GNN)"; }

std::vector<Preset> DpGnn::presets() const {
  const std::vector<std::string> common = {"architecture=gcn", "layers=1",      "width=100",
                                           "encoder_layers=1", "batch=10000",   "feature_norm=0",
                                           "average=0",        "clip=quantile", "clipping=flat",
                                           "sampling=poisson", "final_rate=1",  "weight_decay=0"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), common.begin(), common.end());
    return more;
  };
  return {{"arxiv", "the paper's settings of DP-GNN (Adam) for ogbn-arxiv",
           with({"optimizer=adam", "learning_rate=0.003", "activation=tanh", "decoder_layers=2", "degree=7",
                 "steps=711"})},
          {"arxiv-sgd", "those of DP-GNN (SGD)",
           with({"optimizer=sgd", "learning_rate=1", "activation=tanh", "decoder_layers=1", "degree=7",
                 "steps=711"})},
          {"products", "those of DP-GNN (Adam) for ogbn-products",
           with({"optimizer=adam", "learning_rate=0.003", "activation=relu", "decoder_layers=1", "degree=10",
                 "steps=1500"})},
          {"mag", "those of DP-GNN (Adam) for ogbn-mag",
           with({"optimizer=adam", "learning_rate=0.001", "activation=tanh", "decoder_layers=2", "degree=5",
                 "steps=3000", "batch=4096"})}};
}

OptionTable DpGnn::options() {
  OptionTable table(name());
  shape_.declare(table);
  table.add("degree", degree_, "others that one node hears at most", 1, 10000);
  table.add("listeners", listeners_,
            "nodes that hear one node at most, under record; 0 is as many as degree says", 0, 10000);
  table.add("steps", steps_, "private steps; with noise_multiplier, at most", 1, 100000000);
  table.add("batch", training_.batch, "roots per step on average; 0 is all of them", 0, 100000000);
  table.add("sampling", sampling_, "how batches are drawn", {"poisson", "fixed-size"});
  table.add("noise_multiplier", noise_multiplier_,
            "noise over what one change moves the sum by, with as many steps as the budget has; 0 is found "
            "from budget and steps",
            0.0, 1e6);
  table.add("clip", clip_, "whether clip_norm is the norm, or a factor of a noisy quantile of norms",
            {"given", "quantile"});
  table.add("clip_norm", clip_norm_, "norm to which one root's gradient is scaled down, or that factor", 1e-6,
            1e6);
  table.add("clip_quantile", clip_quantile_, "which quantile", 0.0, 1.0);
  table.add("clip_share", clip_share_, "share of epsilon for it", 1e-6, 0.9);
  table.add("clipping", clipping_, "one norm over all parameters, or one for each layer", {"flat", "layers"});
  table.add("feature_norm", feature_norm_, "norm to which every feature row is scaled; 0 leaves them", 0.0,
            1e6);
  table.add("average", average_, "share of the last steps whose parameters are averaged; 0 takes the last",
            0.0, 1.0);
  table.add("optimizer", training_.optimizer, "what turns noisy gradients into steps", {"adam", "sgd"});
  table.add("learning_rate", training_.learning_rate, "size of a step", 1e-9, 1e3);
  table.add("weight_decay", training_.weight_decay, "pull of the weights towards 0", 0.0, 1e3);
  table.add("final_rate", training_.final_rate, "share of the learning rate left at the last step", 0.0, 1.0);
  table.add("inference", inference_,
            "neighbours' features are visible to a node, or heard with noise, or there are none across roles",
            {"visible", "noisy", "disjoint"});
  table.add("inference_noise", inference_noise_, "noise of noisy inference relative to that of the training",
            1e-3, 1e3);
  return table;
}

privacy::Event DpGnn::Parts::event() const {
  std::vector<privacy::Event> all;
  // One quantile for each clip norm.
  const std::size_t quantiles = training.clipping.norms.size();
  if (clip_epsilon) {
    all.push_back(privacy::repeated(
        privacy::PureEvent{clip_epsilon->value() / static_cast<double>(quantiles)}, quantiles));
  }
  all.push_back(training.event());
  if (sums) all.push_back(sums->event());
  return all.size() == 1 ? all.front() : privacy::composed(std::move(all));
}

privacy::Sensitivity DpGnn::sums_sensitivity(const privacy::Unit& unit) const {
  const std::uint64_t columns = shape_.width + 1;
  if (!unit.keeps_to_own_list()) return hop_sensitivity(unit, columns);
  return privacy::own_list_sum_sensitivity(
      unit, {.row_bound = 1, .columns = columns, .rows = privacy::RowsOf::their_owners},
      static_cast<double>(degree_), degree_);
}

DpGnn::Parts DpGnn::uncalibrated(const Request& request, const privacy::PublicFacts& facts) const {
  const std::uint64_t population = facts.count(graph::Role::train);
  const std::uint64_t batch =
      training_.batch == 0 ? population : std::min<std::uint64_t>(training_.batch, population);
  privacy::SubgraphSampler sampler(request.unit,
                                   {.heard = degree_, .listeners = listeners(), .layers = shape_.layers});
  if (const std::uint64_t rows = nn::most_rows(degree_, shape_.layers); rows > nn::kMostStarRows) {
    throw InvalidArgument({.what = fmt::format("subgraphs of up to {} rows", rows),
                           .where = "dp-gnn",
                           .expected = fmt::format("at most {}", nn::kMostStarRows),
                           .remedy = "lower degree or layers"});
  }
  const nn::Network network = dp_gnn_network(shape_, facts.features, facts.classes);
  network.require_separate_examples();
  const std::size_t groups = clipping_ == "flat" ? 1 : network.groups();
  privacy::Sampling sampling = privacy::FixedSizeSampling{population, batch};
  if (sampling_ == "poisson")
    sampling = privacy::PoissonSampling{static_cast<double>(batch) / static_cast<double>(population)};
  Parts parts{.sampler = sampler,
              .training = {.unit = request.unit,
                           .affected = sampler.affected(population),
                           .clipping = {std::vector<double>(
                               groups, clip_norm_ / std::sqrt(static_cast<double>(groups)))},
                           .noise_multiplier = 1,
                           .sampling = sampling,
                           .population = population,
                           .steps = steps_,
                           .sums = nn::SumIn::stars,
                           .rows = nn::most_rows(degree_, shape_.layers)}};
  if (clip_ == "quantile" && request.rigor == privacy::Rigor::kStrict)
    parts.clip_epsilon = privacy::Epsilon(clip_share_ * request.epsilon->value());
  return parts;
}

DpGnn::Parts DpGnn::calibrated(const Request& request, const Parts& parts) const {
  const double reach = parts.training.affected.clip_norms();
  const auto at = [&](double lambda) {
    Parts noisy = parts;
    noisy.lambda = lambda;
    noisy.training = parts.training.with_noise(reach * lambda);
    if (inference_ == "noisy") {
      noisy.sums = privacy::GaussianMechanism::with_multiplier(sums_sensitivity(request.unit),
                                                               lambda * inference_noise_);
    }
    return noisy;
  };
  if (noise_multiplier_ > 0) return affordable(request, at(noise_multiplier_));
  return at(
      privacy::calibrate([&](double lambda) { return at(lambda).event(); }, *request.epsilon, request.delta));
}

// As many steps as the budget has: the one that would exceed it is not taken.
DpGnn::Parts DpGnn::affordable(const Request& request, const Parts& parts) const {
  const auto with_steps = [&](std::uint64_t steps) {
    Parts fewer = parts;
    fewer.training.steps = steps;
    return fewer;
  };
  const auto fits = [&](std::uint64_t steps) {
    const Parts fewer = with_steps(steps);
    const double cost =
        request.rigor == privacy::Rigor::kPaper
            ? published_epsilon(
                  published_training(fewer.training.population,
                                     static_cast<std::uint64_t>(fewer.training.expected_batch()),
                                     fewer.training.affected.replaced, fewer.lambda, steps),
                  request.delta)
            : privacy::epsilon(fewer.event(), request.delta).upper;
    return cost <= request.epsilon->value();
  };
  if (fits(parts.training.steps)) return parts;
  std::uint64_t least = 0;
  std::uint64_t most = parts.training.steps;  // one too many
  while (least + 1 < most) {
    const std::uint64_t middle = least + (most - least) / 2;
    (fits(middle) ? least : most) = middle;
  }
  if (least == 0) {
    throw InvalidArgument(
        {.what = "not one step with this noise is within the budget",
         .where = "dp-gnn, noise_multiplier",
         .expected = "more noise, smaller batches or a larger epsilon",
         .remedy = "leave noise_multiplier at 0: noise is then found from budget and steps"});
  }
  return with_steps(least);
}

// A norm and noise for each layer, K + 1 subgraphs, Theorem 1.
DpGnn::Parts DpGnn::published(const Request& request, Parts parts) const {
  const std::uint64_t population = parts.training.population;
  const auto batch = static_cast<std::uint64_t>(std::lround(parts.training.expected_batch()));
  const std::uint64_t terms = std::min(published_terms(degree_, shape_.layers), population);
  parts.training.sampling = privacy::FixedSizeSampling{population, batch};
  parts.training.affected = {.added = 0, .replaced = terms};
  if (noise_multiplier_ > 0) {
    parts.lambda = noise_multiplier_;
    parts = affordable(request, parts);
  } else {
    parts.lambda = privacy::calibrate(
        [&](double lambda) {
          return published_training(population, batch, terms, lambda, parts.training.steps);
        },
        *request.epsilon, request.delta, privacy::Accountant::rdp);
  }
  const privacy::Event claimed =
      published_training(population, batch, terms, parts.lambda, parts.training.steps);
  parts.claimed_epsilon = privacy::printed_epsilon(published_epsilon(claimed, request.delta));
  // Noise of lambda x 2 terms norms of the layer, in units of that norm, over the root of their number.
  parts.training.noise_multiplier =
      parts.lambda * 2 * static_cast<double>(terms) / parts.training.clipping.joint_norm();
  return parts;
}

DpGnn::Parts DpGnn::parts(const Request& request, const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  require_budget(request, "dp-gnn", "the method gcn with the unit none");
  if (inference_ == "noisy" && (shape_.layers != 1 || shape_.architecture == "gat")) {
    throw InvalidArgument({.what = "what a node hears with noise is one sum",
                           .where = "dp-gnn, inference=noisy",
                           .expected = "layers=1 and architecture gcn or gin"});
  }
  Parts parts = uncalibrated(request, facts);
  if (request.rigor == privacy::Rigor::kStrict) return calibrated(request, parts);
  if (inference_ == "noisy") {
    throw InvalidArgument({.what = "the paper gives no noise for predicting",
                           .where = "dp-gnn, paper rigor",
                           .expected = "inference visible or disjoint"});
  }
  const nn::Network network = dp_gnn_network(shape_, facts.features, facts.classes);
  parts.training.clipping = {std::vector<double>(network.groups(), 1), true};
  return published(request, std::move(parts));
}

Plan DpGnn::published_plan(const Request& request, const Parts& parts, Plan plan) const {
  const nn::PrivateTraining& training = parts.training;
  const double layers = static_cast<double>(training.clipping.norms.size());
  const auto batch = static_cast<std::uint64_t>(training.expected_batch());
  const auto tight = [&](double lambda) {
    return fmt::format(
        "{:.3f}",
        privacy::epsilon(training.with_noise(training.affected.clip_norms() * lambda).event(), request.delta)
            .upper);
  };
  const auto theorem = [&](double lambda) {
    return fmt::format(
        "{:.3f}", published_epsilon(published_training(training.population, batch, training.affected.replaced,
                                                       lambda, training.steps),
                                    request.delta));
  };
  const double corrected = parts.lambda / std::sqrt(layers);
  plan.numbers.insert(plan.numbers.end(),
                      {{"claimed by Theorem 1, as published", theorem(parts.lambda)},
                       {"were Algorithm 2 stable, by the tight accountant", tight(parts.lambda)},
                       {"claimed by Theorem 1, noise of each layer counted", theorem(corrected)},
                       {"were it stable, each layer counted, by the tight accountant", tight(corrected)}});
  plan.failed_claims = {
      "Algorithm 2 is said to keep one node's influence on K others; a place that it frees is taken by "
      "another "
      "edge, whose place is taken by a third: any number of subgraphs can change",
      fmt::format(
          "{:.0f} layers are clipped and noised each by itself: together they move by sqrt({:.0f}) times "
          "what was paid for",
          layers, layers),
      "clip norms are percentiles of private gradients and are not accounted for"};
  if (!request.unit.blanks_person()) {
    plan.failed_claims.push_back(
        "replacing a node changes the subgraphs of its old and its new neighbours, 2K + 1; K + 1 were paid "
        "for");
  }
  plan.claimed_epsilon = parts.claimed_epsilon;
  plan.claimed_by = "rdp";
  return plan;
}

Plan DpGnn::plan(const Request& request, const privacy::PublicFacts& facts) const {
  const Parts parts = this->parts(request, facts);
  const nn::PrivateTraining& training = parts.training;
  nn::require_trainable(dp_gnn_network(shape_, facts.features, facts.classes), training);
  const bool record = request.unit.keeps_to_own_list();
  Plan plan{.event = parts.event()};
  plan.numbers = {
      {request.rigor == privacy::Rigor::kPaper ? "affected subgraphs, as published" : "affected subgraphs",
       fmt::format("{}", training.affected.count())},
      {"noise multiplier", fmt::format("{:.4f}", parts.lambda)},
      {"noise over the clip norm", fmt::format("{:.4f}", training.noise_multiplier)},
      {"steps", fmt::format("{}", training.steps)},
      {"batch", fmt::format("{:.6g}", training.expected_batch())},
      {"training nodes", fmt::format("{}", training.population)}};
  if (parts.sums)
    plan.numbers.emplace_back("noise of the sums", fmt::format("{:.4f}", parts.sums->stddev().value()));
  plan.assumptions = {
      "ids, roles, classes and the number of training nodes are public",
      record ? "everybody's list is its own: who names a person stays as it is when that person goes"
             : fmt::format("no node has more than {} edges", request.unit.max_degree()),
      "batches larger than their bound, which occur with probability below 2^-100 each, are left out of the "
      "bound on rounding"};
  if (inference_ == "visible") {
    plan.assumptions.emplace_back(
        "inference visible: a node may see the features of those whom it hears; scores are made from them "
        "without noise, are for that node's eyes and are not covered");
  } else if (inference_ == "noisy") {
    plan.assumptions.emplace_back(
        record
            ? "inference noisy: a node hears those who name it, with noise that is accounted for; its scores "
              "are made from that and its own features and are for its own eyes"
            : "inference noisy: what a node hears of others has noise that is accounted for; row i of it, "
              "which the model holds, and the scores of node i are for the eyes of node i");
  } else {
    plan.assumptions.emplace_back(
        "inference disjoint: edges between roles are not used; those who are predicted for see the features "
        "of "
        "one another, which is not covered, and nothing of training nodes but the model");
  }
  if (request.rigor == privacy::Rigor::kStrict) return plan;
  return published_plan(request, parts, std::move(plan));
}

privacy::Secret<nn::StarExamples> DpGnn::examples(const Parts& parts, const privacy::ProtectedDataset& data,
                                                  bool greedy, std::uint64_t key) const {
  return data.graph.secret().map(&star_examples, data.features.secret(), data.labels.secret(),
                                 data.facts.split.roles, parts.sampler, inference_ == "disjoint", greedy, key,
                                 feature_norm_);
}

std::vector<double> DpGnn::clip_norms(const Request& request, const Parts& parts,
                                      const privacy::Secret<nn::StarExamples>& examples,
                                      const nn::Network& network, const nn::Parameters& initial,
                                      Run& run) const {
  std::vector<double> norms = parts.training.clipping.norms;
  if (request.rigor == privacy::Rigor::kPaper) {
    const std::vector<double> found =
        privacy::declassify(examples.map(&percentiles, network, initial, kPublishedQuantile),
                            "75th percentiles of the layers' gradient norms, as clip norms",
                            "the paper takes them from the training data", run.log);
    for (std::size_t g = 0; g < norms.size(); ++g) norms[g] = clip_norm_ * std::max(found.at(g), 1e-6);
    return norms;
  }
  if (!parts.clip_epsilon) return norms;
  const bool flat = norms.size() == 1;
  const privacy::QuantileQuery query{.quantile = clip_quantile_,
                                     .count = parts.training.population,
                                     .changed_values = parts.training.affected.count(),
                                     .candidates = clip_candidates()};
  const privacy::Epsilon each(parts.clip_epsilon->value() / static_cast<double>(norms.size()));
  for (std::size_t g = 0; g < norms.size(); ++g) {
    const privacy::Secret<std::vector<double>> values =
        examples.map(&chosen_group, network, initial, flat, g);
    norms[g] =
        clip_norm_ * privacy::noisy_quantile(values, query, parts.training.unit, each,
                                             "quantile of gradient norms, as clip norm", run.log, run.noise);
  }
  return norms;
}

Fit DpGnn::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  Parts parts = this->parts(request, data.facts);
  const nn::Network network = dp_gnn_network(shape_, data.facts.features, data.facts.classes);
  const bool paper = request.rigor == privacy::Rigor::kPaper;
  const privacy::Secret<nn::StarExamples> subgraphs =
      examples(parts, data, paper, run.stream.fork("subgraphs", 0)->bits());
  const std::unique_ptr<RandomStream> weights = run.stream.fork("weights", 0);
  nn::Parameters initial = network.initial_parameters(*weights);
  parts.training.clipping.norms = clip_norms(request, parts, subgraphs, network, initial, run);
  const PrivateFitOptions options{.optimizer = training_.optimizer_options(),
                                  .average = average_,
                                  .label = name(),
                                  .what = "clipped gradients of a batch of subgraphs"};
  const std::unique_ptr<RandomStream> noise = run.noise.fork("training", 0);
  const PrivateFit fitted =
      private_fit(network, parts.training, options, subgraphs, std::move(initial), *noise, run.log);
  Fit fit{.epochs = fitted.epochs};
  fit.model.features = data.facts.features;
  fit.model.classes = data.facts.classes;
  if (paper || parts.clip_epsilon) {
    fit.findings.emplace_back("clip norms",
                              fmt::format("{:.4g}", fmt::join(parts.training.clipping.norms, " ")));
  }
  store(network, fitted.parameters, "", fit.model);
  keep_for_predicting(parts, data, run, fit.model);
  return fit;
}

std::optional<AuditSampler> DpGnn::audit_sampler(const Request& request, const privacy::PublicFacts& facts,
                                                 const AuditPair&) const {
  if (!request.wants_privacy()) return {};
  return clipped_sums_sampler(parts(request, facts).training);
}

}  // namespace privet::methods
