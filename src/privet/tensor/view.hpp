#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "privet/tensor/matrix.hpp"
#include "privet/tensor/sparse_matrix.hpp"

namespace privet::tensor {

/// Rows of float32 that somebody else owns: row i begins `stride` numbers after row i - 1. Kernels take
/// views, so that a slice of a parameter vector, some columns of a matrix and a whole matrix are all the
/// same to them.
template <typename T>
struct BasicView {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;

  BasicView() = default;
  BasicView(T* first, std::size_t row_count, std::size_t column_count, std::size_t row_stride)
      : data(first), rows(row_count), columns(column_count), stride(row_stride) {}
  /// Rows without gaps.
  BasicView(T* first, std::size_t row_count, std::size_t column_count)
      : BasicView(first, row_count, column_count, column_count) {}
  BasicView(Matrix& matrix)  // NOLINT(google-explicit-constructor): a matrix is a view of itself
      : BasicView(matrix.values().data(), matrix.rows(), matrix.columns()) {}
  BasicView(const Matrix& matrix)  // NOLINT(google-explicit-constructor)
      requires std::is_const_v<T> : BasicView(matrix.values().data(), matrix.rows(), matrix.columns()) {}
  template <typename U>
  BasicView(const BasicView<U>& other)  // NOLINT(google-explicit-constructor)
      requires(std::is_const_v<T>&& std::is_same_v<const U, T>)
      : BasicView(other.data, other.rows, other.columns, other.stride) {}

  [[nodiscard]] std::span<T> row(std::size_t i) const { return {data + i * stride, columns}; }
  [[nodiscard]] BasicView row_range(std::size_t first, std::size_t count) const {
    return {data + first * stride, count, columns, stride};
  }
  [[nodiscard]] BasicView column_range(std::size_t first, std::size_t count) const {
    return {data + first, rows, count, stride};
  }
};

using MatrixView = BasicView<float>;
using ConstMatrixView = BasicView<const float>;

/// Rows of a sparse matrix: row i holds the entries from begin[i] to end[i]. A batch is a choice of rows
/// and copies no entries.
struct SparseView {
  std::size_t rows = 0;
  std::size_t columns = 0;
  const std::uint64_t* begin = nullptr;
  const std::uint64_t* end = nullptr;
  const std::uint32_t* column_indices = nullptr;
  const float* values = nullptr;  ///< null when all entries are 1

  SparseView() = default;
  SparseView(const SparseMatrix& matrix)  // NOLINT(google-explicit-constructor): all rows, in order
      : rows(matrix.rows()),
        columns(matrix.columns()),
        begin(matrix.offsets().data()),
        end(matrix.offsets().data() + 1),
        column_indices(matrix.column_indices().data()),
        values(matrix.all_ones() ? nullptr : matrix.values().data()) {}

  [[nodiscard]] float value(std::uint64_t entry) const noexcept {
    return values == nullptr ? 1.0F : values[entry];
  }
};

}  // namespace privet::tensor
