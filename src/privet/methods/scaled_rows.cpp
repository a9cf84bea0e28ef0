#include "privet/methods/scaled_rows.hpp"

#include <cmath>

#include "privet/tensor/rows.hpp"

namespace privet::methods {

graph::Features scaled_rows(const graph::Features& features, double norm) {
  if (norm == 0) return features;
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) {
    tensor::Matrix rows = *dense;
    tensor::normalize_rows_l2(rows, rows);
    for (float& value : rows.values()) value *= static_cast<float>(norm);
    return rows;
  }
  const auto* sparse = std::get_if<tensor::SparseMatrix>(&features);
  if (sparse == nullptr) return features;
  std::vector<double> squares(sparse->rows());
  tensor::squared_row_norms(*sparse, squares);
  tensor::AlignedVector<float> values(sparse->entries());
  for (std::size_t i = 0; i < sparse->rows(); ++i) {
    const double factor = squares[i] > 0 ? norm / std::sqrt(squares[i]) : 0;
    for (std::uint64_t k = sparse->offsets()[i]; k < sparse->offsets()[i + 1]; ++k)
      values[k] = static_cast<float>(static_cast<double>(sparse->value(k)) * factor);
  }
  return tensor::SparseMatrix(
      sparse->rows(), sparse->columns(), {sparse->offsets().begin(), sparse->offsets().end()},
      {sparse->column_indices().begin(), sparse->column_indices().end()}, std::move(values));
}

}  // namespace privet::methods
