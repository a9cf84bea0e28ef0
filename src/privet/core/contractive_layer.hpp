#pragma once

#include <cstdint>

#include "privet/core/sensitivity.hpp"
#include "privet/graph/graph.hpp"

namespace privet::privacy {

/// One step of a contractive iteration over a graph (Zheng et al. 2025, CARIBOU, Algorithm 1), on rows of
/// norm at most 1:
///
///     L(X) = C (s N X + (1 - s) mean(X)) + r X0,      0 <= C <= 1, 0 <= s <= 1, r >= 0
///
/// N has a norm of at most 1 on *every* graph that the unit speaks of, so that L is C-Lipschitz in the
/// Frobenius norm, whatever the edges are:
///
///   floored  N_ij = (A + I)_ij / sqrt(a_i b_j), a_i = max(row i of A + I, bound), b_j = max(column j of
///            A + I, bound). `bound` is a public floor of the degrees, not a property of the graph.
///   bounded  N = (A + I) / (bound + 1) for graphs in which no row and no column has more than `bound`
///            entries: the promise of the unit node:D.
struct ContractiveLayer {
  enum class Kind { floored, bounded };
  Kind kind = Kind::floored;
  std::uint64_t bound = 1;
  double contraction = 0.9;  ///< C
  double graph_share = 1;    ///< s
  double residual = 1;       ///< r
};

/// InvalidArgument where a number is out of range.
void require_sensible(const ContractiveLayer& layer);

/// How far N X moves if one undirected edge comes or goes, on any graph, with floor `floor`: the maximum over
/// the degrees of both ends of docs/privacy/mechanisms.md#contractive-hops. sqrt 2 at floor 1, about 2.12 /
/// floor.
double floored_edge_bound(std::uint64_t floor);

/// The same for one entry of A.
double floored_entry_bound(std::uint64_t floor);

/// How far L(X) moves between neighbours of the unit, for X, X0 that agree in every row but the protected
/// person's; without that person's own row. Unsound for units under which there is no bound: none,
/// k-neighbor, record, local-edge, and bounded layers under the edge units.
///
///     edge            C s floored_edge_bound
///     directed-edge   C s floored_entry_bound
///     node:D          bounded, D <= bound: C s sqrt(D) / (bound + 1) for add-remove, twice that for replace;
///                     floored: C s (sqrt(D) (sqrt m + sqrt(m+1)) d_m + sqrt(D / (m max(D+1, m)))), m =
///                     floor, d_m = 1/sqrt m - 1/sqrt(m+1), again twice for replace; both: + C (1 - s) 2
///                     sqrt(nodes - 1) / nodes for the mean
///
/// The residual never counts: under the edge units X0 is public, and under node the rows of X0 of all others
/// are the same. `columns` are those of X.
Sensitivity contractive_sensitivity(const Unit& unit, const ContractiveLayer& layer, std::uint64_t nodes,
                                    std::uint64_t columns);

/// The graph that a layer multiplies with. Floored layers take both entries of every pair, except under
/// directed-edge. Under node:D a graph that breaks the promise has no edges, nor has a directed one for a
/// floored layer: the promise is about lists, and both entries of a pair would make up to 2 D neighbours.
graph::Graph layer_graph(const graph::Graph& graph, const ContractiveLayer& layer, const Unit& unit);

/// The largest factor by which L stretches a difference: at most C. By power iteration, from below.
double stretching(const graph::Graph& graph, const ContractiveLayer& layer, int iterations = 50);

}  // namespace privet::privacy
