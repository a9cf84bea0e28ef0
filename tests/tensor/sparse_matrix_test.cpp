#include "privet/tensor/sparse_matrix.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "privet/base/error.hpp"

namespace privet::tensor {
namespace {

TEST(SparseMatrix, HoldsRows) {
  const SparseMatrix m(2, 4, {0, 2, 3}, {1, 3, 0}, {2.0F, 3.0F, 4.0F});
  EXPECT_EQ(m.entries(), 3u);
  EXPECT_EQ(m.row_columns(0)[1], 3u);
  EXPECT_EQ(m.value(2), 4.0F);
  EXPECT_FALSE(m.all_ones());
  EXPECT_EQ(SparseMatrix(1, 2, {0, 1}, {1}, {}).value(0), 1.0F);
}

TEST(SparseMatrix, RefusesArraysThatDoNotFit) {
  using V = AlignedVector<float>;
  EXPECT_THROW(SparseMatrix(2, 4, {0, 1}, {0}, V{}), DataError);         // too few offsets
  EXPECT_THROW(SparseMatrix(1, 4, {1, 1}, {0}, V{}), DataError);         // does not start at 0
  EXPECT_THROW(SparseMatrix(1, 4, {0, 2}, {0}, V{}), DataError);         // ends beyond the entries
  EXPECT_THROW(SparseMatrix(2, 4, {0, 9, 1}, {0}, V{}), DataError);      // runs out and back
  EXPECT_THROW(SparseMatrix(1, 4, {0, 1}, {4}, V{}), DataError);         // column out of range
  EXPECT_THROW(SparseMatrix(1, 4, {0, 2}, {1, 1}, V{}), DataError);      // repeated column
  EXPECT_THROW(SparseMatrix(1, 4, {0, 2}, {0, 1}, V{1.0F}), DataError);  // too few values
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(SparseMatrix(1, 4, {0, 1}, {0}, V{nan}), DataError);
}

}  // namespace
}  // namespace privet::tensor
