#include "privet/learn/noisy_hops.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "method_cases.hpp"
#include "privet/base/error.hpp"

namespace privet::methods::testing {
namespace {

using privacy::Unit;
using privacy::testing::Climb;
using privacy::testing::Found;
using privacy::testing::Norm;
using privacy::testing::World;

std::vector<double> query(const World& world, std::size_t person, const Unit& unit) {
  return released_sums(world.graph(privacy::testing::symmetric(unit)), world.matrix(),
                       unit.excludes_own_row() ? std::optional(person) : std::nullopt);
}

Found searched(const Unit& unit, std::uint64_t nodes) {
  return privacy::testing::search_all(
      nodes, unit, {.rows_change = true},
      [&](const World& world, std::size_t person) { return query(world, person, unit); }, Norm::l2);
}

TEST(HopSensitivity, IsNeverExceededOnAllSmallGraphs) {
  for (const auto& [text, nodes] : std::vector<std::pair<std::string, std::uint64_t>>{
           {"edge", 4}, {"directed-edge", 3}, {"node:1", 4}, {"node:2", 4}, {"node:3:add-remove", 4}}) {
    const Unit unit = Unit::parse(text);
    const Found found = searched(unit, nodes);
    const double stated = hop_sensitivity(unit, 1).l2().value();
    EXPECT_GT(found.pairs, 500U) << text;
    EXPECT_LE(found.largest, stated) << text;
    EXPECT_GT(found.largest, 0.999 * stated) << text << ": the bound is tight";
  }
}

TEST(HopSensitivity, IsNeverExceededUphill) {
  SeededStream stream(11);
  for (const char* text : {"edge", "directed-edge", "node:4", "node:4:add-remove"}) {
    const Unit unit = Unit::parse(text);
    const Found found = privacy::testing::search_uphill(
        {.nodes = 10, .columns = 3, .rows_change = true, .starts = 2, .steps = 2000}, unit,
        [&](const World& world, std::size_t person) { return query(world, person, unit); }, Norm::l2, stream);
    EXPECT_LE(found.largest, hop_sensitivity(unit, 3).l2().value()) << text;
    EXPECT_GT(found.largest, 0.7 * hop_sensitivity(unit, 3).l2().value()) << text;
  }
}

TEST(HopSensitivity, HasNoBoundWhereAnyNumberHears) {
  EXPECT_THROW((void)hop_sensitivity(Unit::k_neighbor(2), 3), Unsound);
  // One person's row, heard by n - 1 others, without any edge changed.
  const Unit unit = Unit::k_neighbor(1);
  double before = 0;
  for (const std::size_t nodes : {5U, 17U, 65U}) {
    World first(nodes, 1);
    for (std::size_t i = 1; i < nodes; ++i) first.flip(0, i, true);
    first.rows[0] = {1.0};
    World second = first;
    second.rows[0] = {-1.0};
    ASSERT_TRUE(privacy::testing::are_neighbors({first, second, 0}, unit));
    const double moved = privacy::testing::distance(query(first, 0, unit), query(second, 0, unit), Norm::l2);
    EXPECT_NEAR(moved, 2 * std::sqrt(static_cast<double>(nodes - 1)), 1e-6);
    EXPECT_GT(moved, before);
    before = moved;
  }
}

// What the papers' numbers miss.
TEST(PublishedHopSensitivity, IsExceededByAnUndirectedEdge) {
  const Found found = searched(Unit::edge(), 4);
  EXPECT_GT(found.largest, 1.4 * published_hop_sensitivity(Unit::edge(), 1, 0).l2().value());
}

TEST(PublishedHopSensitivity, IsExceededByTheNodesOwnRow) {
  // GAP calls all rows private: the person's own row moves by up to its degree.
  const Unit unit = Unit::node(3, privacy::Adjacency::add_remove);
  const Found found = privacy::testing::search_all(
      4, unit, {.rows_change = true},
      [&](const World& world, std::size_t) { return released_sums(world.graph(true), world.matrix(), {}); },
      Norm::l2);
  EXPECT_GT(found.largest, 1.9 * published_hop_sensitivity(unit, 1, 3).l2().value());
}

TEST(PublishedHopSensitivity, IsExceededByDegreeSampling) {
  // Whoever leaves a full list is replaced in it: rows change that neither world's person is joined with.
  const Unit unit = Unit::node(11, privacy::Adjacency::add_remove);
  SeededStream stream(12);
  constexpr std::uint64_t kMost = 1;
  const Found found = privacy::testing::search_uphill(
      {.nodes = 12, .columns = 1, .rows_change = true, .starts = 4, .steps = 3000}, unit,
      [&](const World& world, std::size_t person) {
        return released_sums(sampled_listeners(world.graph(true), kMost, 3), world.matrix(), person);
      },
      Norm::l2, stream);
  EXPECT_GT(found.largest, 1.5 * published_hop_sensitivity(unit, 1, kMost).l2().value());
}

TEST(SampledListeners, AreAtMostSoManyAndFromTheGraph) {
  const graph::Graph graph = small_graph().graph;
  const graph::Graph sampled = sampled_listeners(graph, 3, 5);
  const graph::Graph turned = sampled.transposed();
  std::size_t full = 0;
  for (graph::NodeId i = 0; i < graph.nodes(); ++i) {
    EXPECT_EQ(turned.degree(i), std::min<std::size_t>(3, graph.degree(i)));
    full += graph.degree(i) > 3;
    for (const graph::NodeId j : sampled.neighbors(i)) EXPECT_TRUE(graph.has_entry(i, j));
  }
  EXPECT_GT(full, 0U);
  EXPECT_NE(sampled, sampled_listeners(graph, 3, 6));
  EXPECT_EQ(sampled, sampled_listeners(graph, 3, 5));
}

}  // namespace
}  // namespace privet::methods::testing
