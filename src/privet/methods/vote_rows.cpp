#include "privet/methods/vote_rows.hpp"

#include <cmath>

#include "privet/graph/split.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {

tensor::Matrix vote_rows(const tensor::Matrix& log_probabilities, const std::vector<std::int32_t>& labels,
                         const std::vector<bool>& tell_label) {
  tensor::Matrix rows(log_probabilities.rows(), log_probabilities.columns());
  tensor::softmax_rows(log_probabilities, rows);
  const double classes = static_cast<double>(rows.columns());
  const double scale = 1 / std::sqrt(1 - 1 / classes);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t c = 0; c < rows.columns(); ++c) {
      const double share = tell_label[i] ? (labels[i] == static_cast<std::int32_t>(c) ? 1 : 0)
                                         : static_cast<double>(rows(i, c));
      rows(i, c) = static_cast<float>((share - 1 / classes) * scale);
    }
  }
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
