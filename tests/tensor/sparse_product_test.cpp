#include "privet/tensor/sparse_product.hpp"

#include <gtest/gtest.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/random.hpp"

namespace privet::tensor {
namespace {

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

Matrix random_dense(std::size_t rows, std::size_t columns, RandomStream& stream) {
  Matrix m(rows, columns);
  for (float& value : m.values()) value = static_cast<float>(stream.uniform() - 0.5);
  return m;
}

// The five-line reference.
double entry(const SparseMatrix& a, const Matrix& x, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::uint64_t k = a.offsets()[i]; k < a.offsets()[i + 1]; ++k) {
    sum += static_cast<double>(a.value(k)) * x(a.column_indices()[k], j);
  }
  return sum;
}

TEST(SparseProduct, AgreesWithTheReferenceOnEveryInstructionSet) {
  SeededStream stream(1);
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const std::size_t width : {1u, 3u, 16u, 17u, 64u, 100u}) {
      for (const bool ones : {false, true}) {
        const SparseMatrix a = random_sparse(40, 30, 0.2, ones, stream);
        const Matrix x = random_dense(30, width, stream);
        Matrix out(40, width);
        std::fill(out.values().begin(), out.values().end(), 7.0F);
        multiply(a, x, out);
        for (std::size_t i = 0; i < 40; ++i) {
          for (std::size_t j = 0; j < width; ++j) {
            ASSERT_NEAR(out(i, j), entry(a, x, i, j), 1e-5) << hwy::TargetName(target) << " width " << width;
          }
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(SparseProduct, SameBytesOnAnyNumberOfThreads) {
  const std::size_t before = thread_count();
  SeededStream stream(2);
  const SparseMatrix a = random_sparse(3000, 200, 0.05, false, stream);
  const Matrix x = random_dense(200, 24, stream);
  Matrix one(3000, 24);
  Matrix two(3000, 24);
  set_thread_count(1);
  multiply(a, x, one);
  set_thread_count(2);
  multiply(a, x, two);
  set_thread_count(before);
  EXPECT_EQ(one, two);
}

TEST(SparseProduct, RefusesSizesThatDoNotFit) {
  SeededStream stream(3);
  const SparseMatrix a = random_sparse(4, 5, 0.5, false, stream);
  Matrix out(4, 3);
  EXPECT_THROW(multiply(a, Matrix(4, 3), out), InvalidArgument);
  Matrix narrow(4, 2);
  EXPECT_THROW(multiply(a, Matrix(5, 3), narrow), InvalidArgument);
}

TEST(SparseMatrix, TransposedTwiceIsItself) {
  SeededStream stream(4);
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
