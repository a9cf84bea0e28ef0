#include "privet/graph/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/random.hpp"

namespace privet::graph {
namespace {

EdgeList list_of(std::initializer_list<Edge> edges) {
  EdgeList list;
  for (const Edge& edge : edges) list.add(edge.from, edge.to);
  return list;
}

std::vector<NodeId> row(const Graph& graph, NodeId node) {
  const auto neighbors = graph.neighbors(node);
  return {neighbors.begin(), neighbors.end()};
}

TEST(Graph, UndirectedEdgesAreStoredAsBothEntries) {
  const Graph g(4, list_of({{2, 0}, {0, 1}}), Direction::undirected);
  EXPECT_EQ(row(g, 0), (std::vector<NodeId>{1, 2}));
  EXPECT_EQ(row(g, 1), (std::vector<NodeId>{0}));
  EXPECT_EQ(row(g, 2), (std::vector<NodeId>{0}));
  EXPECT_TRUE(row(g, 3).empty());
  EXPECT_EQ(g.edges(), 2u);
  EXPECT_EQ(g.stored_entries(), 4u);
  EXPECT_TRUE(g.has_entry(2, 0));
  EXPECT_FALSE(g.has_entry(2, 1));
}

TEST(Graph, OrderRepeatsAndLoopsLeaveNoTrace) {
  const Graph plain(3, list_of({{0, 1}, {1, 2}}), Direction::undirected);
  const Graph messy(3, list_of({{2, 1}, {1, 1}, {1, 0}, {0, 1}, {1, 2}, {2, 1}}), Direction::undirected);
  EXPECT_EQ(plain, messy);
}

TEST(Graph, DirectedGraphsKeepDirectionAndCountJoinedPairs) {
  const Graph g(3, list_of({{0, 1}, {1, 0}, {1, 2}}), Direction::directed);
  EXPECT_EQ(g.stored_entries(), 3u);
  EXPECT_EQ(g.edges(), 2u);
  EXPECT_EQ(row(g.transposed(), 2), (std::vector<NodeId>{1}));
  EXPECT_EQ(g.transposed().transposed(), g);
  EXPECT_EQ(g.symmetrized(), Graph(3, list_of({{0, 1}, {1, 2}}), Direction::undirected));
}

TEST(Graph, AnIdOutOfRangeIsNamed) {
  try {
    Graph(3, list_of({{0, 1}, {2, 3}}), Direction::undirected, "a.csv");
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "a.csv: edge 1 joins 2 and 3 (expected node ids below 3)");
  }
}

TEST(Graph, InducedRenumbersInOrder) {
  const Graph g(5, list_of({{0, 2}, {2, 4}, {1, 3}}), Direction::undirected);
  const std::vector<NodeId> kept = {0, 2, 4};
  EXPECT_EQ(g.induced(kept), Graph(3, list_of({{0, 1}, {1, 2}}), Direction::undirected));
  const std::vector<NodeId> not_ascending = {2, 0};
  EXPECT_THROW(g.induced(not_ascending), InvalidArgument);
}

TEST(Graph, FromRowsChecksEverything) {
  EXPECT_EQ(Graph::from_rows({0, 1, 2}, {1, 0}, Direction::undirected),
            Graph(2, list_of({{0, 1}}), Direction::undirected));
  EXPECT_THROW(Graph::from_rows({}, {}, Direction::directed), DataError);
  EXPECT_THROW(Graph::from_rows({0, 1, 1}, {1}, Direction::undirected), DataError);   // one-sided
  EXPECT_THROW(Graph::from_rows({0, 1}, {0}, Direction::directed), DataError);        // loop
  EXPECT_THROW(Graph::from_rows({0, 2, 2}, {1, 1}, Direction::directed), DataError);  // repeat
  EXPECT_THROW(Graph::from_rows({0, 1, 1}, {2}, Direction::directed), DataError);     // out of range
  EXPECT_THROW(Graph::from_rows({0, 5, 1}, {1}, Direction::directed), DataError);     // runs out and back
}

TEST(Graph, AgreesWithASetOfEdgesOnRandomInput) {
  SeededStream stream(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const std::size_t n = 1 + stream.below(60);
    const auto direction = repeat % 2 == 0 ? Direction::undirected : Direction::directed;
    EdgeList list;
    std::set<Edge> entries;
    for (std::uint64_t k = stream.below(400); k > 0; --k) {
      const auto u = static_cast<NodeId>(stream.below(n));
      const auto v = static_cast<NodeId>(stream.below(n));
      list.add(u, v);
      if (u == v) continue;
      entries.insert({u, v});
      if (direction == Direction::undirected) entries.insert({v, u});
    }
    const Graph g(n, std::move(list), direction);
    std::set<Edge> got;
    for (NodeId i = 0; i < n; ++i) {
      EXPECT_TRUE(std::ranges::is_sorted(g.neighbors(i)));
      for (const NodeId j : g.neighbors(i)) got.insert({i, j});
    }
    EXPECT_EQ(got, entries);
    EXPECT_EQ(g.stored_entries(), entries.size());
  }
}

TEST(Graph, SameGraphOnAnyNumberOfThreads) {
  const std::size_t before = thread_count();
  const auto build = [](std::size_t threads) {
    set_thread_count(threads);
    SeededStream stream(2);
    EdgeList list;
    for (int k = 0; k < 600'000; ++k) {
      list.add(static_cast<NodeId>(stream.below(20'000)), static_cast<NodeId>(stream.below(20'000)));
    }
    return Graph(20'000, std::move(list), Direction::undirected);
  };
  EXPECT_EQ(build(1), build(2));
  set_thread_count(before);
}

}  // namespace
}  // namespace privet::graph
