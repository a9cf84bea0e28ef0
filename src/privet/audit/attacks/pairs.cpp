#include "privet/audit/attacks/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"
#include "privet/graph/split.hpp"

namespace privet::audit {
namespace {

using graph::NodeId;

constexpr std::array<std::pair<const char*, PairChoice>, 4> kChoices = {{{"balanced", PairChoice::balanced},
                                                                         {"all", PairChoice::all},
                                                                         {"low", PairChoice::low},
                                                                         {"high", PairChoice::high}}};
constexpr std::size_t kTriesPerPair = 50;

bool joined(const graph::Graph& graph, NodeId a, NodeId b) {
  return graph.has_entry(a, b) || graph.has_entry(b, a);
}

std::vector<CandidatePair> balanced(const graph::Graph& graph, std::size_t count, RandomStream& stream) {
  std::vector<NodeId> connected;
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    if (graph.degree(i) > 0) connected.push_back(i);
  }
  std::set<std::pair<NodeId, NodeId>> seen;
  std::vector<CandidatePair> pairs;
  const auto add = [&](NodeId a, NodeId b, bool edge) {
    if (a != b && seen.emplace(std::min(a, b), std::max(a, b)).second) pairs.push_back({a, b, edge});
  };
  for (std::size_t i = 0; i < kTriesPerPair * count && pairs.size() < count && !connected.empty(); ++i) {
    const NodeId node = connected[stream.below(connected.size())];
    const auto around = graph.neighbors(node);
    add(node, around[stream.below(around.size())], true);
  }
  const std::size_t wanted = 2 * pairs.size();
  for (std::size_t i = 0; i < kTriesPerPair * count && pairs.size() < wanted; ++i) {
    const auto a = static_cast<NodeId>(stream.below(graph.nodes()));
    const auto b = static_cast<NodeId>(stream.below(graph.nodes()));
    if (!joined(graph, a, b)) add(a, b, false);
  }
  return pairs;
}

std::vector<CandidatePair> among(const graph::Graph& graph, std::vector<NodeId> nodes, std::size_t count,
                                 RandomStream& stream) {
  graph::shuffle(nodes, stream);
  nodes.resize(std::min(nodes.size(), count));
  std::vector<CandidatePair> pairs;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = i + 1; j < nodes.size(); ++j)
      pairs.push_back({nodes[i], nodes[j], joined(graph, nodes[i], nodes[j])});
  }
  return pairs;
}

}  // namespace

PairChoice parse_pair_choice(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [text, choice] : kChoices) {
    if (name == text) return choice;
    names.emplace_back(text);
  }
  throw InvalidArgument({.what = fmt::format("'{}'", name),
                         .where = "--pairs",
                         .expected = "balanced, all, low or high",
                         .remedy = suggestion(name, names)});
}

std::string name(PairChoice choice) {
  for (const auto& [text, one] : kChoices) {
    if (one == choice) return text;
  }
  return {};
}

DegreeLimits degree_limits(const graph::Dataset& dataset) {
  if (dataset.name == "cora") return {3, 4};
  if (dataset.name == "citeseer") return {3, 3};
  if (dataset.name == "pubmed") return {10, 10};
  if (dataset.name == "twitch_ptbr") return {10, 10};
  if (dataset.name.starts_with("twitch_")) return {5, 10};
  std::vector<std::size_t> degrees;
  for (NodeId i = 0; i < dataset.nodes(); ++i) degrees.push_back(dataset.graph.degree(i));
  std::ranges::sort(degrees);
  return {degrees[degrees.size() / 4], degrees[degrees.size() * 3 / 4]};
}

std::vector<CandidatePair> draw_pairs(const graph::Dataset& dataset, PairChoice choice, std::size_t count,
                                      RandomStream& stream) {
  std::vector<CandidatePair> pairs;
  if (choice == PairChoice::balanced) {
    pairs = balanced(dataset.graph, count, stream);
  } else {
    const DegreeLimits limits = degree_limits(dataset);
    std::vector<NodeId> nodes;
    for (NodeId i = 0; i < dataset.nodes(); ++i) {
      const std::size_t degree = dataset.graph.degree(i);
      if ((choice == PairChoice::low && degree > limits.low) ||
          (choice == PairChoice::high && degree < limits.high))
        continue;
      nodes.push_back(i);
    }
    pairs = among(dataset.graph, std::move(nodes), count, stream);
  }
  const auto edges = std::ranges::count_if(pairs, &CandidatePair::joined);
  if (edges == 0 || edges == static_cast<std::ptrdiff_t>(pairs.size())) {
    throw DataError({.what = fmt::format("{} pairs, {} of them joined", pairs.size(), edges),
                     .where = fmt::format("{}, pairs '{}'", dataset.name, name(choice)),
                     .expected = "pairs that are joined and pairs that are not",
                     .remedy = "ask for more with --attack-nodes, or use --pairs balanced"});
  }
  return pairs;
}

}  // namespace privet::audit
