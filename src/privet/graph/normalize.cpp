#include "privet/graph/normalize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "privet/base/error.hpp"

namespace privet::graph {
namespace {

enum class Loops { none, added };

// The adjacency, with loops or without, where entry (i, j) weighs weight(i, j).
template <typename Weight>
tensor::SparseMatrix weighted(const Graph& graph, Loops loops, const Weight& weight) {
  const std::size_t n = graph.nodes();
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  tensor::AlignedVector<float> values;
  offsets.reserve(n + 1);
  columns.reserve(graph.stored_entries() + n);
  values.reserve(graph.stored_entries() + n);
  const auto put = [&](NodeId i, NodeId j) {
    columns.push_back(j);
    values.push_back(static_cast<float>(weight(i, j)));
  };
  for (NodeId i = 0; i < n; ++i) {
    bool loop_due = loops == Loops::added;
    for (const NodeId j : graph.neighbors(i)) {
      if (loop_due && j > i) {
        put(i, i);
        loop_due = false;
      }
      put(i, j);
    }
    if (loop_due) put(i, i);
    offsets.push_back(columns.size());
  }
  return {n, n, std::move(offsets), std::move(columns), std::move(values)};
}

std::vector<double> inverse_roots(const Graph& graph, double extra, double floor) {
  std::vector<double> roots(graph.nodes());
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    const double degree = std::max(static_cast<double>(graph.degree(i)) + extra, floor);
    roots[i] = degree > 0 ? 1 / std::sqrt(degree) : 0;
  }
  return roots;
}

}  // namespace

tensor::SparseMatrix symmetric_with_loops(const Graph& graph) { return symmetric_with_floor(graph, 1); }

tensor::SparseMatrix symmetric_with_floor(const Graph& graph, double floor) {
  if (!(floor >= 1) || !std::isfinite(floor)) {
    throw InvalidArgument(
        {.what = fmt::format("{}", floor), .where = "degree floor", .expected = "at least 1"});
  }
  const std::vector<double> root = inverse_roots(graph, 1, floor);
  return weighted(graph, Loops::added, [&](NodeId i, NodeId j) { return root[i] * root[j]; });
}

tensor::SparseMatrix plain_adjacency(const Graph& graph) {
  return {graph.nodes(),
          graph.nodes(),
          {graph.offsets().begin(), graph.offsets().end()},
          {graph.columns().begin(), graph.columns().end()},
          {}};
}

tensor::SparseMatrix row_mean(const Graph& graph) {
  return weighted(graph, Loops::none,
                  [&](NodeId i, NodeId) { return 1 / static_cast<double>(graph.degree(i)); });
}

tensor::SparseMatrix sum_over_max_degree(const Graph& graph, std::size_t max_degree) {
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    if (graph.degree(i) > max_degree) {
      throw DataError({.what = "a node has more neighbours than the promised maximum degree",
                       .where = "sum over maximum degree",
                       .expected = fmt::format("at most {} neighbours", max_degree)});
    }
  }
  return weighted(graph, Loops::none, [&](NodeId, NodeId) { return 1 / static_cast<double>(max_degree); });
}

tensor::SparseMatrix identity_plus_symmetric(const Graph& graph) {
  const std::vector<double> root = inverse_roots(graph, 0, 0);
  return weighted(graph, Loops::added, [&](NodeId i, NodeId j) { return i == j ? 1 : root[i] * root[j]; });
}

}  // namespace privet::graph
