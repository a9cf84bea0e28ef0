#include "privet/audit/one_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "privet/audit/observation.hpp"
#include "privet/audit/structures.hpp"
#include "privet/base/error.hpp"
#include "privet/core/protected_dataset.hpp"

namespace privet::audit {
namespace {

using graph::NodeId;
using privacy::Unit;

bool is_edge_unit(const Unit& unit) { return !unit.protects_features(); }

std::vector<Canary> edge_canaries(const graph::Graph& graph, std::uint64_t count, bool ordered,
                                  RandomStream& coins) {
  std::vector<Canary> canaries;
  std::set<std::pair<NodeId, NodeId>> taken;
  for (std::uint64_t attempt = 0; attempt < 20 * count && canaries.size() < count; ++attempt) {
    auto u = static_cast<NodeId>(coins.below(graph.nodes()));
    auto v = static_cast<NodeId>(coins.below(graph.nodes()));
    if (!ordered && u > v) std::swap(u, v);
    if (u == v || graph.has_entry(u, v) || !taken.insert({u, v}).second) continue;
    canaries.push_back({.edge = {u, v}, .there = (coins.bits() & 1) != 0});
  }
  return canaries;
}

std::vector<Canary> person_canaries(const graph::Split& split, std::uint64_t count, RandomStream& coins) {
  std::vector<NodeId> training = split.nodes(graph::Role::train);
  std::vector<Canary> canaries;
  while (!training.empty() && canaries.size() < count) {
    const std::size_t at = coins.below(training.size());
    canaries.push_back({.person = training[at], .there = (coins.bits() & 1) != 0});
    training[at] = training.back();
    training.pop_back();
  }
  return canaries;
}

void blank(graph::Dataset& data, const std::vector<Canary>& canaries, bool all, bool own_list_only) {
  std::vector<bool> gone(data.nodes(), false);
  for (const Canary& canary : canaries) {
    if (all || !canary.there) gone[*canary.person] = true;
  }
  graph::EdgeList edges;
  for (NodeId i = 0; i < data.nodes(); ++i) {
    for (const NodeId j : data.graph.neighbors(i)) {
      if (!gone[i] && (own_list_only || !gone[j])) edges.add(i, j);
    }
    if (!gone[i]) continue;
    data.labels[i] = graph::kUnlabeled;
    if (auto* dense = std::get_if<tensor::Matrix>(&data.features)) {
      std::ranges::fill(dense->row(i), 0.0F);
    } else if (auto* sparse = std::get_if<tensor::SparseMatrix>(&data.features)) {
      *sparse = with_row_of(*sparse, {}, i);
    }
  }
  const bool undirected = data.graph.undirected() && !own_list_only;
  data.graph = graph::Graph(data.nodes(), std::move(edges),
                            undirected ? graph::Direction::undirected : graph::Direction::directed);
}

void add_edges(graph::Dataset& data, const std::vector<Canary>& canaries, bool as_entries) {
  graph::EdgeList edges;
  for (NodeId i = 0; i < data.nodes(); ++i) {
    for (const NodeId j : data.graph.neighbors(i)) edges.add(i, j);
  }
  for (const Canary& canary : canaries) {
    if (canary.there) edges.add(canary.edge.from, canary.edge.to);
  }
  const bool undirected = data.graph.undirected() && !as_entries;
  data.graph = graph::Graph(data.nodes(), std::move(edges),
                            undirected ? graph::Direction::undirected : graph::Direction::directed);
}

// The guesses among the canaries first, first + 2, first + 4, ...
Guesses guessed(const std::vector<double>& scores, const std::vector<bool>& there, std::size_t first,
                std::uint64_t share) {
  std::vector<std::size_t> order;
  for (std::size_t i = first; i < scores.size(); i += 2) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  const std::size_t side = order.size() / (2 * share);
  Guesses seen{.canaries = order.size(), .guesses = 2 * side};
  for (std::size_t i = 0; i < side; ++i) {
    seen.right += there[order[i]] ? 0 : 1;
    seen.right += there[order[order.size() - 1 - i]] ? 1 : 0;
  }
  return seen;
}

}  // namespace

CanaryWorld plant_canaries(const graph::Dataset& dataset, const Unit& unit, const graph::Split& split,
                           std::uint64_t count, RandomStream& coins) {
  if (!unit.protects_anything() || unit.bounds_changed_entries() || count == 0) {
    throw InvalidArgument({.what = count == 0 ? "no canaries" : fmt::format("unit {}", unit.text()),
                           .where = "one-run audit",
                           .expected = "canaries that can be there or not: an edge unit, node or record",
                           .remedy = "use --test two-world"});
  }
  CanaryWorld world{.data = dataset, .with = dataset, .without = dataset, .canaries = {}};
  world.data.directed_graph.reset();
  world.without.directed_graph.reset();
  if (is_edge_unit(unit)) {
    const bool entries = !unit.changes_pairs();
    world.canaries = edge_canaries(dataset.graph, count, entries || !dataset.graph.undirected(), coins);
    add_edges(world.data, world.canaries, entries);
    add_edges(world.without, {}, entries);
  } else {
    world.canaries = person_canaries(split, count, coins);
    const bool own_list_only = unit.keeps_to_own_list();
    blank(world.data, world.canaries, false, own_list_only);
    blank(world.without, world.canaries, true, own_list_only);
  }
  return world;
}

CanaryScores canary_scores(const methods::Method& method, methods::Model model, const CanaryWorld& world,
                           const Unit& unit) {
  CanaryScores scores;
  const std::size_t nodes = world.without.nodes();
  if (!is_edge_unit(unit)) {
    for (const Canary& canary : world.canaries) {
      if (unit.excludes_own_row()) blank_own_row(model, nodes, *canary.person);
    }
    const std::vector<double> logits = label_logits(method, model, world.with, unit);
    if (logits.empty()) return scores;
    for (const Canary& canary : world.canaries) scores["label"].push_back(logits[*canary.person]);
    return scores;
  }
  const bool both = world.without.graph.undirected();
  for (const tensor::NamedMatrix& released : model.tensors) {
    if (released.values.rows() != nodes) continue;
    for (const tensor::NamedMatrix& summed : model.tensors) {
      if (&released == &summed || summed.values.rows() != nodes ||
          summed.values.columns() != released.values.columns())
        continue;
      const Lean rows(released.values, summed.values, world.without.graph);
      std::vector<double>& part = scores[fmt::format("sum({}, {})", released.name, summed.name)];
      for (const Canary& canary : world.canaries) {
        const graph::Edge edge = canary.edge;
        double value = rows.along(edge.from, edge.to) / (rows.square(edge.to) + 1e-30);
        if (both) value += rows.along(edge.to, edge.from) / (rows.square(edge.from) + 1e-30);
        part.push_back(value);
      }
    }
    std::vector<double>& part = scores[fmt::format("row({})", released.name)];
    for (const Canary& canary : world.canaries)
      part.push_back(cosine(released.values.row(canary.edge.from), released.values.row(canary.edge.to)));
  }
  return scores;
}

OneRunResult one_run_lower_bound(const CanaryScores& scores, const std::vector<bool>& there, double delta,
                                 double confidence, Shape shape) {
  OneRunResult result{.canaries = there.size(), .statistic = "nothing"};
  const auto epsilon_of = [&](const Guesses& seen) {
    return shape == Shape::gaussian ? one_run_gaussian_epsilon(seen, delta, confidence)
                                    : one_run_epsilon(seen, delta, confidence);
  };
  const std::vector<double>* chosen = nullptr;
  std::uint64_t share = 1;
  double most = -1;
  double best_rate = 0;
  for (const auto& [name, values] : scores) {
    for (const std::uint64_t candidate : {1U, 4U, 16U}) {
      const Guesses seen = guessed(values, there, 0, candidate);
      if (seen.guesses == 0) continue;
      const double value = epsilon_of(seen);
      const double rate = static_cast<double>(seen.right) / static_cast<double>(seen.guesses);
      if (value < most || (value == most && rate <= best_rate)) continue;
      most = value;
      best_rate = rate;
      chosen = &values;
      share = candidate;
      result.statistic = name;
    }
  }
  if (chosen == nullptr) return result;
  result.guesses = guessed(*chosen, there, 1, share);
  if (result.guesses.guesses > 0) result.epsilon = epsilon_of(result.guesses);
  return result;
}

OneRunResult audit_one_run(const methods::Method& method, const methods::Request& request,
                           const graph::Dataset& dataset, const graph::Split& split, std::uint64_t canaries,
                           double confidence, const std::optional<std::uint64_t>& seed) {
  std::unique_ptr<RandomStream> root = std::make_unique<SecureStream>();
  if (seed) root = std::make_unique<SeededStream>(*seed);
  const std::unique_ptr<RandomStream> coins = root->fork("canaries", 0);
  const std::unique_ptr<RandomStream> noise = root->fork("noise", 0);
  const CanaryWorld world = plant_canaries(dataset, request.unit, split, canaries, *coins);
  const privacy::ProtectedDataset data = privacy::protect(world.data, split, request.unit);
  SeededStream stream(1);
  privacy::ReleaseLog log;
  methods::Run run{stream, *noise, log};
  methods::Fit fit = method.fit(request, data, run);
  fit.model.method = method.name();
  fit.model.unit = request.unit.text();
  fit.model.features = data.facts.features;
  fit.model.classes = data.facts.classes;
  std::vector<bool> there;
  for (const Canary& canary : world.canaries) there.push_back(canary.there);
  return one_run_lower_bound(canary_scores(method, std::move(fit.model), world, request.unit), there,
                             request.delta.value(), confidence, Shape::unknown);
}

}  // namespace privet::audit
