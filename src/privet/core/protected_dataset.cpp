#include "privet/core/protected_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

template <typename T>
Guarded<T> guarded(T value, bool is_protected) {
  return is_protected ? Guarded<T>::hidden(std::move(value)) : Guarded<T>::public_value(std::move(value));
}

void check_roles(const graph::Dataset& dataset, const graph::Split& split, const Unit& unit) {
  if (split.roles.size() != dataset.nodes()) {
    throw InvalidArgument({.what = fmt::format("{} roles", split.roles.size()),
                           .where = fmt::format("split {}", split.name),
                           .expected = fmt::format("one for each of {} nodes", dataset.nodes())});
  }
  if (unit.protects_labels()) return;
  for (std::size_t i = 0; i < split.roles.size(); ++i) {
    const bool labeled = !dataset.labels.empty() && dataset.labels[i] != graph::kUnlabeled;
    if (split.roles[i] != graph::Role::none && !labeled) {
      throw DataError({.what = fmt::format("node {} has a role but no label", i),
                       .where = fmt::format("split {}", split.name)});
    }
  }
}

// The unit speaks of graphs within its bound only. The message names no node: who has many edges is
// protected.
void check_degrees(const graph::Dataset& dataset, const Unit& unit) {
  if (!unit.bounds_degree()) return;
  const graph::Graph turned = dataset.graph.transposed();
  for (std::size_t i = 0; i < dataset.nodes(); ++i) {
    const auto node = static_cast<graph::NodeId>(i);
    if (std::max(dataset.graph.degree(node), turned.degree(node)) <= unit.max_degree()) continue;
    throw DataError({.what = fmt::format("some node has more than {} edges", unit.max_degree()),
                     .where = dataset.name,
                     .expected = fmt::format("none, as the unit '{}' promises", unit.text()),
                     .remedy = "name a bound that you know to hold, not one read off these data"});
  }
}

// Data published as directed come mirrored, with the raw edges beside: there one raw entry stands in two
// rows, and one person's list in the rows of all whom it names. Units that count entries or lists would be
// wrong.
void check_direction(const graph::Dataset& dataset, const Unit& unit) {
  if (!dataset.directed_graph || !unit.counts_entries()) return;
  throw Unsound({.what = "directed data, mirrored: one entry of it stands in two rows",
                 .where = fmt::format("{}, unit {}", dataset.name, unit.text()),
                 .expected = "the edges as they were recorded",
                 .remedy = "--prepare directed; or the unit edge, which protects both directions of a pair"});
}

}  // namespace

void require_fits(const graph::Dataset& dataset, const Unit& unit) {
  check_direction(dataset, unit);
  check_degrees(dataset, unit);
}

ProtectedDataset protect(graph::Dataset dataset, graph::Split split, const Unit& unit) {
  check_roles(dataset, split, unit);
  require_fits(dataset, unit);
  return {.unit = unit,
          .facts = {.data = dataset.name,
                    .nodes = dataset.nodes(),
                    .features = graph::feature_columns(dataset.features),
                    .classes = dataset.classes,
                    .split = std::move(split),
                    .directed = !dataset.graph.undirected()},
          .graph = guarded(std::move(dataset.graph), unit.protects_edges()),
          .features = guarded(std::move(dataset.features), unit.protects_features()),
          .labels = guarded(std::move(dataset.labels), unit.protects_labels())};
}

}  // namespace privet::privacy
