#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/graph/graph.hpp"

namespace privet::graph {

/// Exact figures of a graph, for its owner's eyes. They are functions of the edges: releasing one is a
/// release, and goes through core/.

struct DegreeSummary {
  std::size_t min = 0;
  double mean = 0;
  double median = 0;
  std::size_t max = 0;
};

/// Of the stored rows: out-degrees in a directed graph.
DegreeSummary degree_summary(const Graph& graph);

/// Nodes without any edge, in or out.
std::size_t isolated_nodes(const Graph& graph);

/// Stored entries over all ordered pairs of different nodes; 0 for fewer than two nodes.
double density(const Graph& graph);

/// Share of the entries whose ends have the same class. Entries with an unlabeled end are left out. Not a
/// number where nothing is left.
double edge_homophily(const Graph& graph, std::span<const std::int32_t> labels);

/// 1/(C-1) sum over classes of max(0, h_c - n_c/n), where h_c is the share of the entries out of class c that
/// stay in c and n counts labeled nodes (DPDGC, appendix K, after Lim et al. 2021; the appendix prints the
/// number of all edges under h_c, its table and this function use those of class c).
double class_insensitive_homophily(const Graph& graph, std::span<const std::int32_t> labels,
                                   std::size_t classes);

/// M[a][b] = number of entries from class a to class b, row after row; entries with an unlabeled end are left
/// out.
std::vector<std::uint64_t> class_connections(const Graph& graph, std::span<const std::int32_t> labels,
                                             std::size_t classes);

/// Nodes per class.
std::vector<std::size_t> class_counts(std::span<const std::int32_t> labels, std::size_t classes);

/// The component of each node, edges taken as undirected; components are numbered by their first node.
std::vector<NodeId> components(const Graph& graph);

}  // namespace privet::graph
