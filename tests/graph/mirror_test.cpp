#include "privet/graph/mirror.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/random.hpp"

namespace privet::graph {
namespace {

struct Triangle {
  std::vector<std::uint32_t> lengths;
  std::vector<NodeId> columns;

  // Pieces that end before each of `cuts` and at the last row.
  [[nodiscard]] std::vector<UpperRows> cut(const std::vector<std::size_t>& cuts) const {
    std::vector<UpperRows> pieces;
    std::size_t row = 0;
    std::size_t used = 0;
    const auto add = [&](std::size_t end) {
      std::size_t size = 0;
      for (std::size_t i = row; i < end; ++i) size += lengths[i];
      pieces.push_back({.first_row = static_cast<NodeId>(row),
                        .lengths = std::span(lengths).subspan(row, end - row),
                        .columns = std::span(columns).subspan(used, size)});
      row = end;
      used += size;
    };
    for (const std::size_t end : cuts) add(end);
    add(lengths.size());
    return pieces;
  }
};

// Row 0 is long, some rows are empty.
Triangle random_triangle(std::size_t nodes, double probability, std::uint64_t seed) {
  SeededStream random(seed);
  Triangle triangle;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::size_t before = triangle.columns.size();
    const double p = i == 0 ? 0.5 : i % 7 == 3 ? 0 : probability;
    for (std::size_t j = i + 1; p > 0 && j < nodes; ++j) {
      if (random.uniform() < p) triangle.columns.push_back(static_cast<NodeId>(j));
    }
    triangle.lengths.push_back(static_cast<std::uint32_t>(triangle.columns.size() - before));
  }
  return triangle;
}

Graph from_edges(const Triangle& triangle) {
  EdgeList edges;
  auto column = triangle.columns.begin();
  for (std::size_t i = 0; i < triangle.lengths.size(); ++i) {
    for (std::uint32_t k = 0; k < triangle.lengths[i]; ++k) edges.add(static_cast<NodeId>(i), *column++);
  }
  return {triangle.lengths.size(), std::move(edges), Direction::undirected};
}

// from_rows checks order, range and symmetry by its own code.
void expect_mirrored(const Triangle& triangle, const std::vector<std::size_t>& cuts) {
  const CompressedRows rows = mirror(triangle.lengths.size(), triangle.cut(cuts), "here");
  const Graph checked =
      Graph::from_rows({rows.offsets.begin(), rows.offsets.end()},
                       {rows.neighbors.begin(), rows.neighbors.end()}, Direction::undirected);
  ASSERT_EQ(checked.stored_entries(), 2 * triangle.columns.size());
  auto column = triangle.columns.begin();
  for (std::size_t i = 0; i < triangle.lengths.size(); ++i) {
    for (std::uint32_t k = 0; k < triangle.lengths[i]; ++k) {
      ASSERT_TRUE(checked.has_entry(static_cast<NodeId>(i), *column++));
    }
  }
}

TEST(Mirror, HoldsEveryPairBothWays) {
  expect_mirrored({}, {});
  expect_mirrored(random_triangle(1, 0.5, 1), {});
  expect_mirrored(random_triangle(2, 1, 1), {1});
  expect_mirrored(random_triangle(50, 0.3, 2), {0, 0, 7, 7, 49});
  expect_mirrored(random_triangle(2000, 0.2, 3), {});  // several ranges in one piece
  expect_mirrored(random_triangle(2000, 0.2, 3), {1, 600, 601, 1500});
}

// More rows in a piece than 16 bits count.
TEST(Mirror, TakesPiecesOfAnyNumberOfRows) {
  constexpr std::size_t kNodes = 200'000;
  Triangle triangle;
  for (std::size_t i = 0; i < kNodes; ++i) {
    const bool last = i + 1 == kNodes;
    triangle.lengths.push_back(last ? 0 : 1);
    if (!last) triangle.columns.push_back(static_cast<NodeId>(i + 1 + (i * i) % (kNodes - i - 1)));
  }
  expect_mirrored(triangle, {});
  expect_mirrored(triangle, {150'000});
}

TEST(Mirror, DependsOnNeitherPiecesNorThreads) {
  const Triangle triangle = random_triangle(3000, 0.1, 4);
  const Graph expected = from_edges(triangle);
  const std::size_t threads = thread_count();
  for (const std::size_t count : {1, 2, 5}) {
    set_thread_count(count);
    EXPECT_EQ(Graph::from_upper_rows(3000, triangle.cut({})), expected);
    EXPECT_EQ(Graph::from_upper_rows(3000, triangle.cut({10, 1000, 2999})), expected);
  }
  set_thread_count(threads);
}

TEST(Mirror, RefusesWhatIsNoUpperTriangle) {
  const std::vector<std::uint32_t> lengths = {2, 1, 0};
  const auto fault = [&](const std::vector<NodeId>& columns, std::size_t nodes = 3, NodeId first_row = 0) {
    const UpperRows piece{.first_row = first_row, .lengths = lengths, .columns = columns};
    try {
      (void)mirror(nodes, {&piece, 1}, "here");
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string expected = " (expected rows 0 to 2 of the upper triangle, columns ascending)";
  EXPECT_EQ(fault({1, 2, 2}), "accepted");
  EXPECT_EQ(fault({2, 1, 2}), "here: row 0 does not ascend above itself" + expected);
  EXPECT_EQ(fault({1, 1, 2}), "here: row 0 does not ascend above itself" + expected);
  EXPECT_EQ(fault({1, 2, 1}), "here: row 1 does not ascend above itself" + expected);
  EXPECT_EQ(fault({1, 2, 3}), "here: row 1 has a column that is no node" + expected);
  EXPECT_EQ(fault({1, 2}), "here: row 0 is cut short" + expected);
  EXPECT_EQ(fault({1, 2, 2, 2}), "here: row 3 has no length" + expected);
  EXPECT_EQ(fault({1, 2, 2}, 3, 1), "here: row 1 is not the next" + expected);
  EXPECT_NE(fault({1, 2, 2}, 4).find("row 3 is missing"), std::string::npos);
  EXPECT_NE(fault({1, 2, 2}, 2).find("row"), std::string::npos);
}

}  // namespace
}  // namespace privet::graph
