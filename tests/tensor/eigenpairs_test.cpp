#include "privet/tensor/eigenpairs.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "privet/base/random.hpp"

namespace privet::tensor {
namespace {

// A symmetric 0/1 matrix whose every pair is there with the given probability.
SparseMatrix random_symmetric(std::size_t rows, double probability, std::uint64_t seed) {
  SeededStream stream(seed);
  std::vector<std::vector<std::uint32_t>> lists(rows);
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = i + 1; j < rows; ++j) {
      if (stream.uniform() >= probability) continue;
      lists[i].push_back(j);
      lists[j].push_back(i);
    }
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (auto& list : lists) {
    std::ranges::sort(list);
    columns.insert(columns.end(), list.begin(), list.end());
    offsets.push_back(columns.size());
  }
  return {rows, rows, std::move(offsets), std::move(columns), {}};
}

std::vector<double> dense_values(const SparseMatrix& matrix) {
  const auto rows = static_cast<Eigen::Index>(matrix.rows());
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(rows, rows);
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (const std::uint32_t j : matrix.row_columns(i)) dense(static_cast<Eigen::Index>(i), j) = 1;
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues();
  std::vector<double> all(values.data(), values.data() + values.size());
  std::ranges::sort(all, [](double a, double b) { return std::abs(a) > std::abs(b); });
  return all;
}

// |A v - value v|, the largest over the pairs; the vectors are kept in float32.
double residual(const SparseMatrix& matrix, const Eigenpairs& pairs) {
  double largest = 0;
  for (std::size_t k = 0; k < pairs.values.size(); ++k) {
    double squares = 0;
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
      double sum = -pairs.values[k] * static_cast<double>(pairs.vectors(i, k));
      for (const std::uint32_t j : matrix.row_columns(i)) sum += static_cast<double>(pairs.vectors(j, k));
      squares += sum * sum;
    }
    largest = std::max(largest, std::sqrt(squares));
  }
  return largest;
}

TEST(Eigenpairs, AgreeWithTheWholeDecomposition) {
  for (const std::size_t rows : {10U, 40U, 60U, 300U}) {
    const SparseMatrix matrix = random_symmetric(rows, 0.1, rows);
    const std::vector<double> expected = dense_values(matrix);
    const Eigenpairs pairs = leading_eigenpairs(matrix, 8);
    ASSERT_EQ(pairs.values.size(), 8U);
    for (std::size_t k = 0; k < 8; ++k)
      EXPECT_NEAR(std::abs(pairs.values[k]), std::abs(expected[k]), 1e-8) << rows << " " << k;
    EXPECT_LT(residual(matrix, pairs), 1e-5);
  }
}

// A star's adjacency has the eigenvalues +-sqrt(leaves), of equal size, and 0 otherwise.
TEST(Eigenpairs, OfAStarAreKnown) {
  constexpr std::uint32_t kLeaves = 99;
  std::vector<std::uint64_t> offsets = {0, kLeaves};
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 1; i <= kLeaves; ++i) columns.push_back(i);
  for (std::uint32_t i = 1; i <= kLeaves; ++i) {
    columns.push_back(0);
    offsets.push_back(columns.size());
  }
  const Eigenpairs pairs =
      leading_eigenpairs(SparseMatrix(kLeaves + 1, kLeaves + 1, offsets, columns, {}), 2);
  EXPECT_NEAR(std::abs(pairs.values[0]), std::sqrt(99.0), 1e-8);
  EXPECT_NEAR(std::abs(pairs.values[1]), std::sqrt(99.0), 1e-8);
  EXPECT_LT(pairs.values[0] * pairs.values[1], 0);
  EXPECT_NEAR(std::abs(pairs.vectors(0, 0)), std::sqrt(0.5), 1e-6);
}

TEST(Eigenpairs, AreTheSameEveryTimeAndNoMoreThanRows) {
  const SparseMatrix matrix = random_symmetric(200, 0.05, 3);
  EXPECT_EQ(leading_eigenpairs(matrix, 5).vectors, leading_eigenpairs(matrix, 5).vectors);
  EXPECT_EQ(leading_eigenpairs(random_symmetric(4, 0.5, 1), 20).values.size(), 4U);
  const Eigenpairs none =
      leading_eigenpairs(SparseMatrix(100, 100, std::vector<std::uint64_t>(101), {}, {}), 3);
  for (const double value : none.values) EXPECT_EQ(value, 0);
}

// Three disjoint edges among 200 rows: eigenvalues 1 and -1, three times each, where ten are asked for.
TEST(Eigenpairs, OfLowRankMatricesAreTheirsAndZeros) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 0; i < 200; ++i) {
    if (i < 6) columns.push_back(i ^ 1U);
    offsets.push_back(columns.size());
  }
  const SparseMatrix matrix(200, 200, offsets, columns, {});
  const Eigenpairs pairs = leading_eigenpairs(matrix, 10);
  for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(std::abs(pairs.values[k]), k < 6 ? 1 : 0, 1e-8) << k;
  EXPECT_LT(residual(matrix, pairs), 1e-5);
}

}  // namespace
}  // namespace privet::tensor
