#include "privet/tensor/dense_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "privet/base/error.hpp"
#include "tensor/reference.hpp"

namespace privet::tensor {
namespace {

using testing::at;
using testing::random_matrix;

struct Shape {
  std::size_t rows, inner, columns;
};

enum class Turn { none, first, second };

void multiply(Turn turn, ConstMatrixView a, ConstMatrixView b, MatrixView out, float keep) {
  if (turn == Turn::none) return product(a, b, out, keep);
  if (turn == Turn::first) return transposed_product(a, b, out, keep);
  product_transposed(a, b, out, keep);
}

// Factors that are parts of wider matrices, so that their rows have gaps.
void expect_reference(Turn turn, Shape shape, float keep, RandomStream& stream) {
  const bool turn_a = turn == Turn::first;
  const bool turn_b = turn == Turn::second;
  const Matrix wide_a =
      random_matrix(turn_a ? shape.inner : shape.rows, (turn_a ? shape.rows : shape.inner) + 5, stream);
  const Matrix wide_b =
      random_matrix(turn_b ? shape.columns : shape.inner, (turn_b ? shape.inner : shape.columns) + 5, stream);
  Matrix wide_out = random_matrix(shape.rows, shape.columns + 5, stream);
  const Matrix before = wide_out;
  const auto a = testing::inner_columns(wide_a);
  const auto b = testing::inner_columns(wide_b);
  const auto out = testing::inner_columns(wide_out);
  multiply(turn, a, b, out, keep);
  for (std::size_t i = 0; i < shape.rows; ++i) {
    for (std::size_t j = 0; j < shape.columns; ++j) {
      const double kept = keep == 0 ? 0 : static_cast<double>(keep) * at(before, i, j + 2);
      double sum = kept;
      double size = std::abs(kept);
      for (std::size_t k = 0; k < shape.inner; ++k) {
        const double term = static_cast<double>(turn_a ? at(a, k, i) : at(a, i, k)) *
                            static_cast<double>(turn_b ? at(b, j, k) : at(b, k, j));
        sum += term;
        size += std::abs(term);
      }
      // However the terms are ordered, each takes part in at most inner + 2 roundings.
      const double tolerance = static_cast<double>(shape.inner + 2) * 0x1p-24 * size;
      ASSERT_NEAR(at(out, i, j), sum, tolerance) << shape.rows << 'x' << shape.inner << 'x' << shape.columns;
    }
    for (const std::size_t gap : {std::size_t{0}, std::size_t{1}, shape.columns + 2, shape.columns + 4}) {
      ASSERT_EQ(wide_out(i, gap), before(i, gap)) << "outside of out";
    }
  }
}

TEST(DenseProduct, AgreesWithTheReference) {
  SeededStream stream(1);
  for (const Turn turn : {Turn::none, Turn::first, Turn::second}) {
    for (const Shape shape : {Shape{1, 1, 1}, Shape{7, 3, 5}, Shape{16, 16, 16}, Shape{1, 40, 9},
                              Shape{33, 1, 64}, Shape{130, 70, 64}, Shape{500, 64, 7}, Shape{97, 300, 33}}) {
      for (const float keep : {0.0F, 1.0F, 0.5F}) expect_reference(turn, shape, keep, stream);
    }
  }
}

TEST(DenseProduct, EmptySums) {
  const Matrix a(3, 0);
  const Matrix b(0, 2);
  Matrix out(3, 2);
  for (float& value : out.values()) value = 4;
  product(a, b, out, 1);
  EXPECT_EQ(out(2, 1), 4.0F);
  transposed_product(Matrix(0, 3), b, out, 0.5F);
  EXPECT_EQ(out(2, 1), 2.0F);
  product_transposed(a, Matrix(2, 0), out);
  EXPECT_EQ(out(2, 1), 0.0F);
}

TEST(DenseProduct, EmptyResults) {
  Matrix none(0, 4);
  product(Matrix(0, 3), Matrix(3, 4), none);
  Matrix narrow(4, 0);
  product(Matrix(4, 3), Matrix(3, 0), narrow);
  Matrix nothing;
  product(nothing, nothing, nothing);
}

TEST(DenseProduct, OverwritesEvenWhatIsNoNumber) {
  Matrix one(1, 1);
  one(0, 0) = 2;
  Matrix out(1, 1);
  out(0, 0) = std::numeric_limits<float>::quiet_NaN();
  product(one, one, out);
  EXPECT_EQ(out(0, 0), 4.0F);
  out(0, 0) = std::numeric_limits<float>::quiet_NaN();
  product(Matrix(1, 0), Matrix(0, 1), out);
  EXPECT_EQ(out(0, 0), 0.0F);
}

TEST(DenseProduct, SameBytesOnAnyNumberOfThreads) {
  SeededStream stream(2);
  const Matrix a = random_matrix(1000, 300, stream);
  const Matrix b = random_matrix(300, 24, stream);
  const Matrix c = random_matrix(1000, 24, stream);
  const auto [one, three] = testing::on_one_and_three_threads([&] {
    std::vector<Matrix> all = {Matrix(1000, 24), Matrix(300, 24), Matrix(1000, 300)};
    product(a, b, all[0]);
    transposed_product(a, c, all[1]);
    product_transposed(c, b, all[2]);
    return all;
  });
  EXPECT_EQ(one, three);
}

TEST(DenseProduct, RefusesSizesThatDoNotFit) {
  Matrix out(4, 5);
  EXPECT_THROW(product(Matrix(4, 3), Matrix(2, 5), out), InvalidArgument);
  EXPECT_THROW(product(Matrix(3, 3), Matrix(3, 5), out), InvalidArgument);
  EXPECT_THROW(transposed_product(Matrix(4, 3), Matrix(4, 5), out), InvalidArgument);
  EXPECT_THROW(product_transposed(Matrix(4, 3), Matrix(3, 5), out), InvalidArgument);
}

TEST(DenseProduct, ARowsResultDoesNotDependOnItsPlaceOrOnOtherRows) {
  SeededStream stream(21);
  for (const auto& [inner, columns] :
       {std::pair<std::size_t, std::size_t>{300, 64}, {1433, 64}, {1000, 128}, {100, 40}, {64, 7}, {7, 64}}) {
    for (const Turn turn : {Turn::none, Turn::second}) {
      const Matrix b =
          turn == Turn::none ? random_matrix(inner, columns, stream) : random_matrix(columns, inner, stream);
      const Matrix row = random_matrix(1, inner, stream);
      Matrix alone(1, columns);
      multiply(turn, row, b, alone, 0);
      for (const std::size_t rows :
           {2U, 7U, 31U, 47U, 48U, 49U, 95U, 127U, 143U, 144U, 145U, 300U, 1000U, 2049U}) {
        Matrix a = random_matrix(rows, inner, stream);
        for (const std::size_t place : {std::size_t{0}, rows / 3, rows / 2, rows - 1}) {
          std::ranges::copy(row.row(0), a.row(place).begin());
          Matrix out(rows, columns);
          multiply(turn, a, b, out, 0);
          ASSERT_TRUE(std::ranges::equal(out.row(place), alone.row(0)))
              << "row " << place << " of " << rows << ", " << inner << " x " << columns;
        }
      }
    }
  }
}

}  // namespace
}  // namespace privet::tensor
