#include "privet/learn/vote_rows.hpp"

#include <algorithm>
#include <cmath>

#include "privet/graph/split.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {

tensor::Matrix class_shares(const tensor::Matrix& log_probabilities, const std::vector<std::int32_t>& labels,
                            const std::vector<bool>& tell_label) {
  tensor::Matrix rows(log_probabilities.rows(), log_probabilities.columns());
  tensor::softmax_rows(log_probabilities, rows);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (!tell_label[i]) continue;
    std::ranges::fill(rows.row(i), 0.0F);
    rows(i, static_cast<std::size_t>(labels[i])) = 1;
  }
  return rows;
}

void centre_rows(tensor::Matrix& rows) {
  const double classes = static_cast<double>(rows.columns());
  const double scale = 1 / std::sqrt(1 - 1 / classes);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double sum = 0;
    for (const float one : rows.row(i)) sum += static_cast<double>(one);
    for (float& one : rows.row(i))
      one = static_cast<float>((static_cast<double>(one) - sum / classes) * scale);
  }
}

tensor::Matrix vote_rows(const tensor::Matrix& log_probabilities, const std::vector<std::int32_t>& labels,
                         const std::vector<bool>& tell_label) {
  tensor::Matrix rows = class_shares(log_probabilities, labels, tell_label);
  centre_rows(rows);
  return rows;
}

CombinerRows combiner_rows(std::vector<graph::NodeId> rows, const graph::Split& split, RandomStream& stream) {
  std::vector<graph::NodeId> validation = split.nodes(graph::Role::validation);
  if (!validation.empty()) return {std::move(rows), std::move(validation)};
  graph::shuffle(rows, stream);
  const auto fifth = static_cast<std::ptrdiff_t>((rows.size() + 4) / 5);
  return {{rows.begin() + fifth, rows.end()}, {rows.begin(), rows.begin() + fifth}};
}

}  // namespace privet::methods
