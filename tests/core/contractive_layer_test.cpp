#include "privet/core/contractive_layer.hpp"

#include <gtest/gtest.h>

#include "contractive_worlds.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy::testing {
namespace {

constexpr std::size_t kNobody = 1000;

ContractiveLayer floored(std::uint64_t floor, double share = 1) {
  return {.bound = floor, .contraction = 1, .graph_share = share, .residual = 0};
}
ContractiveLayer bounded(std::uint64_t degree, double share = 1) {
  return {.kind = ContractiveLayer::Kind::bounded,
          .bound = degree,
          .contraction = 1,
          .graph_share = share,
          .residual = 0};
}

// docs/privacy/mechanisms.md, and equation (1.3) of the study of CARIBOU's claims that it repeats:
// B(1), B(2), B(5), B(10), B(20), B(50).
TEST(FlooredEdgeBound, HasTheClosedForm) {
  const std::vector<std::pair<std::uint64_t, double>> known = {{1, 1.41421},  {2, 0.85675},  {3, 0.61092},
                                                               {4, 0.47442},  {5, 0.38773},  {6, 0.32782},
                                                               {11, 0.18493}, {21, 0.09880}, {101, 0.02091}};
  for (const auto& [floor, bound] : known) EXPECT_NEAR(floored_edge_bound(floor), bound, 6e-6) << floor;
}

Found searched(const Unit& unit, const ContractiveLayer& layer, std::size_t nodes) {
  return search_all(
      nodes, unit, {.rows_change = true},
      [&](const World& world, std::size_t person) {
        return layer_query(world, layer, unit.excludes_own_row() ? person : kNobody);
      },
      Norm::l2);
}

TEST(ContractiveSensitivity, IsNeverExceededOnAllSmallGraphs) {
  struct Case {
    const char* unit;
    std::size_t nodes;
    ContractiveLayer layer;
    double reached;  // share of the bound that graphs this small reach, as measured
  };
  for (const Case& one :
       {Case{"edge", 4, floored(1), 0.9999}, Case{"edge", 5, floored(2), 0.98},
        Case{"edge", 5, floored(3), 0.89}, Case{"edge", 4, floored(9), 0.6},
        Case{"edge", 4, floored(1, 0.7), 0.9999}, Case{"directed-edge", 3, floored(1), 0.77},
        Case{"directed-edge", 3, floored(2), 0.8}, Case{"node:1", 4, bounded(1), 0.9999},
        Case{"node:2", 4, bounded(2), 0.9999}, Case{"node:3", 4, bounded(3), 0.9999},
        Case{"node:3:add-remove", 4, bounded(3), 0.9999}, Case{"node:3", 4, bounded(3, 0.5), 0.8},
        Case{"node:3", 4, floored(1), 0.38}, Case{"node:3:add-remove", 4, floored(2), 0.4}}) {
    SCOPED_TRACE(std::string(one.unit) + " " + std::to_string(one.layer.bound));
    const Unit unit = Unit::parse(one.unit);
    const double stated = contractive_sensitivity(unit, one.layer, one.nodes, 1).l2().value();
    const Found found = searched(unit, one.layer, one.nodes);
    EXPECT_GT(found.pairs, 500U);
    EXPECT_LE(found.largest, stated);
    EXPECT_GT(found.largest, one.reached * stated);
  }
}

TEST(ContractiveSensitivity, IsNeverExceededUphill) {
  SeededStream stream(17);
  struct Case {
    const char* unit;
    ContractiveLayer layer;
  };
  for (const Case& one :
       {Case{"edge", floored(1)}, Case{"edge", floored(3)}, Case{"edge", floored(5, 0.8)},
        Case{"directed-edge", floored(1)}, Case{"directed-edge", floored(3)}, Case{"node:4", bounded(4)},
        Case{"node:4:add-remove", bounded(4, 0.6)}, Case{"node:4", floored(2)}}) {
    SCOPED_TRACE(std::string(one.unit) + " " + std::to_string(one.layer.bound));
    const Unit unit = Unit::parse(one.unit);
    const Found found = search_uphill(
        {.nodes = 10, .columns = 2, .rows_change = true, .starts = 2, .steps = 3000}, unit,
        [&](const World& world, std::size_t person) {
          return layer_query(world, one.layer, unit.excludes_own_row() ? person : kNobody);
        },
        Norm::l2, stream);
    const double stated = contractive_sensitivity(unit, one.layer, 10, 2).l2().value();
    EXPECT_LE(found.largest, stated);
    EXPECT_GT(found.largest, 0.4 * stated);
  }
}

// Two ends with neighbours of their own and in common, who are alone, or all joined.
World ends_with(std::size_t own, std::size_t common, bool clique) {
  World world(2 + 2 * own + common, 1);
  for (std::size_t i = 2; i < world.nodes; ++i) {
    if (i < 2 + own || i >= 2 + 2 * own) world.flip(0, i, true);
    if (i >= 2 + own) world.flip(1, i, true);
    for (std::size_t j = 2; clique && j < i; ++j) world.flip(i, j, true);
  }
  return world;
}

TEST(ContractiveSensitivity, IsNeverExceededByStarsCliquesAndCommonNeighbors) {
  double closest = 0;
  for (const std::uint64_t floor : {1, 2, 3, 4, 5, 10, 20}) {
    const double stated = floored_edge_bound(floor);
    for (const std::size_t own : {0, 1, 2, 3, 4, 9, 19}) {
      for (const std::size_t common : {0, 1, 3}) {
        for (const bool clique : {false, true}) {
          const World without = ends_with(own, common, clique);
          World with = without;
          with.flip(0, 1, true);
          const double moved = largest_move(without, with, floored(floor));
          EXPECT_LE(moved, stated) << floor << " " << own << " " << common << " " << clique;
          closest = std::max(closest, moved / stated);
          const double of_entry = [&] {
            World one_way = without;
            one_way.flip(0, 1, false);
            return largest_move(without, one_way, floored(floor));
          }();
          EXPECT_LE(of_entry, floored_entry_bound(floor)) << floor << " " << own << " " << common;
        }
      }
    }
  }
  EXPECT_GT(closest, 0.985);
}

TEST(ContractiveSensitivity, IsRefusedWhereThereIsNone) {
  for (const char* unit : {"none", "k-neighbor:2", "record", "local-edge"})
    EXPECT_THROW((void)contractive_sensitivity(Unit::parse(unit), floored(2), 10, 1), Unsound) << unit;
  EXPECT_THROW((void)contractive_sensitivity(Unit::edge(), bounded(3), 10, 1), Unsound);
  EXPECT_THROW((void)contractive_sensitivity(Unit::parse("node:4"), bounded(3), 10, 1), Unsound);
  EXPECT_THROW((void)contractive_sensitivity(Unit::edge(), {.contraction = 1.1}, 10, 1), InvalidArgument);
  EXPECT_THROW((void)contractive_sensitivity(Unit::edge(), {.bound = 0}, 10, 1), InvalidArgument);
}

TEST(LayerGraph, HasNoEdgesWhereThePromiseIsBroken) {
  graph::EdgeList edges;
  for (graph::NodeId i = 1; i < 5; ++i) edges.add(0, i);
  const graph::Graph star(5, std::move(edges), graph::Direction::undirected);
  EXPECT_EQ(layer_graph(star, bounded(4), Unit::parse("node:4")), star);
  EXPECT_EQ(layer_graph(star, bounded(3), Unit::parse("node:3")).stored_entries(), 0U);
  EXPECT_EQ(layer_graph(star, floored(1), Unit::edge()), star);
  graph::EdgeList arrow;
  arrow.add(0, 1);
  const graph::Graph directed(3, std::move(arrow), graph::Direction::directed);
  EXPECT_EQ(layer_graph(directed, floored(1), Unit::edge()).stored_entries(), 2U) << "an edge is a pair";
  EXPECT_EQ(layer_graph(directed, floored(1), Unit::directed_edge()).stored_entries(), 1U);
  // Within node:1 pairs 0 -> 1, 2 -> 3 and with a person who lists 0: both entries of every pair would make
  // 0 a node of two neighbours, and the first graph vanish beside the second.
  EXPECT_EQ(layer_graph(directed, floored(1), Unit::parse("node:1")).stored_entries(), 0U);
  EXPECT_EQ(layer_graph(directed, bounded(1), Unit::parse("node:1")), directed);
}

TEST(Stretching, IsAtMostTheContractionOnEveryGraph) {
  SeededStream stream(3);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t nodes = 2 + stream.below(20);
    const bool undirected = stream.below(2) == 0;
    World world(nodes, 1);
    const std::uint64_t density = 1 + stream.below(4);
    for (std::size_t i = 0; i < nodes; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (stream.below(5) < density) world.flip(i, j, undirected);
    const graph::Graph graph = world.graph(undirected);
    ContractiveLayer layer = floored(1 + stream.below(6), stream.uniform());
    layer.contraction = 0.9;
    EXPECT_LE(stretching(graph, layer), 0.9 * (1 + 1e-12));
    layer = bounded(nodes, stream.uniform());
    layer.contraction = 0.9;
    EXPECT_LE(stretching(graph, layer), 0.9 * (1 + 1e-12));
  }
  // The mean over neighbours, CARIBOU's other reading, is no contraction: a star stretches by sqrt(n / 2) or
  // so; with a floor it is.
  World star(50, 1);
  for (std::size_t i = 1; i < 50; ++i) star.flip(0, i, true);
  EXPECT_LE(stretching(star.graph(true), floored(1)), 1 + 1e-12);
  EXPECT_GT(stretching(star.graph(true), floored(1)), 0.999);
  EXPECT_GT(stretching(star.graph(true), bounded(5)), 1.1) << "a broken promise would show";
}

}  // namespace
}  // namespace privet::privacy::testing
