#include "privet/graph/normalize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"

namespace privet::graph {
namespace {

// A path 0-1-2 and node 3 alone.
Graph path() {
  EdgeList edges;
  edges.add(0, 1);
  edges.add(1, 2);
  return {4, std::move(edges), Direction::undirected};
}

std::vector<std::vector<double>> dense(const tensor::SparseMatrix& m) {
  std::vector<std::vector<double>> rows(m.rows(), std::vector<double>(m.columns()));
  for (std::size_t i = 0; i < m.rows(); ++i) {
    for (std::uint64_t k = m.offsets()[i]; k < m.offsets()[i + 1]; ++k)
      rows[i][m.column_indices()[k]] = m.value(k);
  }
  return rows;
}

TEST(Normalize, SymmetricWithLoops) {
  const auto m = dense(symmetric_with_loops(path()));
  EXPECT_FLOAT_EQ(static_cast<float>(m[0][0]), 0.5F);
  EXPECT_FLOAT_EQ(static_cast<float>(m[0][1]), static_cast<float>(1 / std::sqrt(6.0)));
  EXPECT_FLOAT_EQ(static_cast<float>(m[1][1]), static_cast<float>(1.0 / 3));
  EXPECT_EQ(m[3][3], 1.0);
  EXPECT_EQ(m[0][2], 0.0);
}

TEST(Normalize, FloorHoldsDegreesUp) {
  const auto m = dense(symmetric_with_floor(path(), 10));
  EXPECT_FLOAT_EQ(static_cast<float>(m[0][1]), 0.1F);
  EXPECT_FLOAT_EQ(static_cast<float>(m[3][3]), 0.1F);
  EXPECT_THROW(symmetric_with_floor(path(), 0), InvalidArgument);
}

TEST(Normalize, RowMeanAndSum) {
  EXPECT_EQ(dense(row_mean(path()))[1], (std::vector<double>{0.5, 0, 0.5, 0}));
  EXPECT_EQ(dense(row_mean(path()))[3], (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(dense(sum_over_max_degree(path(), 4))[1], (std::vector<double>{0.25, 0, 0.25, 0}));
  EXPECT_THROW(sum_over_max_degree(path(), 1), DataError);
}

TEST(Normalize, IdentityPlusSymmetric) {
  const auto m = dense(identity_plus_symmetric(path()));
  EXPECT_EQ(m[0][0], 1.0);
  EXPECT_FLOAT_EQ(static_cast<float>(m[0][1]), static_cast<float>(1 / std::sqrt(2.0)));
  EXPECT_EQ(m[3], (std::vector<double>{0, 0, 0, 1}));
}

// Spectral norm at most 1, by power iteration on random graphs (privacy-critical: contraction rests on it).
TEST(Normalize, FlooredLayerIsNoExpansion) {
  SeededStream stream(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const std::size_t n = 2 + stream.below(30);
    EdgeList edges;
    for (std::uint64_t k = stream.below(150); k > 0; --k) {
      edges.add(static_cast<NodeId>(stream.below(n)), static_cast<NodeId>(stream.below(n)));
    }
    const Graph graph(n, std::move(edges), Direction::undirected);
    const auto m = dense(symmetric_with_floor(graph, 1 + static_cast<double>(stream.below(6))));
    std::vector<double> x(n, 1);
    double norm = 0;
    for (int step = 0; step < 200; ++step) {
      std::vector<double> y(n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) y[i] += m[i][j] * x[j];
      }
      norm = 0;
      for (const double value : y) norm += value * value;
      norm = std::sqrt(norm);
      for (std::size_t i = 0; i < n; ++i) x[i] = y[i] / norm;
    }
    EXPECT_LE(norm, 1 + 1e-6);
  }
}

}  // namespace
}  // namespace privet::graph
