#include "privet/graph/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/options.hpp"
#include "privet/base/suggest.hpp"
#include "privet/graph/statistics.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::graph {
namespace {

using Kind = PrepareStep::Kind;

struct NamedStep {
  std::string_view name;
  Kind kind;
};
constexpr std::array<NamedStep, 10> kSteps = {{{"min-class", Kind::min_class},
                                               {"classes", Kind::classes},
                                               {"drop-isolated", Kind::drop_isolated},
                                               {"largest-component", Kind::largest_component},
                                               {"row-normalize", Kind::row_normalize},
                                               {"standardize", Kind::standardize},
                                               {"symmetrize", Kind::symmetrize},
                                               {"directed", Kind::directed},
                                               {"reverse", Kind::reverse},
                                               {"constant-feature", Kind::constant_feature}}};

std::string_view without_spaces_around(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string> names_between_pluses(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    names.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
    if (names.back().empty() || std::ranges::count(names, names.back()) > 1) {
      throw InvalidArgument({.what = fmt::format("'{}'", text),
                             .where = "prepare classes",
                             .expected = "names of classes with + between, each once"});
    }
  }
  return names;
}

PrepareStep parse_step(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  const auto* found =
      std::find_if(kSteps.begin(), kSteps.end(), [&](const NamedStep& step) { return step.name == name; });
  if (found == kSteps.end()) {
    std::vector<std::string> names;
    names.reserve(kSteps.size());
    for (const NamedStep& step : kSteps) names.emplace_back(step.name);
    throw InvalidArgument(
        {.what = fmt::format("no step '{}'", name), .where = "prepare", .remedy = suggestion(name, names)});
  }
  PrepareStep step{.kind = found->kind};
  const bool has_value = text.size() > name.size();
  const bool wants_value = step.kind == Kind::min_class || step.kind == Kind::classes;
  if (has_value != wants_value) {
    throw InvalidArgument({.what = fmt::format("'{}'", text),
                           .where = "prepare",
                           .expected = step.kind == Kind::min_class ? "min-class=N"
                                       : wants_value                ? "classes=A+B+C"
                                                                    : "no value behind this step"});
  }
  const std::string_view value = has_value ? text.substr(name.size() + 1) : std::string_view();
  if (step.kind == Kind::min_class) step.min_class_nodes = parse_integer(value, "prepare min-class");
  if (step.kind == Kind::classes) step.classes = names_between_pluses(value);
  return step;
}

template <typename T>
std::vector<T> pick(const std::vector<T>& values, std::span<const NodeId> kept) {
  std::vector<T> picked;
  if (values.empty()) return picked;
  picked.reserve(kept.size());
  for (const NodeId node : kept) picked.push_back(values[node]);
  return picked;
}

Features pick_rows(const Features& features, std::span<const NodeId> kept) {
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) {
    tensor::Matrix picked(kept.size(), dense->columns());
    for (std::size_t i = 0; i < kept.size(); ++i)
      std::ranges::copy(dense->row(kept[i]), picked.row(i).begin());
    return picked;
  }
  if (const auto* sparse = std::get_if<tensor::SparseMatrix>(&features)) {
    std::vector<std::uint64_t> offsets = {0};
    std::vector<std::uint32_t> columns;
    tensor::AlignedVector<float> values;
    for (const NodeId node : kept) {
      for (std::uint64_t k = sparse->offsets()[node]; k < sparse->offsets()[node + 1]; ++k) {
        columns.push_back(sparse->column_indices()[k]);
        if (!sparse->all_ones()) values.push_back(sparse->value(k));
      }
      offsets.push_back(columns.size());
    }
    return tensor::SparseMatrix(kept.size(), sparse->columns(), std::move(offsets), std::move(columns),
                                std::move(values));
  }
  return {};
}

tensor::Matrix dense_copy(const Features& features) {
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) return *dense;
  const auto& sparse = std::get<tensor::SparseMatrix>(features);
  tensor::Matrix copy(sparse.rows(), sparse.columns());
  for (std::size_t i = 0; i < sparse.rows(); ++i) {
    for (std::uint64_t k = sparse.offsets()[i]; k < sparse.offsets()[i + 1]; ++k)
      copy(i, sparse.column_indices()[k]) += sparse.value(k);
  }
  return copy;
}

tensor::Matrix standardized(tensor::Matrix features) {
  const auto count = static_cast<double>(std::max<std::size_t>(1, features.rows()));
  std::vector<double> mean(features.columns());
  std::vector<double> spread(features.columns());
  const auto add_up = [&](std::vector<double>& sums, const auto& term) {
    for (std::size_t i = 0; i < features.rows(); ++i) {
      const std::span<const float> row = features.row(i);
      for (std::size_t j = 0; j < row.size(); ++j) sums[j] += term(static_cast<double>(row[j]), j) / count;
    }
  };
  add_up(mean, [](double value, std::size_t) { return value; });
  add_up(spread, [&](double value, std::size_t j) { return (value - mean[j]) * (value - mean[j]); });
  // A column of equal numbers has a spread of rounding alone.
  std::vector<double> scale(features.columns());
  for (std::size_t j = 0; j < scale.size(); ++j) {
    const double deviation = std::sqrt(spread[j]);
    if (deviation > 1e-7 * std::abs(mean[j])) scale[j] = 1 / deviation;
  }
  for (std::size_t i = 0; i < features.rows(); ++i) {
    for (std::size_t j = 0; j < features.columns(); ++j)
      features(i, j) = static_cast<float>((static_cast<double>(features(i, j)) - mean[j]) * scale[j]);
  }
  return features;
}

// Only the nodes of large classes, the classes renumbered in their old order.
Dataset keep_large_classes(const Dataset& dataset, std::uint64_t least) {
  if (dataset.labels.empty()) {
    throw InvalidArgument({.what = "the data set has no labels", .where = "prepare min-class"});
  }
  const std::vector<std::size_t> counts = class_counts(dataset.labels, dataset.classes);
  std::vector<std::int32_t> renamed(dataset.classes, kUnlabeled);
  std::vector<std::string> names;
  std::size_t classes = 0;
  for (std::size_t c = 0; c < dataset.classes; ++c) {
    if (counts[c] == 0 || counts[c] < least) continue;
    renamed[c] = static_cast<std::int32_t>(classes++);
    if (!dataset.class_names.empty()) names.push_back(dataset.class_names[c]);
  }
  std::vector<NodeId> kept;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    const std::int32_t label = dataset.labels[i];
    if (label != kUnlabeled && renamed[static_cast<std::size_t>(label)] != kUnlabeled) kept.push_back(i);
  }
  if (kept.empty()) {
    throw DataError({.what = fmt::format("no class has {} nodes", least), .where = "prepare min-class"});
  }
  Dataset result = induced(dataset, kept);
  for (std::int32_t& label : result.labels) label = renamed[static_cast<std::size_t>(label)];
  result.classes = classes;
  result.class_names = std::move(names);
  return result;
}

// The place of a class by its name, or by its number where classes have no names; empty where no node has it.
// A declared class is never looked up with a complaint: that it was found would show that somebody has it.
std::optional<std::size_t> class_named(const Dataset& dataset, const std::string& name) {
  if (dataset.class_names.empty()) {
    const std::uint64_t number = parse_integer(name, "prepare classes");
    return number < dataset.classes ? std::optional<std::size_t>(number) : std::nullopt;
  }
  const auto found = std::ranges::find(dataset.class_names, name);
  if (found == dataset.class_names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - dataset.class_names.begin());
}

// Each label by itself: the nodes stay as they are.
Dataset know_classes(Dataset dataset, const std::vector<std::string>& names) {
  std::vector<std::int32_t> renamed(dataset.classes, kUnlabeled);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const std::optional<std::size_t> known = class_named(dataset, names[i]))
      renamed[*known] = static_cast<std::int32_t>(i);
  }
  for (std::int32_t& label : dataset.labels) {
    if (label != kUnlabeled) label = renamed[static_cast<std::size_t>(label)];
  }
  dataset.classes = names.size();
  dataset.class_names = names;
  return dataset;
}

Dataset drop_isolated(const Dataset& dataset) {
  const Graph turned = dataset.graph.transposed();
  std::vector<NodeId> kept;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    if (dataset.graph.degree(i) > 0 || turned.degree(i) > 0) kept.push_back(i);
  }
  if (kept.empty()) throw DataError({.what = "every node is isolated", .where = "prepare drop-isolated"});
  return induced(dataset, kept);
}

Dataset keep_largest_component(const Dataset& dataset) {
  const std::vector<NodeId> component = components(dataset.graph);
  std::vector<std::size_t> sizes(dataset.nodes());
  for (const NodeId c : component) ++sizes[c];
  const auto largest = static_cast<NodeId>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  std::vector<NodeId> kept;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    if (component[i] == largest) kept.push_back(i);
  }
  return induced(dataset, kept);
}

}  // namespace

std::string PrepareStep::text() const {
  for (const NamedStep& step : kSteps) {
    if (step.kind == kind) {
      if (kind == Kind::min_class) return fmt::format("{}={}", step.name, min_class_nodes);
      if (kind == Kind::classes) return fmt::format("{}={}", step.name, fmt::join(classes, "+"));
      return std::string(step.name);
    }
  }
  return {};
}

bool PrepareStep::reads_edges() const noexcept {
  return kind == Kind::drop_isolated || kind == Kind::largest_component;
}

bool PrepareStep::reads_labels() const noexcept { return kind == Kind::min_class; }

bool PrepareStep::mixes_features() const noexcept { return kind == Kind::standardize; }

std::vector<PrepareStep> parse_prepare(std::string_view text) {
  std::vector<PrepareStep> steps;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    steps.push_back(parse_step(without_spaces_around(text.substr(0, comma))));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return steps;
}

Dataset induced(const Dataset& dataset, std::span<const NodeId> kept) {
  Dataset result;
  result.name = dataset.name;
  result.graph = dataset.graph.induced(kept);
  if (dataset.directed_graph) result.directed_graph = dataset.directed_graph->induced(kept);
  result.features = pick_rows(dataset.features, kept);
  result.labels = pick(dataset.labels, kept);
  result.classes = dataset.classes;
  for (const Split& split : dataset.splits) result.splits.push_back({split.name, pick(split.roles, kept)});
  result.class_names = dataset.class_names;
  result.node_names = pick(dataset.node_names, kept);
  return result;
}

bool declares_classes(const std::vector<PrepareStep>& steps) {
  return std::ranges::any_of(steps, [](const PrepareStep& step) { return step.kind == Kind::classes; });
}

Dataset prepare(Dataset dataset, const std::vector<PrepareStep>& steps) {
  for (const PrepareStep& step : steps) {
    switch (step.kind) {
      case Kind::min_class:
        dataset = keep_large_classes(dataset, step.min_class_nodes);
        break;
      case Kind::classes:
        dataset = know_classes(std::move(dataset), step.classes);
        break;
      case Kind::drop_isolated:
        dataset = drop_isolated(dataset);
        break;
      case Kind::largest_component:
        dataset = keep_largest_component(dataset);
        break;
      case Kind::row_normalize:
        if (auto* dense = std::get_if<tensor::Matrix>(&dataset.features)) {
          tensor::normalize_rows_l1(*dense);
        } else if (auto* sparse = std::get_if<tensor::SparseMatrix>(&dataset.features)) {
          dataset.features = tensor::normalized_rows_l1(*sparse);
        }
        break;
      case Kind::standardize:
        if (feature_columns(dataset.features) > 0)
          dataset.features = standardized(dense_copy(dataset.features));
        break;
      case Kind::symmetrize:
        dataset.graph = dataset.graph.symmetrized();
        dataset.directed_graph.reset();
        break;
      case Kind::directed:
        if (!dataset.graph.undirected()) break;
        if (!dataset.directed_graph) {
          throw InvalidArgument({.what = fmt::format("'{}' was published undirected", dataset.name),
                                 .where = "prepare directed"});
        }
        dataset.graph = *std::exchange(dataset.directed_graph, std::nullopt);
        break;
      case Kind::reverse:
        dataset.graph = dataset.graph.transposed();
        if (dataset.directed_graph) dataset.directed_graph = dataset.directed_graph->transposed();
        break;
      case Kind::constant_feature: {
        if (feature_columns(dataset.features) > 0) {
          throw InvalidArgument({.what = fmt::format("'{}' has features", dataset.name),
                                 .where = "prepare constant-feature",
                                 .expected = "data without any"});
        }
        tensor::Matrix ones(dataset.nodes(), 1);
        std::ranges::fill(ones.values(), 1.0F);
        dataset.features = std::move(ones);
        break;
      }
    }
  }
  return dataset;
}

}  // namespace privet::graph
