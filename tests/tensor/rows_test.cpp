#include "privet/tensor/rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "privet/base/random.hpp"

namespace privet::tensor {
namespace {

TEST(NormalizeRows, AbsoluteValuesAddUpToOneAndZeroRowsStay) {
  SeededStream stream(1);
  for (const std::size_t columns : {1u, 3u, 16u, 67u}) {
    Matrix m(5, columns);
    for (std::size_t i = 0; i < 4; ++i) {
      for (float& value : m.row(i)) value = static_cast<float>(stream.uniform() - 0.5);
    }
    const Matrix before = m;
    normalize_rows_l1(m);
    for (std::size_t i = 0; i < 4; ++i) {
      double sum = 0;
      for (const float value : before.row(i)) sum += std::abs(value);
      for (std::size_t j = 0; j < columns; ++j) EXPECT_NEAR(m(i, j), before(i, j) / sum, 1e-6);
    }
    for (const float value : m.row(4)) EXPECT_EQ(value, 0.0F);
  }
}

TEST(NormalizeRows, SparseRowsLikeDenseOnes) {
  const SparseMatrix m = normalized_rows_l1(SparseMatrix(3, 4, {0, 2, 2, 3}, {1, 3, 0}, {}));
  EXPECT_EQ(m.value(0), 0.5F);
  EXPECT_EQ(m.value(1), 0.5F);
  EXPECT_EQ(m.value(2), 1.0F);
}

TEST(Matrix, StartsOnACacheLineAsZeros) {
  const Matrix m(3, 5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.values().data()) % kAlignment, 0u);
  EXPECT_EQ(m(2, 4), 0.0F);
}

TEST(InstructionSet, HasAName) { EXPECT_FALSE(instruction_set().empty()); }

}  // namespace
}  // namespace privet::tensor
