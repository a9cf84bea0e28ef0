#include "privet/core/mechanisms/fixed_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "privet/base/random.hpp"

namespace privet::privacy {
namespace {

double norm_of(const std::vector<std::int64_t>& steps, double grid) {
  long double squares = 0;
  for (const std::int64_t s : steps) squares += static_cast<long double>(s) * static_cast<long double>(s);
  return static_cast<double>(std::sqrt(squares) * static_cast<long double>(grid));
}

TEST(FixedPoint, NoRowIsLongerThanItsBound) {
  SeededStream stream(1);
  const RowRounding rounding{.grid = 0x1p-24, .row_bound = 0.7};
  double longest = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<float> row(1 + stream.below(40));
    const double size = std::pow(10.0, 6 * stream.uniform() - 3);
    for (float& value : row) value = static_cast<float>(size * (stream.uniform() - 0.5));
    std::vector<std::int64_t> sum(row.size(), 0);
    add_bounded_row(row, rounding, sum);
    const double norm = norm_of(sum, rounding.grid);
    ASSERT_LE(norm, 0.7);
    longest = std::max(longest, norm);
  }
  EXPECT_GT(longest, 0.7 * (1 - 1e-6));
}

TEST(FixedPoint, ShortRowsAreOnlyRounded) {
  const RowRounding rounding{.grid = 0.25, .row_bound = 10};
  std::vector<std::int64_t> sum = {100, 0, 0};
  add_bounded_row(std::vector<float>{1.3F, -1.3F, 0.2F}, rounding, sum);
  EXPECT_EQ(sum, (std::vector<std::int64_t>{105, -5, 0})) << "towards zero";
}

TEST(FixedPoint, RowsThatAreNotFiniteAddNothing) {
  const RowRounding rounding{.grid = 0.25, .row_bound = 10};
  const float inf = std::numeric_limits<float>::infinity();
  for (const float bad : {inf, -inf, std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<std::int64_t> sum = {0, 0};
    add_bounded_row(std::vector<float>{1.0F, bad}, rounding, sum);
    EXPECT_EQ(sum, (std::vector<std::int64_t>{0, 0}));
  }
  std::vector<std::int64_t> sum = {0, 0};
  const float largest = std::numeric_limits<float>::max();
  add_bounded_row(std::vector<float>{largest, largest}, rounding, sum);
  EXPECT_EQ(sum, (std::vector<std::int64_t>{28, 28})) << "10 / sqrt 2 / 0.25 = 28.28";
}

TEST(FixedPoint, NeighborSumsAreSumsOverNeighbors) {
  graph::EdgeList edges;
  edges.add(0, 1);
  edges.add(0, 2);
  const graph::Graph graph(4, std::move(edges), graph::Direction::undirected);
  tensor::Matrix x(4, 2);
  for (std::size_t i = 0; i < 4; ++i) x(i, 0) = static_cast<float>(i + 1);
  x(2, 1) = -8;
  const FixedPointMatrix sums = neighbor_sums(graph, x, {.grid = 0.5, .row_bound = 100});
  EXPECT_EQ(sums.steps, (std::vector<std::int64_t>{10, -16, 2, 0, 2, 0, 0, 0}));
  EXPECT_THROW((void)neighbor_sums(graph, tensor::Matrix(3, 2), {.grid = 0.5, .row_bound = 1}),
               std::logic_error);
}

}  // namespace
}  // namespace privet::privacy
