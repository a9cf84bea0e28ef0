#include "privet/graph/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace privet::graph {
namespace {

// Two triangles 0-1-2 and 3-4-5 joined by 2-3; node 6 alone.
Graph two_triangles(Direction direction = Direction::undirected) {
  EdgeList edges;
  for (const Edge e : {Edge{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {2, 3}}) edges.add(e.from, e.to);
  return {7, std::move(edges), direction};
}

TEST(Statistics, Degrees) {
  const DegreeSummary degree = degree_summary(two_triangles());
  EXPECT_EQ(degree.min, 0u);
  EXPECT_DOUBLE_EQ(degree.mean, 2.0);
  EXPECT_DOUBLE_EQ(degree.median, 2.0);
  EXPECT_EQ(degree.max, 3u);
  EXPECT_EQ(isolated_nodes(two_triangles()), 1u);
  EXPECT_EQ(isolated_nodes(two_triangles(Direction::directed)), 1u);  // 5 has no out-edge but is not alone
  EXPECT_DOUBLE_EQ(density(two_triangles()), 14.0 / 42);
}

TEST(Statistics, HomophilyByHand) {
  const std::vector<std::int32_t> labels = {0, 0, 0, 1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(edge_homophily(two_triangles(), labels), 6.0 / 7);
  // Each class: 6 of 7 entries stay; sizes 3/7 and 4/7.
  EXPECT_DOUBLE_EQ(class_insensitive_homophily(two_triangles(), labels, 2),
                   (6.0 / 7 - 3.0 / 7) + (6.0 / 7 - 4.0 / 7));
  EXPECT_EQ(class_connections(two_triangles(), labels, 2), (std::vector<std::uint64_t>{6, 1, 1, 6}));
}

TEST(Statistics, UnlabeledNodesAreLeftOut) {
  const std::vector<std::int32_t> labels = {0, 0, kUnlabeled, 1, 1, 1, kUnlabeled};
  EXPECT_DOUBLE_EQ(edge_homophily(two_triangles(), labels), 1.0);
  EXPECT_DOUBLE_EQ(class_insensitive_homophily(two_triangles(), labels, 2), (1 - 2.0 / 5) + (1 - 3.0 / 5));
  const std::vector<std::int32_t> none(7, kUnlabeled);
  EXPECT_TRUE(std::isnan(edge_homophily(two_triangles(), none)));
}

TEST(Statistics, ComponentsIgnoreDirection) {
  const std::vector<NodeId> expected = {0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(components(two_triangles()), expected);
  EXPECT_EQ(components(two_triangles(Direction::directed)), expected);
}

}  // namespace
}  // namespace privet::graph
