#include "privet/privacy/protected_dataset.hpp"

#include <fmt/format.h>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

template <typename T>
Guarded<T> guarded(T value, bool is_protected) {
  return is_protected ? Guarded<T>::hidden(std::move(value)) : Guarded<T>::public_value(std::move(value));
}

void check_roles(const graph::Dataset& dataset, const graph::Split& split) {
  if (split.roles.size() != dataset.nodes()) {
    throw InvalidArgument({.what = fmt::format("{} roles", split.roles.size()),
                           .where = fmt::format("split {}", split.name),
                           .expected = fmt::format("one for each of {} nodes", dataset.nodes())});
  }
  for (std::size_t i = 0; i < split.roles.size(); ++i) {
    const bool labeled = !dataset.labels.empty() && dataset.labels[i] != graph::kUnlabeled;
    if (split.roles[i] != graph::Role::none && !labeled) {
      throw DataError({.what = fmt::format("node {} has a role but no label", i),
                       .where = fmt::format("split {}", split.name)});
    }
  }
}

}  // namespace

ProtectedDataset protect(graph::Dataset dataset, graph::Split split, const Unit& unit) {
  check_roles(dataset, split);
  return {.unit = unit,
          .facts = {.data = dataset.name,
                    .nodes = dataset.nodes(),
                    .features = graph::feature_columns(dataset.features),
                    .classes = dataset.classes,
                    .split = std::move(split)},
          .graph = guarded(std::move(dataset.graph), unit.protects_edges()),
          .features = guarded(std::move(dataset.features), unit.protects_features()),
          .labels = guarded(std::move(dataset.labels), unit.protects_labels())};
}

}  // namespace privet::privacy
