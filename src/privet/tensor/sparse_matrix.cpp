#include "privet/tensor/sparse_matrix.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "privet/base/error.hpp"

namespace privet::tensor {

SparseMatrix::SparseMatrix(std::size_t rows, std::size_t columns, std::vector<std::uint64_t> offsets,
                           std::vector<std::uint32_t> column_indices, AlignedVector<float> values,
                           const std::string& where)
    : rows_(rows),
      columns_(columns),
      offsets_(std::move(offsets)),
      column_indices_(std::move(column_indices)),
      values_(std::move(values)) {
  if (offsets_.size() != rows_ + 1) {
    throw DataError({.what = fmt::format("{} row offsets", offsets_.size()),
                     .where = where,
                     .expected = fmt::format("{}, one more than rows", rows_ + 1)});
  }
  if (offsets_.front() != 0 || offsets_.back() != column_indices_.size()) {
    throw DataError({.what = fmt::format("row offsets run from {} to {}", offsets_.front(), offsets_.back()),
                     .where = where,
                     .expected = fmt::format("0 to {}", column_indices_.size())});
  }
  if (!values_.empty() && values_.size() != column_indices_.size()) {
    throw DataError({.what = fmt::format("{} values for {} entries", values_.size(), column_indices_.size()),
                     .where = where});
  }
  for (std::size_t i = 0; i < rows_; ++i) {
    if (offsets_[i + 1] < offsets_[i] || offsets_[i + 1] > column_indices_.size()) {
      throw DataError(
          {.what = fmt::format("row offset {} is {} after {}", i + 1, offsets_[i + 1], offsets_[i]),
           .where = where,
           .expected = "offsets that never fall"});
    }
    for (std::uint64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
      if (column_indices_[k] >= columns_) {
        throw DataError({.what = fmt::format("row {} has column {}", i, column_indices_[k]),
                         .where = where,
                         .expected = fmt::format("columns below {}", columns_)});
      }
      if (k > offsets_[i] && column_indices_[k] <= column_indices_[k - 1]) {
        throw DataError({.what = fmt::format("row {} has column {} after {}", i, column_indices_[k],
                                             column_indices_[k - 1]),
                         .where = where,
                         .expected = "columns that ascend within a row"});
      }
    }
  }
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (!std::isfinite(values_[k])) {
      throw DataError({.what = fmt::format("entry {} is {}", k, values_[k]),
                       .where = where,
                       .expected = "finite numbers"});
    }
  }
}

SparseMatrix SparseMatrix::transposed() const {
  SparseMatrix turned;
  turned.rows_ = columns_;
  turned.columns_ = rows_;
  turned.offsets_.assign(columns_ + 1, 0);
  for (const std::uint32_t column : column_indices_) ++turned.offsets_[column + 1];
  for (std::size_t j = 0; j < columns_; ++j) turned.offsets_[j + 1] += turned.offsets_[j];
  turned.column_indices_.resize(entries());
  turned.values_.resize(values_.size());
  std::vector<std::uint64_t> place(turned.offsets_);
  // Rows are visited in ascending order, so every row of the result comes out sorted.
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::uint64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
      const std::uint64_t to = place[column_indices_[k]]++;
      turned.column_indices_[to] = static_cast<std::uint32_t>(i);
      if (!values_.empty()) turned.values_[to] = values_[k];
    }
  }
  return turned;
}

}  // namespace privet::tensor
