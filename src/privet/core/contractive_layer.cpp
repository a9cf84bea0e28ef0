#include "privet/core/contractive_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"

namespace privet::privacy {
namespace {

constexpr double kUp = 1 + 0x1p-40;  // above what the roundings below can lose

// 1/sqrt(a) - 1/sqrt(a + 1), without cancellation.
double step_down(double a) {
  return 1 / (std::sqrt(a) * std::sqrt(a + 1) * (std::sqrt(a) + std::sqrt(a + 1)));
}

double root_of(std::uint64_t number) { return std::sqrt(static_cast<double>(number)); }

[[noreturn]] void no_bound(const Unit& unit, const char* what, const char* remedy) {
  throw Unsound({.what = what, .where = fmt::format("unit {}", unit.text()), .remedy = remedy});
}

// One end of the edge before it comes: below the floor nothing of its normalisation changes.
struct End {
  double row_sum;   // a, at least the floor
  bool is_floored;  // a stays
  [[nodiscard]] double after() const { return is_floored ? row_sum : row_sum + 1; }
  [[nodiscard]] double step() const { return is_floored ? 0 : step_down(row_sum); }
  [[nodiscard]] double loop() const { return is_floored ? 0 : 1 / (row_sum * (row_sum + 1)); }
  [[nodiscard]] double others() const { return is_floored ? 0 : row_sum - 1; }
};

// The ends that can be worst: floored, at the floor and, where the terms still grow, a few above (all of
// them fall from 4 on).
std::vector<End> ends_of(std::uint64_t floor) {
  std::vector<End> ends;
  if (floor > 1) ends.push_back({static_cast<double>(floor), true});
  for (std::uint64_t a = floor; a <= std::max<std::uint64_t>(floor, 4); ++a)
    ends.push_back({static_cast<double>(a), false});
  return ends;
}

double person_bound(const Unit& unit, const ContractiveLayer& layer) {
  const auto degree = static_cast<double>(unit.max_degree());
  const double ways = unit.blanks_person() ? 1 : 2;
  if (layer.kind == ContractiveLayer::Kind::bounded) {
    if (layer.bound < unit.max_degree()) {
      no_bound(unit, "a layer for graphs of smaller degree than the unit allows",
               "bound the layer by the unit's own degree");
    }
    return ways * std::sqrt(degree) / (static_cast<double>(layer.bound) + 1);
  }
  const auto floor = static_cast<double>(layer.bound);
  return ways * (std::sqrt(degree) * (std::sqrt(floor) + std::sqrt(floor + 1)) * step_down(floor) +
                 std::sqrt(degree / (floor * std::max(degree + 1, floor))));
}

}  // namespace

void require_sensible(const ContractiveLayer& layer) {
  const auto require = [](bool holds, const char* what, double value, const char* expected) {
    if (holds) return;
    throw InvalidArgument(
        {.what = fmt::format("{} {}", what, value), .where = "contractive layer", .expected = expected});
  };
  require(layer.bound >= 1, "a bound of", static_cast<double>(layer.bound), "at least 1");
  require(layer.contraction >= 0 && layer.contraction <= 1, "a contraction of", layer.contraction, "0 to 1");
  require(layer.graph_share >= 0 && layer.graph_share <= 1, "a graph share of", layer.graph_share, "0 to 1");
  require(layer.residual >= 0 && layer.residual <= 1e6, "a residual of", layer.residual, "0 to 1e6");
}

// E = N' - N for u, v with row sums a, b (of A + I, floored) before the edge: rows u and v have l1 norms
// loop + c + step x (others) / sqrt(m) with m the least that a neighbour can have; the rows of the others
// have one entry, or two where they hear both ends. Rows of X have norm at most 1, so |E X|^2 is at most the
// sum of the squared l1 norms.
double floored_edge_bound(std::uint64_t floor) {
  const double least = static_cast<double>(std::max<std::uint64_t>(floor, 2));  // who has a neighbour
  double worst = 0;
  for (const End& u : ends_of(floor)) {
    for (const End& v : ends_of(floor)) {
      const double cross = 1 / std::sqrt(u.after() * v.after());
      const auto row = [&](const End& end) {
        return end.loop() + cross + end.step() * end.others() / std::sqrt(least);
      };
      const auto rest = [&](const End& end) { return end.step() * std::sqrt(end.others() / least); };
      const double others = rest(u) + rest(v);
      worst = std::max(worst, row(u) * row(u) + row(v) * row(v) + others * others);
    }
  }
  return std::sqrt(worst) * kUp;
}

// E = (D' - D) M B' + D M (B' - B) + d'_u b'_v e_u e_v^T with M = A + I: row u by step x a / sqrt(floor),
// column v by step x sqrt(b / floor), both falling in a and b, and the entry itself.
double floored_entry_bound(std::uint64_t floor) {
  const auto m = static_cast<double>(floor);
  const double in_row = std::sqrt(m) * step_down(m);
  const double in_column = step_down(m);
  const double both = 1 / (m + 1) + in_row + in_column;
  if (floor == 1) return both * kUp;  // no end is floored
  const double one = 1 / std::sqrt(m * (m + 1));
  return std::max({both, one + in_row, one + in_column, 1 / m}) * kUp;
}

Sensitivity contractive_sensitivity(const Unit& unit, const ContractiveLayer& layer, std::uint64_t nodes,
                                    std::uint64_t columns) {
  require_sensible(layer);
  const bool floored = layer.kind == ContractiveLayer::Kind::floored;
  double moved = 0;
  double mean = 0;
  if (!unit.protects_anything()) no_bound(unit, "nothing is protected", "name a unit of protection");
  if (unit.is_reported_locally())
    no_bound(unit, "the iteration needs the whole graph in one place", "use the unit edge");
  if (unit.is_about_edges()) {
    if (!floored)
      no_bound(unit, "no degree is bounded under this unit", "use a layer with a floor of the degrees");
    moved = unit.changes_pairs() ? floored_edge_bound(layer.bound) : floored_entry_bound(layer.bound);
  } else if (unit.bounds_degree()) {
    moved = person_bound(unit, layer);
    if (nodes > 0) mean = 2 * root_of(nodes - 1) / static_cast<double>(nodes);
  } else {
    no_bound(unit, "any number of neighbours hear one person's row",
             "use node:D with a degree bound that you know to hold, or an edge unit");
  }
  const double l2 = layer.contraction * (layer.graph_share * moved + (1 - layer.graph_share) * mean) * kUp;
  return Sensitivity::stated(
      unit, {.l2 = std::max(l2, 1e-9),
             .coordinates = std::max<std::uint64_t>(1, nodes * columns),
             .value = unit.excludes_own_row() ? "one contractive hop, without the node's own row"
                                              : "one contractive hop",
             .argument = "docs/privacy/mechanisms.md#contractive-hops"});
}

graph::Graph layer_graph(const graph::Graph& graph, const ContractiveLayer& layer, const Unit& unit) {
  const bool entries =
      layer.kind == ContractiveLayer::Kind::bounded || unit.changes_entries() || graph.undirected();
  if (!unit.bounds_degree()) return entries ? graph : graph.symmetrized();
  const graph::Graph nothing(graph.nodes(), graph::EdgeList(), graph::Direction::undirected);
  if (!entries) return nothing;  // who is listed and lists has up to 2 D neighbours
  const graph::Graph turned = graph.transposed();
  for (std::size_t i = 0; i < graph.nodes(); ++i) {
    const auto node = static_cast<graph::NodeId>(i);
    if (std::max(graph.degree(node), turned.degree(node)) > unit.max_degree()) return nothing;
  }
  return graph;
}

double stretching(const graph::Graph& graph, const ContractiveLayer& layer, int iterations) {
  const std::size_t n = graph.nodes();
  if (n == 0) return 0;
  const graph::Graph turned = graph.transposed();
  const bool floored = layer.kind == ContractiveLayer::Kind::floored;
  const auto scale = [&](std::size_t degree) {
    return floored ? 1 / std::sqrt(static_cast<double>(std::max<std::uint64_t>(degree + 1, layer.bound)))
                   : 1 / std::sqrt(static_cast<double>(layer.bound + 1));
  };
  // L or its transpose, which is that of the turned graph.
  const auto apply = [&](const graph::Graph& rows, const graph::Graph& columns,
                         const std::vector<double>& x) {
    double mean = 0;
    for (const double value : x) mean += value / static_cast<double>(n);
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto node = static_cast<graph::NodeId>(i);
      double sum = x[i] * scale(columns.degree(node));
      for (const graph::NodeId j : rows.neighbors(node)) sum += x[j] * scale(columns.degree(j));
      y[i] = layer.contraction *
             (layer.graph_share * sum * scale(rows.degree(node)) + (1 - layer.graph_share) * mean);
    }
    return y;
  };
  SeededStream stream(1);
  std::vector<double> x(n);
  for (double& value : x) value = stream.uniform() + 0.1;
  double stretched = 0;
  for (int step = 0; step < iterations; ++step) {
    double norm = 0;
    for (const double value : x) norm += value * value;
    if (norm == 0) return stretched;
    for (double& value : x) value /= std::sqrt(norm);
    const std::vector<double> y = apply(graph, turned, x);
    double squares = 0;
    for (const double value : y) squares += value * value;
    stretched = std::max(stretched, std::sqrt(squares));
    x = apply(turned, graph, y);
  }
  return stretched;
}

}  // namespace privet::privacy
