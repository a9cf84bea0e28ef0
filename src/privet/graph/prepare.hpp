#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "privet/graph/dataset.hpp"

namespace privet::graph {

/// One step that changes a data set before learning. A step that reads edges or labels makes the node table
/// depend on them, and one that reads everybody's features makes a row depend on those of others, which
/// matters where they are protected; `reads_edges`, `reads_labels` and `mixes_features` say so.
struct PrepareStep {
  enum class Kind {
    min_class,
    classes,
    drop_isolated,
    largest_component,
    row_normalize,
    standardize,
    symmetrize,
    directed,
    reverse,
    constant_feature
  };
  Kind kind = Kind::symmetrize;
  std::uint64_t min_class_nodes = 0;
  std::vector<std::string> classes = {};

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool reads_edges() const noexcept;
  [[nodiscard]] bool reads_labels() const noexcept;
  [[nodiscard]] bool mixes_features() const noexcept;
  bool operator==(const PrepareStep&) const = default;
};

/// "min-class=1000,drop-isolated,row-normalize" -> steps, in order.
///
///     min-class=N         keep the nodes of classes with at least N nodes (and no unlabeled node)
///     classes=A+B+C       know these classes only, by name or number, in this order, whether or not a node
///     has
///                         one: a list that is declared is not compared with the data. A node of another one
///                         stays and counts as unlabeled, so no node's place depends on its label
///     drop-isolated       drop nodes without edges
///     largest-component   keep the largest connected component (the first, where several are largest)
///     row-normalize       scale each feature row to sum of absolute values 1; zero rows stay
///     standardize         shift and scale each feature to mean 0 and variance 1 over all nodes, after which
///                         features are dense; a constant one becomes 0
///     symmetrize          take every edge in both directions
///     directed            use the raw directed edges of data that has them
///     reverse             turn every directed entry around: who is listed becomes who lists
///     constant-feature    give every node the one feature 1, in data that have none
std::vector<PrepareStep> parse_prepare(std::string_view text);

/// Whether the steps name the list of classes, so that it isn't taken from the data.
bool declares_classes(const std::vector<PrepareStep>& steps);

Dataset prepare(Dataset dataset, const std::vector<PrepareStep>& steps);

/// The data set on `kept` (ascending), renumbered; features, labels, splits and names follow.
Dataset induced(const Dataset& dataset, std::span<const NodeId> kept);

}  // namespace privet::graph
