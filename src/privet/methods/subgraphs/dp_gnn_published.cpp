#include "privet/methods/subgraphs/dp_gnn_published.hpp"

#include <algorithm>

#include "privet/accounting/accountant.hpp"
#include "privet/base/random.hpp"
#include "privet/core/mechanisms/keyed_hash.hpp"

namespace privet::methods {

privacy::HeardLists greedy_subgraphs(const graph::Graph& graph, const std::vector<std::uint8_t>& training,
                                     std::uint64_t most, std::uint64_t seed) {
  // A node has its place in the order, and a neighbour its place in a row, whoever else is there: what
  // changes between two graphs is the algorithm's doing.
  const SeededStream stream(seed);
  const std::uint64_t key = stream.fork("order", 0)->bits();
  std::vector<std::pair<std::uint64_t, graph::NodeId>> order;
  for (graph::NodeId v = 0; v < graph.nodes(); ++v) {
    if (training[v] != 0) order.emplace_back(privacy::keyed_hash(key, v, v), v);
  }
  std::ranges::sort(order);
  std::vector<std::vector<graph::NodeId>> subgraphs(graph.nodes());
  for (const auto& [place, v] : order) {
    for (const graph::NodeId u : graph.neighbors(v)) {
      if (subgraphs[v].size() >= most) break;
      if (subgraphs[u].size() >= most) continue;
      // In an undirected graph u may have taken v already: then it is there, and counted.
      if (std::ranges::find(subgraphs[v], u) != subgraphs[v].end()) continue;
      subgraphs[v].push_back(u);
      subgraphs[u].push_back(v);
    }
  }
  privacy::HeardLists lists{{0}, {}};
  for (std::vector<graph::NodeId>& subgraph : subgraphs) {
    std::ranges::sort(subgraph);
    lists.members.insert(lists.members.end(), subgraph.begin(), subgraph.end());
    lists.offsets.push_back(lists.members.size());
  }
  return lists;
}

std::uint64_t published_terms(std::uint64_t degree, std::uint64_t layers) {
  std::uint64_t terms = 1;
  std::uint64_t power = 1;
  for (std::uint64_t i = 0; i < layers; ++i) terms += power *= degree;
  return terms;
}

privacy::Event published_training(std::uint64_t population, std::uint64_t batch, std::uint64_t terms,
                                  double lambda, std::uint64_t steps) {
  return privacy::repeated(privacy::DpGnnEvent{.nodes = population,
                                               .batch = batch,
                                               .max_degree = std::min(terms, population) - 1,
                                               .noise_multiplier = lambda},
                           steps);
}

double published_epsilon(const privacy::Event& training, privacy::Delta delta) {
  return privacy::epsilon(training, delta, privacy::Accountant::rdp).upper;
}

}  // namespace privet::methods
