#include "privet/methods/released/privgraph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/geometric.hpp"
#include "privet/core/mechanisms/neighbor_choice.hpp"
#include "privet/graph/communities.hpp"
#include "privet/graph/split.hpp"

namespace privet::methods {
namespace {

constexpr std::uint32_t kMostGroups = 10000;  // 50 million numbers

privacy::Epsilon third(const Request& request) { return privacy::Epsilon(request.epsilon->value() / 3); }

privacy::GeometricMechanism group_noise(const Request& request) {
  return privacy::GeometricMechanism::with_epsilon(group_counts_sensitivity(), third(request));
}
privacy::NeighborChoice choices(const Request& request) { return {request.unit, third(request)}; }
privacy::GeometricMechanism community_noise(const Request& request) {
  return privacy::GeometricMechanism::with_epsilon(community_numbers_sensitivity(), third(request));
}

std::uint32_t groups_of(std::uint64_t nodes, std::uint64_t group_size) {
  const std::uint64_t groups = (nodes + group_size - 1) / group_size;
  if (groups > kMostGroups) {
    throw InvalidArgument({.what = fmt::format("{} groups of nodes", groups),
                           .where = "privgraph",
                           .expected = fmt::format("at most {}: every pair of them is a number", kMostGroups),
                           .remedy = fmt::format("--set group_size={}", nodes / kMostGroups + 1)});
  }
  return static_cast<std::uint32_t>(groups);
}

std::vector<graph::NodeId> shuffled_nodes(std::size_t nodes, RandomStream& stream) {
  std::vector<graph::NodeId> order(nodes);
  std::iota(order.begin(), order.end(), graph::NodeId{0});
  graph::shuffle(order, stream);
  return order;
}

std::vector<graph::WeightedPair> pairs_of_groups(const std::vector<double>& counts, std::uint32_t groups) {
  std::vector<graph::WeightedPair> pairs;
  std::size_t at = 0;
  for (std::uint32_t b = 0; b < groups; ++b) {
    for (std::uint32_t a = 0; a <= b; ++a, ++at) {
      if (counts[at] > 0) pairs.push_back({a, b, counts[at]});
    }
  }
  return pairs;
}

// Each pair with probability min(1, d_i d_j / sum of d), in time linear in nodes and edges: along falling
// degrees, places that are passed over are drawn at once (Miller, Hagberg 2011).
void draw_inside(const std::vector<graph::NodeId>& members, std::span<const double> degrees,
                 RandomStream& stream, graph::EdgeList& edges) {
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return degrees[a] != degrees[b] ? degrees[a] > degrees[b] : a < b;
  });
  const double total = std::accumulate(degrees.begin(), degrees.end(), 0.0);
  if (!(total > 0)) return;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const double own = degrees[order[i]];
    std::size_t j = i + 1;
    double bound = std::min(1.0, own * degrees[order[j]] / total);
    while (j < order.size() && bound > 0) {
      if (bound < 1) {
        const double skip = std::floor(std::log(stream.uniform_positive()) / std::log1p(-bound));
        if (skip >= static_cast<double>(order.size() - j)) break;
        j += static_cast<std::size_t>(skip);
      }
      const double chance = std::min(1.0, own * degrees[order[j]] / total);
      if (stream.uniform() < chance / bound) edges.add(members[order[i]], members[order[j]]);
      bound = chance;
      ++j;
    }
  }
}

// `wanted` different pairs, fewer where there are fewer.
void draw_between(const std::vector<graph::NodeId>& first, const std::vector<graph::NodeId>& second,
                  double wanted, RandomStream& stream, graph::EdgeList& edges) {
  const double places = static_cast<double>(first.size()) * static_cast<double>(second.size());
  const auto count = static_cast<std::size_t>(std::llround(std::min(wanted, places / 2)));
  std::set<std::pair<graph::NodeId, graph::NodeId>> drawn;
  while (drawn.size() < count)
    drawn.emplace(first[stream.below(first.size())], second[stream.below(second.size())]);
  for (const auto& [one, other] : drawn) edges.add(one, other);
}

graph::Graph drawn_graph(const std::vector<std::int64_t>& numbers,
                         const std::vector<std::uint32_t>& community, std::uint32_t communities,
                         RandomStream& stream) {
  std::vector<std::vector<graph::NodeId>> members(communities);
  for (std::size_t i = 0; i < community.size(); ++i)
    members[community[i]].push_back(static_cast<graph::NodeId>(i));
  graph::EdgeList edges;
  const std::size_t between = std::size_t{communities} * (communities - 1) / 2;
  const std::vector<double> counts = not_negative(std::span(numbers).first(between));
  std::size_t at = 0;
  for (std::uint32_t b = 0; b < communities; ++b) {
    for (std::uint32_t a = 0; a < b; ++a, ++at)
      draw_between(members[a], members[b], counts[at] / 2, stream, edges);
  }
  for (const std::vector<graph::NodeId>& inside : members) {
    std::vector<std::int64_t> noisy;
    for (const graph::NodeId node : inside) noisy.push_back(numbers[between + node]);
    draw_inside(inside, not_negative(noisy), stream, edges);
  }
  return {community.size(), std::move(edges), graph::Direction::undirected, "synthetic graph"};
}

}  // namespace

std::vector<std::int64_t> group_counts(const graph::Graph& graph, const std::vector<std::uint32_t>& group,
                                       std::uint32_t groups) {
  std::vector<std::int64_t> counts(std::size_t{groups} * (groups + 1) / 2, 0);
  for (graph::NodeId i = 0; i < graph.nodes(); ++i) {
    for (const graph::NodeId j : graph.neighbors(i)) {
      if (j < i) continue;
      const auto [a, b] = std::minmax({group[i], group[j]});
      ++counts[std::size_t{b} * (b + 1) / 2 + a];
    }
  }
  return counts;
}

privacy::Sensitivity group_counts_sensitivity() {
  return privacy::Sensitivity::stated(privacy::Unit::edge(),
                                      {.l1 = 1,
                                       .each = 1,
                                       .coordinates = 1,
                                       .value = "edges between groups of nodes",
                                       .argument = "an edge lies between one pair of public groups"});
}

std::vector<std::int64_t> community_numbers(const graph::Graph& graph,
                                            const std::vector<std::uint32_t>& community,
                                            std::uint32_t communities) {
  const std::size_t between = std::size_t{communities} * (communities - 1) / 2;
  std::vector<std::int64_t> numbers(between + graph.nodes(), 0);
  for (graph::NodeId i = 0; i < graph.nodes(); ++i) {
    for (const graph::NodeId j : graph.neighbors(i)) {
      if (community[i] == community[j]) {
        ++numbers[between + i];
      } else if (community[i] < community[j]) {
        const std::size_t b = community[j];
        numbers[b * (b - 1) / 2 + community[i]] += 2;
      }
    }
  }
  return numbers;
}

privacy::Sensitivity community_numbers_sensitivity() {
  return privacy::Sensitivity::stated(
      privacy::Unit::edge(), {.l1 = 2,
                              .each = 2,
                              .coordinates = 2,
                              .value = "edges between communities, twice, and degrees inside",
                              .argument = "an edge is 2 in one count, or 1 in the degrees of its two ends"});
}

std::vector<double> not_negative(std::span<const std::int64_t> noisy) {
  std::vector<double> sorted(noisy.begin(), noisy.end());
  std::ranges::sort(sorted, std::greater<>());
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  std::vector<double> result(noisy.size(), 0);
  if (!(sum > 0)) return result;
  double above = 0;
  double lower = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    above += sorted[i];
    const double shift = (above - sum) / static_cast<double>(i + 1);
    if (sorted[i] <= shift) break;
    lower = shift;
  }
  for (std::size_t i = 0; i < noisy.size(); ++i)
    result[i] = std::max(0.0, static_cast<double>(noisy[i]) - lower);
  return result;
}

std::string PrivGraph::summary() const {
  return "a synthetic graph with noisy communities and degrees, then a network";
}
std::string PrivGraph::reference() const { return "Yuan et al. 2023 (PrivGraph)"; }

OptionTable PrivGraph::options() {
  OptionTable table(name());
  table.add("group_size", group_size_, "nodes of a group that is counted as one", 1, 1000000);
  table.add("resolution", resolution_, "a larger one gives more and smaller communities", 0.01, 100.0);
  declare_network(table);
  return table;
}

Plan PrivGraph::plan(const Request& request, const privacy::PublicFacts& facts) const {
  (void)requires_privacy(request);
  (void)groups_of(facts.nodes, group_size_);
  Plan plan{.event = privacy::composed(
                {group_noise(request).event(), choices(request).event(), community_noise(request).event()})};
  plan.assumptions = {"features and labels are public"};
  plan.numbers = {
      {"scale of the noise of counts", fmt::format("{:.6f}", 1 / group_noise(request).rate().value())},
      {"scale of the noise of degrees", fmt::format("{:.6f}", 1 / community_noise(request).rate().value())}};
  return plan;
}

Released PrivGraph::release(const Request& request, const privacy::ProtectedDataset& data, Run& run,
                            const Model*) const {
  const std::size_t nodes = data.facts.nodes;
  const std::uint32_t groups = groups_of(nodes, group_size_);
  const std::unique_ptr<RandomStream> coins = run.noise.fork("communities");
  std::vector<std::uint32_t> group(nodes);
  const std::vector<graph::NodeId> places = shuffled_nodes(nodes, *coins);
  for (std::size_t i = 0; i < nodes; ++i) group[places[i]] = static_cast<std::uint32_t>(i / group_size_);
  const std::vector<std::int64_t> counts = group_noise(request).release(
      data.graph.secret().map(&group_counts, group, groups), std::size_t{groups} * (groups + 1) / 2,
      "edges between random groups of nodes", run.log, run.noise);
  const std::vector<std::uint32_t> of_group =
      graph::louvain(groups, pairs_of_groups(not_negative(counts), groups), resolution_, *coins);
  const std::uint32_t communities = 1 + *std::ranges::max_element(of_group);
  for (std::uint32_t& name : group) name = of_group[name];
  const std::vector<std::uint32_t> community =
      choices(request).release(data.graph.secret(), group, communities, shuffled_nodes(nodes, *coins),
                               "community of every node", run.log, run.noise);
  const std::vector<std::int64_t> numbers = community_noise(request).release(
      data.graph.secret().map(&community_numbers, community, communities),
      std::size_t{communities} * (communities - 1) / 2 + nodes,
      "edges between communities, and neighbours of every node in its own", run.log, run.noise);
  return {.graph = drawn_graph(numbers, community, communities, *coins)};
}

}  // namespace privet::methods
