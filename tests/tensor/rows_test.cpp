#include "privet/tensor/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <cmath>
#include <cstdint>
#include <limits>

#include "privet/base/error.hpp"
#include "tensor/reference.hpp"

namespace privet::tensor {
namespace {

using testing::at;
using testing::random_matrix;

constexpr std::size_t kWidths[] = {1, 2, 3, 7, 8, 15, 16, 17, 33, 67, 200};

double norm(std::span<const float> row) {
  double squares = 0;
  for (const float value : row) squares += static_cast<double>(value) * value;
  return std::sqrt(squares);
}

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

TEST(NormalizeRows, ToEuclideanNormOneOnEveryInstructionSet) {
  SeededStream stream(2);
  testing::on_every_instruction_set([&] {
    for (const std::size_t columns : kWidths) {
      Matrix wide = random_matrix(6, columns + 5, stream);
      const auto x = testing::inner_columns(wide);
      for (float& value : x.row(3)) value = 0;
      for (float& value : x.row(4)) value = std::abs(value) * 1e-42F + 1e-42F;  // 1 / norm overflows
      for (float& value : x.row(5)) value = std::abs(value) * 1e37F + 1e37F;    // its square does
      Matrix out(6, columns);
      std::vector<float> norms(6);
      normalize_rows_l2(x, out, norms);
      for (std::size_t i = 0; i < 6; ++i) {
        const double expected = norm(x.row(i));
        ASSERT_NEAR(norms[i], expected, 1e-7 * expected + 0x1p-150);  // half of float's smallest step
        for (std::size_t j = 0; j < columns; ++j)
          ASSERT_NEAR(out(i, j), i == 3 ? 0.0 : at(x, i, j) / expected, 3e-7) << "row " << i;
      }
      normalize_rows_l2(x, x);
      for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < columns; ++j) ASSERT_EQ(at(x, i, j), out(i, j));
      }
    }
  });
}

TEST(NormalizeRows, GradientIsTheDifferenceQuotient) {
  SeededStream stream(3);
  testing::on_every_instruction_set([&] {
    for (const std::size_t columns : kWidths) {
      const Matrix x = random_matrix(4, columns, stream);
      const Matrix weights = random_matrix(4, columns, stream);  // loss = sum of weights * normalised x
      Matrix out(4, columns);
      std::vector<float> norms(4);
      normalize_rows_l2(x, out, norms);
      Matrix error = weights;
      normalize_rows_l2_backward(out, norms, error);
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          // By hand: (w_j - u_j <u, w>) / |x|.
          double along = 0;
          for (std::size_t k = 0; k < columns; ++k)
            along += static_cast<double>(x(i, k)) / norm(x.row(i)) * weights(i, k);
          const double expected = (weights(i, j) - x(i, j) / norm(x.row(i)) * along) / norm(x.row(i));
          ASSERT_NEAR(error(i, j), expected, 2e-6 / norm(x.row(i)));
        }
      }
    }
  });
}

TEST(NormalizeRows, NoGradientThroughAZeroRow) {
  Matrix zero(1, 3);
  std::vector<float> norms = {0};
  Matrix error(1, 3);
  error(0, 1) = 5;
  normalize_rows_l2_backward(zero, norms, error);
  EXPECT_EQ(error, Matrix(1, 3));
}

TEST(ProjectRows, NeverLeavesANormAboveTheRadiusOnEveryInstructionSet) {
  SeededStream stream(4);
  testing::on_every_instruction_set([&] {
    for (const std::size_t columns : kWidths) {
      for (const float radius : {0.3F, 1.0F, 7.77F, 1e-12F, 3e15F}) {
        Matrix x = random_matrix(50, columns, stream);
        for (std::size_t i = 0; i < 50; ++i) {
          // From just around the radius to far beyond.
          const auto size = static_cast<float>(radius * std::pow(10.0, 0.4 * static_cast<double>(i) - 0.5));
          const auto scale = static_cast<float>(i < 5 ? radius / norm(x.row(i)) : size);
          for (float& value : x.row(i)) value *= scale;
        }
        const Matrix before = x;
        project_rows(x, radius);
        for (std::size_t i = 0; i < 50; ++i) {
          ASSERT_LE(norm(x.row(i)), radius);
          const double factor = std::min(1.0, radius / norm(before.row(i)));
          for (std::size_t j = 0; j < columns; ++j)
            ASSERT_NEAR(x(i, j), before(i, j) * factor, 4e-7 * radius) << "row " << i;
          if (norm(before.row(i)) <= radius) {
            for (std::size_t j = 0; j < columns; ++j) ASSERT_EQ(x(i, j), before(i, j));
          }
        }
      }
    }
  });
}

TEST(ProjectRows, WhatIsNotFiniteBecomesZero) {
  Matrix x(2, 3);
  x(0, 0) = std::numeric_limits<float>::infinity();
  x(0, 1) = 1;
  x(1, 2) = std::numeric_limits<float>::quiet_NaN();
  project_rows(x, 1);
  EXPECT_EQ(x, Matrix(2, 3));
  EXPECT_THROW(project_rows(x, -1), InvalidArgument);
  EXPECT_THROW(project_rows(x, std::numeric_limits<float>::quiet_NaN()), InvalidArgument);
}

TEST(ProjectRows, HugeRowsAndTinyBallsEndInsideToo) {
  SeededStream stream(9);
  testing::on_every_instruction_set([&] {
    for (const float radius : {1.0F, 1e-30F, std::numeric_limits<float>::denorm_min(), 0.0F}) {
      for (const float size : {1.0F, 3e38F}) {
        Matrix x(20, 300);
        for (float& value : x.values()) value = size * static_cast<float>(0.3 + 0.7 * stream.uniform());
        project_rows(x, radius);
        for (std::size_t i = 0; i < x.rows(); ++i) ASSERT_LE(norm(x.row(i)), radius) << radius << " " << size;
      }
    }
  });
}

TEST(SquaredNorms, AreAddedUpInDoublePrecisionOnEveryInstructionSet) {
  SeededStream stream(5);
  testing::on_every_instruction_set([&] {
    for (const std::size_t columns : kWidths) {
      const Matrix wide = random_matrix(5, columns + 5, stream);
      const auto x = testing::inner_columns(wide);
      std::vector<double> norms(5);
      squared_row_norms(x, norms);
      for (std::size_t i = 0; i < 5; ++i) {
        const double expected = norm(x.row(i)) * norm(x.row(i));
        ASSERT_NEAR(norms[i], expected, 1e-14 * expected);
      }
    }
    const SparseMatrix sparse(3, 9, {0, 3, 3, 4}, {0, 4, 8, 2}, {1.5F, -2.0F, 3.0F, 0.25F});
    std::vector<double> norms(3);
    squared_row_norms(sparse, norms);
    EXPECT_EQ(norms, (std::vector<double>{15.25, 0, 0.0625}));
    squared_row_norms(SparseMatrix(3, 9, {0, 3, 3, 4}, {0, 4, 8, 2}, {}), norms);
    EXPECT_EQ(norms, (std::vector<double>{3, 0, 1}));
  });
}

TEST(ScaleRows, OnEveryInstructionSet) {
  SeededStream stream(6);
  testing::on_every_instruction_set([&] {
    for (const std::size_t columns : kWidths) {
      const Matrix wide = random_matrix(3, columns + 5, stream);
      const auto x = testing::inner_columns(wide);
      const std::vector<float> factors = {2, -0.5F, 0};
      Matrix out(3, columns);
      scale_rows(x, factors, out);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < columns; ++j) ASSERT_EQ(out(i, j), at(x, i, j) * factors[i]);
      }
    }
  });
}

TEST(ColumnSums, AndRowsAddedToAll) {
  SeededStream stream(7);
  testing::on_every_instruction_set([&] {
    for (const std::size_t columns : kWidths) {
      const Matrix wide = random_matrix(40, columns + 5, stream);
      const auto x = testing::inner_columns(wide);
      std::vector<float> sum(columns, 0.25F);
      std::vector<float> expected = sum;
      for (std::size_t i = 0; i < x.rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) expected[j] += at(x, i, j);
      }
      add_column_sums(x, sum);
      ASSERT_EQ(sum, expected);  // in order, so to the last bit

      Matrix out = random_matrix(40, columns + 5, stream);
      const Matrix before = out;
      add_to_rows(sum, testing::inner_columns(out));
      for (std::size_t i = 0; i < 40; ++i) {
        ASSERT_EQ(out(i, 1), before(i, 1));
        ASSERT_EQ(out(i, columns + 2), before(i, columns + 2));
        for (std::size_t j = 0; j < columns; ++j) ASSERT_EQ(out(i, j + 2), before(i, j + 2) + sum[j]);
      }
    }
  });
}

TEST(Rows, SameBytesOnAnyNumberOfThreads) {
  SeededStream stream(8);
  const Matrix x = random_matrix(3000, 70, stream);
  const auto [one, three] = testing::on_one_and_three_threads([&] {
    std::vector<Matrix> all = {Matrix(3000, 70), x, Matrix(1, 70), x};
    normalize_rows_l2(x, all[0]);
    project_rows(all[1], 3.0F);
    add_column_sums(x, all[2].values());
    add_to_rows(x.row(5), all[3]);
    return all;
  });
  EXPECT_EQ(one, three);
}

TEST(Rows, RefuseSizesThatDoNotFit) {
  const Matrix x(3, 4);
  Matrix narrow(3, 2);
  Matrix same(3, 4);
  std::vector<float> two(2);
  std::vector<double> two_doubles(2);
  EXPECT_THROW(normalize_rows_l2(x, narrow), InvalidArgument);
  EXPECT_THROW(normalize_rows_l2(x, same, two), InvalidArgument);
  EXPECT_THROW(normalize_rows_l2_backward(x, two, same), InvalidArgument);
  EXPECT_THROW(squared_row_norms(x, two_doubles), InvalidArgument);
  EXPECT_THROW(scale_rows(x, two, same), InvalidArgument);
  EXPECT_THROW(add_to_rows(two, same), InvalidArgument);
  EXPECT_THROW(add_column_sums(x, two), InvalidArgument);
}

TEST(Matrix, StartsOnACacheLineAsZeros) {
  const Matrix m(3, 5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.values().data()) % kAlignment, 0u);
  EXPECT_EQ(m(2, 4), 0.0F);
}

TEST(InstructionSet, HasAName) { EXPECT_FALSE(instruction_set().empty()); }

TEST(Rows, EveryFiniteRowHasAFiniteNormalization) {
  Matrix rows(3, 4);
  std::ranges::fill(rows.row(0), 1e-44F);
  std::ranges::fill(rows.row(1), std::numeric_limits<float>::max());
  rows(2, 1) = std::numeric_limits<float>::denorm_min();
  normalize_rows_l1(rows);
  for (const float value : rows.values()) ASSERT_TRUE(std::isfinite(value));
  EXPECT_FLOAT_EQ(rows(0, 0), 0.25F);
  EXPECT_FLOAT_EQ(rows(1, 3), 0.25F);
  EXPECT_FLOAT_EQ(rows(2, 1), 1.0F);
}

}  // namespace
}  // namespace privet::tensor
