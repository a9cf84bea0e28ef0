#pragma once

#include "privet/tensor/view.hpp"

namespace privet::nn {

/// The rows that a layer reads: dense, or sparse features (the first layer only).
struct Input {
  tensor::ConstMatrixView dense;
  tensor::SparseView sparse;
  bool is_sparse = false;
  /// Squared norms of the rows, where somebody knows them already: private training asks for them every step.
  const double* squared_norms = nullptr;

  Input() = default;
  Input(tensor::ConstMatrixView rows_of) : dense(rows_of) {}  // NOLINT(google-explicit-constructor)
  Input(tensor::SparseView rows_of)                           // NOLINT(google-explicit-constructor)
      : sparse(rows_of), is_sparse(true) {}

  [[nodiscard]] std::size_t rows() const noexcept { return is_sparse ? sparse.rows : dense.rows; }
  [[nodiscard]] std::size_t columns() const noexcept { return is_sparse ? sparse.columns : dense.columns; }
};

}  // namespace privet::nn
