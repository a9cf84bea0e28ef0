#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "privet/tensor/matrix.hpp"

namespace privet::tensor {

/// A sparse matrix of float32 in compressed rows: 64-bit row offsets, 32-bit columns that ascend within a
/// row. A matrix whose entries are all 1 stores no values (a bag of words, an adjacency).
class SparseMatrix {
 public:
  SparseMatrix() = default;
  /// Takes the three arrays and checks them: offsets start at 0, never fall and end at the number of columns
  /// given; columns ascend strictly within a row and stay below `columns`; values are finite and as many as
  /// the columns, or none. A fault is a DataError that begins with `where`.
  SparseMatrix(std::size_t rows, std::size_t columns, std::vector<std::uint64_t> offsets,
               std::vector<std::uint32_t> column_indices, AlignedVector<float> values,
               const std::string& where = "sparse matrix");

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t entries() const noexcept { return column_indices_.size(); }
  [[nodiscard]] bool all_ones() const noexcept { return values_.empty(); }

  [[nodiscard]] std::span<const std::uint64_t> offsets() const noexcept { return offsets_; }
  [[nodiscard]] std::span<const std::uint32_t> column_indices() const noexcept { return column_indices_; }
  /// Empty when all_ones().
  [[nodiscard]] std::span<const float> values() const noexcept { return values_; }
  [[nodiscard]] float value(std::size_t entry) const noexcept {
    return values_.empty() ? 1.0F : values_[entry];
  }

  [[nodiscard]] std::span<const std::uint32_t> row_columns(std::size_t i) const {
    return std::span(column_indices_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }

  /// Rows become columns; linear time.
  [[nodiscard]] SparseMatrix transposed() const;

  bool operator==(const SparseMatrix&) const = default;

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<std::uint64_t> offsets_ = {0};
  std::vector<std::uint32_t> column_indices_;
  AlignedVector<float> values_;
};

}  // namespace privet::tensor
