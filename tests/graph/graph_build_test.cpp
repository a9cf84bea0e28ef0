// Building compressed rows from edges, against a sorted list of pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/random.hpp"
#include "privet/graph/graph.hpp"

namespace privet::graph {
namespace {

using Pairs = std::vector<Edge>;

EdgeList list_of(const Pairs& pairs, std::size_t block) {
  EdgeList list;
  if (block == 0) {
    for (const Edge& edge : pairs) list.add(edge.from, edge.to);
    return list;
  }
  for (std::size_t at = 0; at < pairs.size(); at += block) {
    const auto first = pairs.begin() + static_cast<std::ptrdiff_t>(at);
    list.add_block({first, first + static_cast<std::ptrdiff_t>(std::min(block, pairs.size() - at))});
  }
  return list;
}

void expect_rows(const Graph& graph, const Pairs& pairs, Direction direction) {
  std::vector<std::pair<NodeId, NodeId>> entries;
  for (const Edge& edge : pairs) {
    if (edge.from == edge.to) continue;
    entries.emplace_back(edge.from, edge.to);
    if (direction == Direction::undirected) entries.emplace_back(edge.to, edge.from);
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  ASSERT_EQ(graph.stored_entries(), entries.size());
  auto entry = entries.begin();
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    for (const NodeId neighbor : graph.neighbors(i)) {
      ASSERT_EQ(std::pair(i, neighbor), *entry);
      ++entry;
    }
  }
}

// Half of the edges touch a few hubs, so that some rows are long and most short.
Pairs random_pairs(std::size_t nodes, std::size_t count, std::uint64_t seed) {
  SeededStream random(seed);
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = static_cast<NodeId>(random.below(nodes));
    pairs.push_back(
        {from, static_cast<NodeId>(random.below(i % 2 == 0 ? nodes : std::min<std::size_t>(nodes, 5)))});
  }
  return pairs;
}

TEST(GraphBuild, MatchesASortedListOfPairs) {
  for (const auto& [nodes, count] : {std::pair<std::size_t, std::size_t>{1, 3},
                                     {2, 10},
                                     {10, 30},
                                     {100, 5000},
                                     {3000, 400'000},
                                     {200'000, 400'000}}) {
    const Pairs pairs = random_pairs(nodes, count, nodes);
    for (const Direction direction : {Direction::undirected, Direction::directed}) {
      expect_rows(Graph(nodes, list_of(pairs, 0), direction), pairs, direction);
    }
  }
}

TEST(GraphBuild, DependsOnNeitherBlocksNorThreads) {
  const Pairs pairs = random_pairs(20'000, 300'000, 5);
  const Graph expected(20'000, list_of(pairs, 0), Direction::undirected);
  const std::size_t threads = thread_count();
  for (const std::size_t count : {1, 2, 5}) {
    set_thread_count(count);
    for (const std::size_t block : {999, 300'000}) {
      EXPECT_EQ(Graph(20'000, list_of(pairs, block), Direction::undirected), expected);
    }
  }
  set_thread_count(threads);
}

TEST(GraphBuild, TakesEdgesAtTheEndsOfTheRange) {
  EXPECT_EQ(Graph(0, {}, Direction::undirected).nodes(), 0u);
  EXPECT_EQ(Graph(5, {}, Direction::undirected).stored_entries(), 0u);
  const Pairs pairs = {{0, 1'000'000}, {1'000'000, 0}, {999'999, 1'000'000}};
  expect_rows(Graph(1'000'001, list_of(pairs, 2), Direction::undirected), pairs, Direction::undirected);
}

TEST(GraphBuild, NamesTheFirstEdgeOutOfRange) {
  Pairs pairs = random_pairs(100, 10'000, 6);
  pairs[7'777].to = 100;
  pairs[9'000].from = 4'000'000'000;
  try {
    const Graph graph(100, list_of(pairs, 50), Direction::undirected, "pairs");
    FAIL() << "an id out of range was taken";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("pairs: edge 7777 joins"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace privet::graph
