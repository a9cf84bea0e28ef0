#include "privet/methods/released/low_rank_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "privet/base/distributions.hpp"

namespace privet::methods {
namespace {

tensor::Matrix random_rows(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  SeededStream stream(seed);
  tensor::Matrix matrix(rows, columns);
  for (float& value : matrix.values()) value = static_cast<float>(standard_normal(stream));
  return matrix;
}

struct Entry {
  double value;
  graph::NodeId i;
  graph::NodeId j;
};

// All entries above the diagonal of L R^T + R L^T, sorted: what the tiles must agree with.
std::vector<Entry> all_entries(const tensor::Matrix& left, const tensor::Matrix& right) {
  std::vector<Entry> all;
  for (graph::NodeId i = 0; i < left.rows(); ++i) {
    for (graph::NodeId j = i + 1; j < left.rows(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < left.columns(); ++k)
        sum += static_cast<double>(left(i, k) * right(j, k)) + static_cast<double>(right(i, k) * left(j, k));
      all.push_back({sum, i, j});
    }
  }
  std::ranges::sort(all, [](const Entry& a, const Entry& b) { return a.value > b.value; });
  return all;
}

TEST(LowRankGraph, HasTheLargestEntries) {
  for (const std::size_t nodes : {1U, 2U, 100U, 300U}) {
    const tensor::Matrix left = random_rows(nodes, 5, nodes);
    const tensor::Matrix right = random_rows(nodes, 5, nodes + 1);
    const std::vector<Entry> expected = all_entries(left, right);
    for (const std::size_t keep : {std::size_t{0}, std::size_t{1}, std::size_t{57}, expected.size() + 5}) {
      const graph::Graph graph = graph_of_largest(left, right, keep);
      EXPECT_EQ(graph.edges(), std::min(keep, expected.size()));
      for (std::size_t k = 0; k < std::min(keep, expected.size()); ++k)
        EXPECT_TRUE(graph.has_entry(expected[k].i, expected[k].j)) << nodes << " " << keep << " " << k;
    }
  }
}

// 2000 rows are 2 million entries: the threshold rises on the way.
TEST(LowRankGraph, DropsWhatIsTooSmallOnTheWay) {
  const tensor::Matrix left = random_rows(2000, 3, 5);
  const std::vector<Entry> expected = all_entries(left, left);
  const graph::Graph graph = graph_of_largest(left, left, 1000);
  EXPECT_EQ(graph.edges(), 1000U);
  for (std::size_t k = 0; k < 990; ++k)  // the last ones may round into another order
    EXPECT_TRUE(graph.has_entry(expected[k].i, expected[k].j));
}

TEST(LowRankGraph, TiesGoToTheLowerPlace) {
  const graph::Graph graph = graph_of_largest(tensor::Matrix(5, 1), tensor::Matrix(5, 1), 5);
  for (graph::NodeId j = 1; j < 5; ++j) EXPECT_TRUE(graph.has_entry(0, j));
  EXPECT_TRUE(graph.has_entry(1, 2));
}

TEST(LowRankGraph, RankCountsWhatComesBefore) {
  const tensor::Matrix left = random_rows(150, 4, 9);
  const std::vector<Entry> expected = all_entries(left, left);
  for (const std::size_t k : {0U, 10U, 5000U}) {
    EXPECT_NEAR(static_cast<double>(rank_of_entry(left, left, expected[k].j, expected[k].i, 100000)),
                static_cast<double>(k), 2);
    EXPECT_EQ(rank_of_entry(left, left, expected[k].i, expected[k].j, 5), std::min<std::size_t>(k, 5));
  }
}

}  // namespace
}  // namespace privet::methods
