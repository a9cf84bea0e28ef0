#include "privet/audit/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/graph/split.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::audit {
namespace {

using graph::NodeId;
using tensor::Matrix;

double inner(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
  return sum;
}

void blank_own_rows(methods::Model& model, std::size_t nodes, NodeId person) {
  for (tensor::NamedMatrix& named : model.tensors) {
    if (named.values.rows() == nodes) std::ranges::fill(named.values.row(person), 0.0F);
  }
}

struct RowTensor {
  std::string name;
  const Matrix* values;
};

std::vector<RowTensor> row_tensors(const methods::Model& model, const NeighborPair& pair) {
  const std::size_t nodes = pair.first.nodes();
  std::vector<RowTensor> rows;
  for (const tensor::NamedMatrix& named : model.tensors) {
    if (named.values.rows() == nodes && named.values.columns() > 0)
      rows.push_back({named.name, &named.values});
  }
  return rows;
}

Matrix scores_of(const methods::Method& method, const methods::Model& model, const graph::Dataset& dataset,
                 const privacy::Unit& unit, bool& hidden) {
  const privacy::ProtectedDataset data = privacy::protect(
      dataset, {"audit", std::vector<graph::Role>(dataset.nodes(), graph::Role::none)}, unit);
  const privacy::Guarded<Matrix> scores = method.scores(model, data);
  hidden = scores.is_secret();
  if (!hidden) return scores.visible();
  privacy::ReleaseLog log;
  return privacy::declassify(scores.secret(), "scores of the two worlds",
                             "an adversary who knows both worlds can compute them", log);
}

// ln p - ln(1 - p) of the label, from scores before the softmax.
double logit(std::span<const float> scores, std::int32_t label) {
  if (label < 0) return 0;
  const double own = static_cast<double>(scores[static_cast<std::size_t>(label)]);
  double others = 0;
  double largest = -1e300;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (j != static_cast<std::size_t>(label)) largest = std::max(largest, static_cast<double>(scores[j]));
  }
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (j != static_cast<std::size_t>(label)) others += std::exp(static_cast<double>(scores[j]) - largest);
  }
  return own - largest - std::log(others);
}

void observe_scores(const methods::Method& method, const methods::Model& model, const NeighborPair& pair,
                    const privacy::Unit& unit, Observation& seen) {
  bool hidden = false;
  if (pair.person) {
    for (const bool second : {false, true}) {
      const graph::Dataset& world = second ? pair.second : pair.first;
      const Matrix scores = scores_of(method, model, world, unit, hidden);
      seen[fmt::format("own({})", second ? 2 : 1)] =
          logit(scores.row(*pair.person), world.labels[*pair.person]);
    }
    return;
  }
  const Matrix scores = scores_of(method, model, pair.second, unit, hidden);
  // Scores that are made from protected edges leave for their own nodes only, if at all.
  if (hidden) return;
  for (const ChangedEntry& entry : pair.changed) {
    for (const NodeId end : {entry.row, entry.column})
      seen[fmt::format("label({})", end)] = logit(scores.row(end), pair.second.labels[end]);
  }
}

}  // namespace

double lean(const Matrix& released, const Matrix& summed, const graph::Graph& known,
            const std::vector<ChangedEntry>& changed, std::optional<NodeId> left_out) {
  const std::size_t width = released.columns();
  const auto residual = [&](NodeId i, std::vector<double>& left) {
    for (std::size_t j = 0; j < width; ++j) left[j] = static_cast<double>(released(i, j));
    for (const NodeId k : known.neighbors(i)) {
      for (std::size_t j = 0; j < width; ++j) left[j] -= static_cast<double>(summed(k, j));
    }
  };
  // What was added to every row, such as a bias, shows in those that do not change.
  std::vector<double> offset(width);
  std::vector<double> left(width);
  std::size_t unchanged = 0;
  for (NodeId i = 0; i < known.nodes(); ++i) {
    if ((left_out && i == *left_out) || std::ranges::find(changed, i, &ChangedEntry::row) != changed.end())
      continue;
    residual(i, left);
    for (std::size_t j = 0; j < width; ++j) offset[j] += left[j];
    ++unchanged;
  }
  for (double& value : offset) value /= static_cast<double>(std::max<std::size_t>(1, unchanged));
  double sum = 0;
  double scale = 1e-30;
  for (const ChangedEntry& entry : changed) {
    if (left_out && entry.row == *left_out) continue;
    residual(entry.row, left);
    for (std::size_t j = 0; j < width; ++j) {
      const double other = static_cast<double>(summed(entry.column, j));
      sum += entry.sign * (left[j] - offset[j]) * other;
      scale += other * other;
    }
  }
  return sum / scale;
}

Observation observe(const methods::Method& method, methods::Model model, const NeighborPair& pair,
                    const privacy::Unit& unit) {
  const std::size_t nodes = pair.first.nodes();
  std::optional<NodeId> left_out;
  if (pair.person && unit.excludes_own_row()) {
    left_out = pair.person;
    blank_own_rows(model, nodes, *left_out);
  }
  Observation seen;
  const std::vector<RowTensor> tensors = row_tensors(model, pair);
  for (const RowTensor& released : tensors) {
    for (const RowTensor& summed : tensors) {
      if (&released == &summed || released.values->columns() != summed.values->columns()) continue;
      seen[fmt::format("sum({}, {})", released.name, summed.name)] =
          lean(*released.values, *summed.values, pair.second.graph, pair.changed, left_out);
    }
    if (const auto* dense = std::get_if<Matrix>(&pair.second.features);
        dense != nullptr && dense->columns() == released.values->columns() && !pair.person) {
      seen[fmt::format("sum({}, features)", released.name)] =
          lean(*released.values, *dense, pair.second.graph, pair.changed, left_out);
    }
    if (!pair.changed.empty() && !pair.person) {
      const ChangedEntry& entry = pair.changed.front();
      seen[fmt::format("row({})", released.name)] =
          inner(released.values->row(entry.row), released.values->row(entry.column));
    }
  }
  if (!pair.first.labels.empty()) observe_scores(method, model, pair, unit, seen);
  return seen;
}

}  // namespace privet::audit
