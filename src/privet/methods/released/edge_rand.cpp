#include "privet/methods/released/edge_rand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/laplace.hpp"
#include "privet/core/sensitivity.hpp"
#include "privet/methods/plain/gcn.hpp"
#include "privet/methods/plain/sage.hpp"
#include "privet/methods/released/released_graph.hpp"

namespace privet::methods {
namespace {

const std::string kScores = "scores";
constexpr double kLargestEpsilon = 27;  // of a response: beyond it hardly a bit is flipped

// Rows of which GAP's code estimates one density.
constexpr std::size_t kPublishedRows = 500;

double places(const privacy::Unit& unit, std::size_t nodes) {
  const auto n = static_cast<double>(nodes);
  return n * (n - 1) / (unit.changes_pairs() ? 2 : 1);
}

// How many of the ones of a response to a matrix of that density are kept, so that the density remains (GAP,
// appendix on edge randomisation).
double kept_share(double density, double flip) {
  const double keep = 1 - flip;
  return std::min(1.0, density / (2 * keep * density - keep - density + 1));
}

graph::Graph graph_of_entries(const privacy::BitRows& told) {
  return graph::Graph::from_rows(told.offsets, told.columns, graph::Direction::directed,
                                 "randomized response");
}

}  // namespace

std::vector<double> published_densities(const graph::Graph& graph) {
  std::vector<double> all;
  for (std::size_t first = 0; first < graph.nodes(); first += kPublishedRows) {
    const std::size_t last = std::min(graph.nodes(), first + kPublishedRows);
    all.push_back(static_cast<double>(graph.offsets()[last] - graph.offsets()[first]) /
                  (static_cast<double>(last - first) * static_cast<double>(graph.nodes())));
  }
  return all;
}

EdgeRand::EdgeRand() {
  training_.epochs = 100;
  training_.learning_rate = 0.01;
}

std::string EdgeRand::summary() const { return "randomised response on the edges, then a network on them"; }
std::string EdgeRand::reference() const {
  return "Warner 1965; Wu et al. 2022 (EdgeRand); asymmetric form of Sajadmanesh et al. 2023 (GAP)";
}

std::vector<Preset> EdgeRand::presets() const {
  return {{"gap",
           "GAP's SAGE-EDP: 1 layer of message passing, width 16, Adam 0.01, no dropout",
           {"kind=asymmetric", "network=sage", "layers=1", "width=16", "dropout=0", "learning_rate=0.01",
            "epochs=100"}},
          {"dpdgc",
           "RandEdge+SAGE of DPDGC: 2 layers, width 64, Adam 0.001, dropout 0.5",
           {"kind=asymmetric", "network=sage", "layers=2", "width=64", "dropout=0.5", "learning_rate=0.001",
            "epochs=100"}}};
}

OptionTable EdgeRand::options() {
  OptionTable table(name());
  table.add("kind", kind_, "all of the response, or as many of its ones as there are edges",
            {"asymmetric", "plain"});
  table.add("count_share", count_share_, "share of epsilon for the count of the edges (asymmetric)", 0.001,
            0.5);
  table.add("most_edges", most_edges_, "edges that a plain response may be expected to have", 1.0, 1e12);
  table.add("network", network_, "what learns on the noisy graph", {"sage", "gcn"});
  table.add("layers", layers_, "layers of message passing", 1, 64);
  table.add("width", width_, "numbers between the layers", 1, 65536);
  table.add("aggregation", aggregation_, "of the neighbours (sage)", {"sum", "mean"});
  table.add("dropout", dropout_, "share of the numbers set to 0 while training", 0.0, 0.99);
  table.add("epochs", training_.epochs, "steps, each over the whole graph", 1, 1000000);
  table.add("optimizer", training_.optimizer, "what turns gradients into steps", {"adam", "sgd"});
  table.add("learning_rate", training_.learning_rate, "size of a step", 1e-9, 1e3);
  table.add("weight_decay", training_.weight_decay, "pull of the weights towards 0", 0.0, 1e3);
  gate_.declare(table);
  return table;
}

std::unique_ptr<GraphMethod> EdgeRand::network() const {
  const bool sage = network_ == "sage";
  std::unique_ptr<GraphMethod> method;
  if (sage) {
    method = std::make_unique<Sage>();
  } else {
    method = std::make_unique<Gcn>();
  }
  OptionTable table = method->options();
  table.set("layers", fmt::format("{}", layers_));
  table.set("width", fmt::format("{}", width_));
  table.set("dropout", fmt::format("{}", dropout_));
  table.set("epochs", fmt::format("{}", training_.epochs));
  table.set("optimizer", training_.optimizer);
  table.set("learning_rate", fmt::format("{}", training_.learning_rate));
  table.set("weight_decay", fmt::format("{}", training_.weight_decay));
  if (sage) table.set("aggregation", aggregation_);
  return method;
}

EdgeRand::Budget EdgeRand::budget(const Request& request) const {
  const double epsilon = request.epsilon->value();
  if (kind_ == "plain") return {std::min(epsilon, kLargestEpsilon), {}};
  return {std::min((1 - count_share_) * epsilon, kLargestEpsilon), count_share_ * epsilon};
}

void EdgeRand::require_size(const Request& request, std::size_t nodes) const {
  if (kind_ != "plain") return;
  const privacy::RandomizedResponse response(request.unit, privacy::Epsilon(budget(request).bits));
  const double expected = places(request.unit, nodes) * response.flip_probability();
  if (expected <= most_edges_) return;
  throw InvalidArgument({.what = fmt::format("a response with about {:.2g} edges", expected),
                         .where = "edge-rand",
                         .expected = fmt::format("at most {:.2g} (most_edges)", most_edges_),
                         .remedy = "use kind=asymmetric, or a larger epsilon"});
}

Plan EdgeRand::plan(const Request& request, const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  if (!request.unit.protects_anything()) return {};
  require_budget(request, "edge-rand");
  require_size(request, facts.nodes);
  const Budget each = budget(request);
  const privacy::RandomizedResponse response(request.unit, privacy::Epsilon(each.bits));
  std::vector<privacy::Event> events;
  if (each.count) {
    events.push_back(edge_count_event(request.unit, *each.count));
  }
  events.push_back(response.event());
  Plan plan{.event = privacy::composed(std::move(events))};
  plan.assumptions = {"features and labels are public"};
  plan.numbers = {{"flip probability", fmt::format("{:.6f}", response.flip_probability())}};
  if (request.rigor == privacy::Rigor::kStrict) return plan;
  if (request.unit.changes_pairs()) {
    plan.failed_claims.push_back(
        "both entries of an undirected edge are told, each with noise of its own: twice the cost");
  }
  if (each.count) {
    plan.failed_claims.push_back(fmt::format(
        "densities are estimated for {} rows at a time and have the noise of the whole matrix's density",
        kPublishedRows));
  }
  if (!plan.failed_claims.empty()) plan.claimed_epsilon = request.epsilon->value();
  return plan;
}

graph::Graph EdgeRand::published_graph(const Request& request, const privacy::ProtectedDataset& data,
                                       Run& run) const {
  const std::size_t nodes = data.facts.nodes;
  const auto n = static_cast<double>(nodes);
  const Budget each = budget(request);
  const privacy::RandomizedResponse response(request.unit, privacy::Epsilon(each.bits));
  if (!each.count) {
    return graph_of_entries(response.release_entries(data.graph.secret(), nodes,
                                                     "entries of the adjacency matrix", run.log, run.noise));
  }
  const privacy::Secret<std::vector<double>> densities = data.graph.secret().map(&published_densities);
  const std::size_t chunks = (nodes + kPublishedRows - 1) / kPublishedRows;
  const auto mechanism = privacy::LaplaceMechanism::with_epsilon(
      privacy::Sensitivity::stated(request.unit, {.l1 = 1 / (n * n),
                                                  .coordinates = 1,
                                                  .value = "density of the matrix, as published",
                                                  .argument = "public code of GAP"}),
      privacy::Epsilon(*each.count));
  std::vector<double> shares =
      mechanism.release(densities, chunks, "densities of 500 rows each", run.log, run.noise);
  double largest = 0;
  for (double& share : shares) {
    share = kept_share(std::clamp(share, 1 / (n * n), 1.0), response.flip_probability());
    largest = std::max(largest, share);
  }
  const privacy::BitRows told = response.thinned(largest).release_entries(
      data.graph.secret(), nodes, "entries of the adjacency matrix", run.log, run.noise);
  // Down to each chunk's own share.
  const std::unique_ptr<RandomStream> coins = run.noise.fork("kept entries", 0);
  graph::EdgeList kept;
  for (std::size_t i = 0; i < nodes; ++i) {
    const double share = shares[i / kPublishedRows] / largest;
    for (const graph::NodeId j : told.row(i)) {
      if (coins->uniform() < share) kept.add(static_cast<graph::NodeId>(i), j);
    }
  }
  return {nodes, std::move(kept), graph::Direction::directed};
}

graph::Graph EdgeRand::noisy_graph(const Request& request, const privacy::ProtectedDataset& data,
                                   Run& run) const {
  if (!request.unit.protects_anything()) return data.graph.visible();
  if (request.rigor == privacy::Rigor::kPaper) return published_graph(request, data, run);
  const std::size_t nodes = data.facts.nodes;
  const Budget each = budget(request);
  privacy::RandomizedResponse response(request.unit, privacy::Epsilon(each.bits));
  const bool pairs = request.unit.changes_pairs();
  if (each.count) {
    const std::uint64_t noisy = released_edge_count(data, request.unit, each.count, run);
    const double all = places(request.unit, nodes);
    const double density = std::clamp(static_cast<double>(noisy), 1.0, all) / all;
    response = response.thinned(kept_share(density, response.flip_probability()));
  }
  const char* what = pairs ? "pairs of nodes that are joined" : "entries of the adjacency matrix";
  if (pairs)
    return privacy::graph_of_pairs(
        response.release_pairs(data.graph.secret(), nodes, what, run.log, run.noise));
  return graph_of_entries(response.release_entries(data.graph.secret(), nodes, what, run.log, run.noise));
}

Fit EdgeRand::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  Released released{.graph = noisy_graph(request, data, run)};
  const privacy::ProtectedDataset noisy = behind_release(data, released);
  const std::unique_ptr<GraphMethod> inner = network();
  Fit fit = inner->fit(request, noisy, run);
  if (request.wants_privacy()) hand_out(std::move(released.graph), fit.model);
  fit.model.features = data.facts.features;
  fit.model.classes = data.facts.classes;
  tensor::Matrix shown = inner->scores(fit.model, noisy).visible();
  fit.model.tensors.push_back({kScores, std::move(shown)});
  gate_.ask(request, data, run, fit);
  return fit;
}

privacy::Guarded<tensor::Matrix> EdgeRand::scores(const Model& model,
                                                  const privacy::ProtectedDataset& data) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  return privacy::Guarded<tensor::Matrix>::public_value(
      model.tensor(kScores, data.facts.nodes, model.classes));
}

Plan EdgeRand::inference_plan(const Request& request, const Model& model,
                              const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  if (gate_is_closed(model)) return {};
  return plan(request, facts);
}

privacy::Guarded<tensor::Matrix> EdgeRand::infer(const Request& request, const Model& model,
                                                 const privacy::ProtectedDataset& data, Run& run) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  return network()->scores(model, behind_release(data, {.graph = noisy_graph(request, data, run)}));
}

std::optional<MessagePassing> EdgeRand::message_passing(const Model& model, const graph::Graph& graph) const {
  if (gate_is_closed(model)) return {};
  return network()->message_passing(model, graph);
}

std::optional<graph::Graph> EdgeRand::released_graph(const Request& request,
                                                     const privacy::ProtectedDataset& data, Run& run) const {
  return noisy_graph(request, data, run);
}

}  // namespace privet::methods
