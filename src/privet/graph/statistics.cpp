#include "privet/graph/statistics.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace privet::graph {

DegreeSummary degree_summary(const Graph& graph) {
  const std::size_t n = graph.nodes();
  if (n == 0) return {};
  std::vector<std::size_t> degrees(n);
  for (NodeId i = 0; i < n; ++i) degrees[i] = graph.degree(i);
  std::sort(degrees.begin(), degrees.end());
  return {.min = degrees.front(),
          .mean = static_cast<double>(graph.stored_entries()) / static_cast<double>(n),
          .median = static_cast<double>(degrees[(n - 1) / 2] + degrees[n / 2]) / 2,
          .max = degrees.back()};
}

std::size_t isolated_nodes(const Graph& graph) {
  const Graph turned = graph.transposed();
  std::size_t count = 0;
  for (NodeId i = 0; i < graph.nodes(); ++i) count += graph.degree(i) == 0 && turned.degree(i) == 0;
  return count;
}

double density(const Graph& graph) {
  const auto n = static_cast<double>(graph.nodes());
  return n < 2 ? 0 : static_cast<double>(graph.stored_entries()) / (n * (n - 1));
}

std::vector<std::uint64_t> class_connections(const Graph& graph, std::span<const std::int32_t> labels,
                                             std::size_t classes) {
  std::vector<std::uint64_t> counts(classes * classes);
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    if (labels[i] == kUnlabeled) continue;
    for (const NodeId j : graph.neighbors(i)) {
      if (labels[j] != kUnlabeled) {
        ++counts[static_cast<std::size_t>(labels[i]) * classes + static_cast<std::size_t>(labels[j])];
      }
    }
  }
  return counts;
}

double edge_homophily(const Graph& graph, std::span<const std::int32_t> labels) {
  std::uint64_t same = 0;
  std::uint64_t all = 0;
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    if (labels[i] == kUnlabeled) continue;
    for (const NodeId j : graph.neighbors(i)) {
      all += labels[j] != kUnlabeled;
      same += labels[j] == labels[i];
    }
  }
  return all == 0 ? std::numeric_limits<double>::quiet_NaN()
                  : static_cast<double>(same) / static_cast<double>(all);
}

double class_insensitive_homophily(const Graph& graph, std::span<const std::int32_t> labels,
                                   std::size_t classes) {
  if (classes < 2) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::uint64_t> connections = class_connections(graph, labels, classes);
  const std::vector<std::size_t> sizes = class_counts(labels, classes);
  const auto labeled = static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  double total = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const auto row = std::span(connections).subspan(c * classes, classes);
    const auto out = std::accumulate(row.begin(), row.end(), std::uint64_t{0});
    if (out == 0) continue;
    const double stays = static_cast<double>(row[c]) / static_cast<double>(out);
    total += std::max(0.0, stays - static_cast<double>(sizes[c]) / labeled);
  }
  return total / static_cast<double>(classes - 1);
}

std::vector<std::size_t> class_counts(std::span<const std::int32_t> labels, std::size_t classes) {
  std::vector<std::size_t> counts(classes);
  for (const std::int32_t label : labels) {
    if (label != kUnlabeled) ++counts[static_cast<std::size_t>(label)];
  }
  return counts;
}

std::vector<NodeId> components(const Graph& graph) {
  constexpr NodeId kUnseen = 0xffffffff;
  const Graph turned = graph.transposed();
  std::vector<NodeId> component(graph.nodes(), kUnseen);
  std::vector<NodeId> waiting;
  NodeId next = 0;
  for (NodeId start = 0; start < graph.nodes(); ++start) {
    if (component[start] != kUnseen) continue;
    component[start] = next;
    waiting.push_back(start);
    while (!waiting.empty()) {
      const NodeId node = waiting.back();
      waiting.pop_back();
      const auto reach = [&](std::span<const NodeId> neighbors) {
        for (const NodeId neighbor : neighbors) {
          if (component[neighbor] == kUnseen) {
            component[neighbor] = next;
            waiting.push_back(neighbor);
          }
        }
      };
      reach(graph.neighbors(node));
      if (!graph.undirected()) reach(turned.neighbors(node));
    }
    ++next;
  }
  return component;
}

}  // namespace privet::graph
