#include "privet/audit/structures.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace privet::audit {
namespace {

using graph::NodeId;

NodeId of_most_edges(const graph::Graph& graph, std::optional<NodeId> but = {}) {
  NodeId best = but && *but == 0 ? 1 : 0;
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    if (but && i == *but) continue;
    if (graph.degree(i) > graph.degree(best)) best = i;
  }
  return best;
}

NodeId of_fewest_edges(const graph::Graph& graph, std::size_t at_least, std::optional<NodeId> but = {}) {
  std::optional<NodeId> best;
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    if ((but && i == *but) || graph.degree(i) < at_least) continue;
    if (!best || graph.degree(i) < graph.degree(*best)) best = i;
  }
  if (best) return *best;
  return but && *but == 0 ? 1 : 0;
}

std::vector<std::pair<std::uint32_t, float>> features_of(const graph::Features& features, NodeId node) {
  std::vector<std::pair<std::uint32_t, float>> row;
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) {
    for (std::uint32_t j = 0; j < dense->columns(); ++j)
      if ((*dense)(node, j) != 0.0F) row.emplace_back(j, (*dense)(node, j));
  } else if (const auto* sparse = std::get_if<tensor::SparseMatrix>(&features)) {
    for (std::uint64_t e = sparse->offsets()[node]; e < sparse->offsets()[node + 1]; ++e)
      row.emplace_back(sparse->column_indices()[e], sparse->value(e));
  }
  return row;
}

double squared_distance(const std::vector<std::pair<std::uint32_t, float>>& a,
                        const std::vector<std::pair<std::uint32_t, float>>& b) {
  double sum = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  const auto square = [](float x) { return static_cast<double>(x) * static_cast<double>(x); };
  while (i < a.size() || j < b.size()) {
    const std::uint32_t left = i < a.size() ? a[i].first : std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t right = j < b.size() ? b[j].first : std::numeric_limits<std::uint32_t>::max();
    if (left == right) {
      sum += square(a[i++].second - b[j++].second);
    } else if (left < right) {
      sum += square(a[i++].second);
    } else {
      sum += square(b[j++].second);
    }
  }
  return sum;
}

// The nearest pair among a sample: all pairs of a large graph would take too long.
graph::Edge nearest_pair(const graph::Dataset& dataset, RandomStream& stream) {
  constexpr std::size_t kSample = 300;
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < std::min(kSample, dataset.nodes()); ++i)
    nodes.push_back(static_cast<NodeId>(dataset.nodes() <= kSample ? i : stream.below(dataset.nodes())));
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  std::vector<std::vector<std::pair<std::uint32_t, float>>> rows;
  for (const NodeId node : nodes) rows.push_back(features_of(dataset.features, node));
  graph::Edge best{nodes[0], nodes[1]};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = i + 1; j < nodes.size(); ++j) {
      const double distance = squared_distance(rows[i], rows[j]);
      if (distance >= least) continue;
      least = distance;
      best = {nodes[i], nodes[j]};
    }
  }
  return best;
}

graph::Edge random_pair(const graph::Dataset& dataset, RandomStream& stream) {
  const auto u = static_cast<NodeId>(stream.below(dataset.nodes()));
  const auto v = static_cast<NodeId>(stream.below(dataset.nodes() - 1));
  return {u, v < u ? v : v + 1};
}

}  // namespace

graph::Edge pair_of_structure(const graph::Dataset& dataset, const std::string& structure,
                              RandomStream& stream) {
  const graph::Graph& graph = dataset.graph;
  const NodeId hub = of_most_edges(graph);
  if (structure == "pendant-hub") return {of_fewest_edges(graph, 1, hub), hub};
  if (structure == "highest-degree") return {hub, of_most_edges(graph, hub)};
  if (structure == "duplicate") return nearest_pair(dataset, stream);
  if (structure == "isolated") {
    const NodeId u = of_fewest_edges(graph, 0);
    return {u, of_fewest_edges(graph, 0, u)};
  }
  if (structure == "bridge") {
    if (const auto bridge = find_bridge(graph)) return *bridge;
  }
  return random_pair(dataset, stream);
}

NodeId node_of_structure(const graph::Dataset& dataset, const std::string& structure, RandomStream& stream) {
  if (structure == "hub") return of_most_edges(dataset.graph);
  if (structure == "isolated") return of_fewest_edges(dataset.graph, 0);
  if (structure == "pendant") return of_fewest_edges(dataset.graph, 1);
  if (structure == "duplicate") return nearest_pair(dataset, stream).from;
  return static_cast<NodeId>(stream.below(dataset.nodes()));
}

// Tarjan's low points, with a stack of its own: real graphs have paths longer than the program's.
std::optional<graph::Edge> find_bridge(const graph::Graph& given) {
  const graph::Graph graph = given.undirected() ? given : given.symmetrized();
  const auto none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> entered(graph.nodes(), none);
  std::vector<std::uint32_t> low(graph.nodes(), none);
  std::vector<std::size_t> next(graph.nodes(), 0);
  std::optional<graph::Edge> dangling;
  std::uint32_t clock = 0;
  for (NodeId root = 0; root < graph.nodes(); ++root) {
    if (entered[root] != none) continue;
    std::vector<graph::Edge> path{{root, root}};  // parent, node
    entered[root] = low[root] = clock++;
    while (!path.empty()) {
      const auto [parent, node] = path.back();
      if (next[node] < graph.degree(node)) {
        const NodeId other = graph.neighbors(node)[next[node]++];
        if (other == parent) continue;
        if (entered[other] == none) {
          entered[other] = low[other] = clock++;
          path.push_back({node, other});
        } else {
          low[node] = std::min(low[node], entered[other]);
        }
        continue;
      }
      path.pop_back();
      if (path.empty()) continue;
      low[parent] = std::min(low[parent], low[node]);
      if (low[node] <= entered[parent]) continue;
      if (graph.degree(parent) > 1 && graph.degree(node) > 1) return graph::Edge{parent, node};
      if (!dangling) dangling = graph::Edge{parent, node};
    }
  }
  return dangling;
}

tensor::SparseMatrix with_row_of(const tensor::SparseMatrix& matrix, std::optional<NodeId> from, NodeId to) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  tensor::AlignedVector<float> values;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    if (i != to || from) {
      const std::size_t source = i == to ? *from : i;
      for (std::uint64_t e = matrix.offsets()[source]; e < matrix.offsets()[source + 1]; ++e) {
        columns.push_back(matrix.column_indices()[e]);
        if (!matrix.all_ones()) values.push_back(matrix.value(e));
      }
    }
    offsets.push_back(columns.size());
  }
  return {matrix.rows(), matrix.columns(), std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace privet::audit
