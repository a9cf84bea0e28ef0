#include "privet/audit/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/core/protected_dataset.hpp"

namespace privet::audit {
namespace {

using graph::NodeId;
using tensor::Matrix;

double inner(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
  return sum;
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
  if (pair.person) {
    for (const bool second : {false, true}) {
      const std::vector<double> logits = label_logits(method, model, second ? pair.second : pair.first, unit);
      if (!logits.empty()) seen[fmt::format("own({})", second ? 2 : 1)] = logits[*pair.person];
    }
    return;
  }
  const std::vector<double> logits = label_logits(method, model, pair.second, unit);
  if (logits.empty()) return;
  for (const ChangedEntry& entry : pair.changed) {
    for (const NodeId end : {entry.row, entry.column}) seen[fmt::format("label({})", end)] = logits[end];
  }
}

}  // namespace

Lean::Lean(const Matrix& released, const Matrix& summed, const graph::Graph& known,
           std::optional<NodeId> left_out)
    : summed_(summed), left_(released.rows() * released.columns()) {
  const std::size_t width = released.columns();
  std::vector<double> offset(width);
  for (NodeId i = 0; i < known.nodes(); ++i) {
    const std::span<double> row = std::span(left_).subspan(i * width, width);
    for (std::size_t j = 0; j < width; ++j) row[j] = static_cast<double>(released(i, j));
    for (const NodeId k : known.neighbors(i)) {
      for (std::size_t j = 0; j < width; ++j) row[j] -= static_cast<double>(summed(k, j));
    }
    if (left_out && i == *left_out) continue;
    for (std::size_t j = 0; j < width; ++j) offset[j] += row[j];
  }
  const auto rows = static_cast<double>(known.nodes() - (left_out ? 1 : 0));
  for (NodeId i = 0; i < known.nodes(); ++i) {
    for (std::size_t j = 0; j < width; ++j) left_[i * width + j] -= offset[j] / rows;
  }
}

double Lean::along(NodeId row, NodeId column) const {
  const std::size_t width = summed_.columns();
  double sum = 0;
  for (std::size_t j = 0; j < width; ++j)
    sum += left_[row * width + j] * static_cast<double>(summed_(column, j));
  return sum;
}

double Lean::square(NodeId column) const { return inner(summed_.row(column), summed_.row(column)); }

double lean(const Matrix& released, const Matrix& summed, const graph::Graph& known,
            const std::vector<ChangedEntry>& changed, std::optional<NodeId> left_out) {
  const Lean rows(released, summed, known, left_out);
  double sum = 0;
  double scale = 1e-30;
  for (const ChangedEntry& entry : changed) {
    if (left_out && entry.row == *left_out) continue;
    sum += entry.sign * rows.along(entry.row, entry.column);
    scale += rows.square(entry.column);
  }
  return sum / scale;
}

std::vector<double> label_logits(const methods::Method& method, const methods::Model& model,
                                 const graph::Dataset& dataset, const privacy::Unit& unit) {
  if (dataset.labels.empty()) return {};
  const privacy::ProtectedDataset data = privacy::protect(
      dataset, {"audit", std::vector<graph::Role>(dataset.nodes(), graph::Role::none)}, unit);
  const privacy::Guarded<Matrix> scores = method.scores(model, data);
  // Scores that are made from protected edges leave for their own nodes only, if at all.
  if (scores.is_secret() && !unit.protects_features()) return {};
  privacy::ReleaseLog log;
  const Matrix seen = scores.is_secret()
                          ? privacy::declassify(scores.secret(), "scores of known records",
                                                "an adversary who knows the records can compute them", log)
                          : scores.visible();
  std::vector<double> logits;
  for (NodeId i = 0; i < dataset.nodes(); ++i) logits.push_back(logit(seen.row(i), dataset.labels[i]));
  return logits;
}

void blank_own_row(methods::Model& model, std::size_t nodes, NodeId node) {
  for (tensor::NamedMatrix& named : model.tensors) {
    if (named.values.rows() == nodes) std::ranges::fill(named.values.row(node), 0.0F);
  }
}

double cosine(std::span<const float> a, std::span<const float> b) {
  const double size = std::sqrt(inner(a, a) * inner(b, b));
  return size > 0 ? inner(a, b) / size : 0;
}

Observation observe(const methods::Method& method, methods::Model model, const NeighborPair& pair,
                    const privacy::Unit& unit) {
  const std::size_t nodes = pair.first.nodes();
  std::optional<NodeId> left_out;
  if (pair.person && unit.excludes_own_row()) {
    left_out = pair.person;
    blank_own_row(model, nodes, *left_out);
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
          cosine(released.values->row(entry.row), released.values->row(entry.column));
    }
  }
  observe_scores(method, model, pair, unit, seen);
  return seen;
}

}  // namespace privet::audit
