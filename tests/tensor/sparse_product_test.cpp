#include "privet/tensor/sparse_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "privet/base/error.hpp"
#include "tensor/reference.hpp"

namespace privet::tensor {
namespace {

using testing::random_matrix;

SparseMatrix random_sparse(std::size_t rows, std::size_t columns, double density, bool ones,
                           RandomStream& stream) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> indices;
  AlignedVector<float> values;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (stream.uniform() >= density) continue;
      indices.push_back(static_cast<std::uint32_t>(j));
      if (!ones) values.push_back(static_cast<float>(stream.uniform() - 0.5));
    }
    offsets.push_back(indices.size());
  }
  return {rows, columns, std::move(offsets), std::move(indices), std::move(values)};
}

// The five-line references.
double entry(const SparseView& a, const ConstMatrixView& x, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::uint64_t k = a.begin[i]; k < a.end[i]; ++k) {
    sum += static_cast<double>(a.value(k)) * testing::at(x, a.column_indices[k], j);
  }
  return sum;
}

double transposed_entry(const SparseView& a, const ConstMatrixView& x, std::size_t c, std::size_t j) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::uint64_t k = a.begin[i]; k < a.end[i]; ++k) {
      if (a.column_indices[k] == c) sum += static_cast<double>(a.value(k)) * testing::at(x, i, j);
    }
  }
  return sum;
}

// Some rows of a matrix, out of order and one of them twice.
struct Batch {
  std::vector<std::uint64_t> begin;
  std::vector<std::uint64_t> end;
  SparseView view;

  Batch(const SparseMatrix& matrix, const std::vector<std::size_t>& rows) : view(matrix) {
    for (const std::size_t i : rows) {
      begin.push_back(matrix.offsets()[i]);
      end.push_back(matrix.offsets()[i + 1]);
    }
    view.rows = rows.size();
    view.begin = begin.data();
    view.end = end.data();
  }
};

constexpr std::size_t kWidths[] = {1, 3, 4, 7, 16, 17, 23, 31, 64, 100, 150};

TEST(SparseProduct, AgreesWithTheReferenceOnEveryInstructionSet) {
  SeededStream stream(1);
  testing::on_every_instruction_set([&] {
    for (const std::size_t width : kWidths) {
      for (const bool ones : {false, true}) {
        const SparseMatrix a = random_sparse(40, 30, 0.2, ones, stream);
        const Matrix wide = random_matrix(30, width + 5, stream);
        const auto x = testing::inner_columns(wide);
        Matrix wide_out(40, width + 5);
        std::fill(wide_out.values().begin(), wide_out.values().end(), 7.0F);
        multiply(a, x, testing::inner_columns(wide_out));
        for (std::size_t i = 0; i < 40; ++i) {
          ASSERT_EQ(wide_out(i, 1), 7.0F);
          ASSERT_EQ(wide_out(i, width + 2), 7.0F);
          for (std::size_t j = 0; j < width; ++j)
            ASSERT_NEAR(wide_out(i, j + 2), entry(a, x, i, j), 1e-5) << "width " << width;
        }
      }
    }
  });
}

TEST(SparseProduct, OfSomeRows) {
  SeededStream stream(2);
  const SparseMatrix a = random_sparse(20, 30, 0.3, false, stream);
  const Batch batch(a, {7, 3, 19, 3, 0});
  const Matrix x = random_matrix(30, 9, stream);
  Matrix all(20, 9);
  multiply(a, x, all);
  Matrix some(5, 9);
  multiply(batch.view, x, some);
  EXPECT_TRUE(std::ranges::equal(some.row(0), all.row(7)));
  EXPECT_TRUE(std::ranges::equal(some.row(3), all.row(3)));
  EXPECT_TRUE(std::ranges::equal(some.row(4), all.row(0)));
}

TEST(SparseProduct, TransposedAgreesWithTheReferenceOnEveryInstructionSet) {
  SeededStream stream(3);
  testing::on_every_instruction_set([&] {
    for (const std::size_t width : kWidths) {
      for (const bool ones : {false, true}) {
        const SparseMatrix whole = random_sparse(25, 14, 0.3, ones, stream);
        const Batch batch(whole, {24, 1, 2, 3, 1, 11});
        const Matrix wide = random_matrix(6, width + 5, stream);
        const auto x = testing::inner_columns(wide);
        Matrix wide_out = random_matrix(14, width + 5, stream);
        const Matrix before = wide_out;
        add_transposed_product(batch.view, x, testing::inner_columns(wide_out));
        for (std::size_t c = 0; c < 14; ++c) {
          ASSERT_EQ(wide_out(c, 1), before(c, 1));
          ASSERT_EQ(wide_out(c, width + 2), before(c, width + 2));
          for (std::size_t j = 0; j < width; ++j)
            ASSERT_NEAR(wide_out(c, j + 2), before(c, j + 2) + transposed_entry(batch.view, x, c, j), 1e-5);
        }
      }
    }
  });
}

TEST(SparseProduct, RowsOfAnyLengthReachEveryPiece) {
  // One row holds most of the entries, and there are fewer rows than pieces.
  SeededStream stream(4);
  std::vector<std::uint64_t> offsets = {0, 1, 30001, 30001, 30003};
  std::vector<std::uint32_t> columns = {5};
  for (std::uint32_t j = 0; j < 30000; ++j) columns.push_back(j);
  columns.insert(columns.end(), {0, 29999});
  const SparseMatrix a(4, 30000, offsets, columns, {});
  const Matrix x = random_matrix(30000, 3, stream);
  Matrix out(4, 3);
  multiply(a, x, out);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(out(i, j), entry(a, x, i, j), 2e-3) << i;
  }
}

TEST(SparseProduct, SameBytesOnAnyNumberOfThreads) {
  SeededStream stream(5);
  const SparseMatrix a = random_sparse(3000, 200, 0.05, false, stream);
  const Matrix x = random_matrix(200, 75, stream);
  const Matrix y = random_matrix(3000, 75, stream);
  const auto [one, three] = testing::on_one_and_three_threads([&] {
    std::vector<Matrix> both = {Matrix(3000, 75), Matrix(200, 75)};
    multiply(a, x, both[0]);
    add_transposed_product(a, y, both[1]);
    return both;
  });
  EXPECT_EQ(one, three);
}

TEST(SparseProduct, EmptySizes) {
  Matrix none(0, 3);
  multiply(SparseMatrix(0, 2, {0}, {}, {}), Matrix(2, 3), none);
  Matrix zero(2, 3);
  zero(1, 1) = 5;
  multiply(SparseMatrix(2, 0, {0, 0, 0}, {}, {}), Matrix(0, 3), zero);
  EXPECT_EQ(zero(1, 1), 0.0F);
  Matrix narrow(2, 0);
  multiply(SparseMatrix(2, 2, {0, 1, 1}, {1}, {}), Matrix(2, 0), narrow);
  Matrix kept(2, 3);
  kept(1, 1) = 5;
  add_transposed_product(SparseMatrix(0, 2, {0}, {}, {}), Matrix(0, 3), kept);
  EXPECT_EQ(kept(1, 1), 5.0F);
}

TEST(SparseProduct, RefusesSizesThatDoNotFit) {
  SeededStream stream(6);
  const SparseMatrix a = random_sparse(4, 5, 0.5, false, stream);
  Matrix out(4, 3);
  EXPECT_THROW(multiply(a, Matrix(4, 3), out), InvalidArgument);
  Matrix narrow(4, 2);
  EXPECT_THROW(multiply(a, Matrix(5, 3), narrow), InvalidArgument);
  EXPECT_THROW(add_transposed_product(a, Matrix(4, 3), out), InvalidArgument);
  Matrix turned(5, 3);
  EXPECT_THROW(add_transposed_product(a, Matrix(5, 3), turned), InvalidArgument);
}

TEST(SparseMatrix, TransposedTwiceIsItself) {
  SeededStream stream(7);
  for (const bool ones : {false, true}) {
    const SparseMatrix a = random_sparse(20, 13, 0.3, ones, stream);
    const SparseMatrix turned = a.transposed();
    EXPECT_EQ(turned.rows(), 13u);
    EXPECT_EQ(turned.transposed(), a);
    for (std::size_t i = 0; i < a.rows(); ++i) {
      for (const std::uint32_t j : a.row_columns(i))
        EXPECT_TRUE(std::ranges::binary_search(turned.row_columns(j), i));
    }
  }
}

}  // namespace
}  // namespace privet::tensor
