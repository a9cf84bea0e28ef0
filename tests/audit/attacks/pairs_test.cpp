#include "privet/audit/attacks/pairs.hpp"

#include <gtest/gtest.h>

#include <set>

#include "audit/attacks/worlds.hpp"
#include "privet/base/error.hpp"

namespace privet::audit {
namespace {

TEST(PairsTest, BalancedOnesAreDifferentAndTrue) {
  const graph::Dataset data = alike_neighbors();
  SeededStream stream(1);
  const std::vector<CandidatePair> pairs = draw_pairs(data, PairChoice::balanced, 200, stream);
  ASSERT_EQ(pairs.size(), 400U);
  std::set<std::pair<graph::NodeId, graph::NodeId>> seen;
  std::size_t edges = 0;
  for (const CandidatePair& pair : pairs) {
    EXPECT_TRUE(seen.emplace(std::min(pair.first, pair.second), std::max(pair.first, pair.second)).second);
    EXPECT_NE(pair.first, pair.second);
    EXPECT_EQ(pair.joined, data.graph.has_entry(pair.first, pair.second));
    edges += pair.joined ? 1 : 0;
  }
  EXPECT_EQ(edges, 200U);
}

TEST(PairsTest, DegreesBoundWhoIsAskedAbout) {
  const graph::Dataset data = alike_neighbors();
  const DegreeLimits limits = degree_limits(data);
  SeededStream stream(1);
  for (const CandidatePair& pair : draw_pairs(data, PairChoice::high, 40, stream)) {
    EXPECT_GE(data.graph.degree(pair.first), limits.high);
    EXPECT_GE(data.graph.degree(pair.second), limits.high);
  }
  for (const CandidatePair& pair : draw_pairs(data, PairChoice::low, 100, stream))
    EXPECT_LE(std::max(data.graph.degree(pair.first), data.graph.degree(pair.second)), limits.low);
  EXPECT_EQ(draw_pairs(data, PairChoice::all, 100, stream).size(), 4950U);
}

TEST(PairsTest, NamesAndEmptyGraphs) {
  EXPECT_EQ(parse_pair_choice("low"), PairChoice::low);
  EXPECT_THROW((void)parse_pair_choice("lwo"), InvalidArgument);
  graph::Dataset data = alike_neighbors(50);
  data.graph = graph::Graph(50, {}, graph::Direction::undirected);
  SeededStream stream(1);
  EXPECT_THROW((void)draw_pairs(data, PairChoice::balanced, 10, stream), DataError);
}

}  // namespace
}  // namespace privet::audit
