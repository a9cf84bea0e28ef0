#include <gtest/gtest.h>

#include <cmath>

#include "core/neighbor_search.hpp"
#include "dpdgc_worlds.hpp"
#include "privet/methods/dpdgc/dpdgc_network.hpp"
#include "privet/methods/dpdgc/dpdgc_plan.hpp"
#include "privet/nn/clipped_gradient.hpp"

/// Searches for neighbouring graphs on which what DPDGC computes moves further than strict rigor charges, and
/// for those on which it moves further than the paper counts.
namespace privet::methods {
namespace {

using privacy::Unit;
using privacy::testing::Norm;
using privacy::testing::World;

const std::vector<std::string>& units() {
  static const std::vector<std::string> all = {
      "directed-edge", "edge",   "k-neighbor:1", "k-neighbor:2",
      "node:1",        "node:2", "node:3",       "node:2:add-remove"};
  return all;
}

TEST(DpdgcSensitivity, NoPairOfSmallGraphsMovesTheSumsFurtherThanCharged) {
  for (const std::string& text : units()) {
    const Unit unit = Unit::parse(text);
    const std::size_t nodes = privacy::testing::symmetric(unit) ? 5 : 4;
    const privacy::testing::Found found =
        privacy::testing::search_all(nodes, unit, {.rows = {{1.0}}}, testing::sums_query(unit), Norm::l2);
    EXPECT_GT(found.pairs, 80U) << text;
    EXPECT_LE(found.largest, testing::charged_for_sums(unit)) << text;
    // Four neighbours, old and new ones together, are all that five nodes have room for.
    const double room = std::min(testing::charged_for_sums(unit), 2.0);
    EXPECT_NEAR(found.largest, room, 4 * 0x1p-20) << text << ": the search did not reach the bound";
  }
}

TEST(DpdgcSensitivity, NoPairOfLargerGraphsMovesTheSumsFurtherThanCharged) {
  SeededStream stream(11);
  for (const char* text : {"edge", "directed-edge", "k-neighbor:3", "node:4"}) {
    const Unit unit = Unit::parse(text);
    const privacy::testing::Found found =
        privacy::testing::search_uphill({.nodes = 12, .columns = 2, .starts = 3, .steps = 1500}, unit,
                                        testing::sums_query(unit), Norm::l2, stream);
    EXPECT_GT(found.pairs, 100U) << text;
    EXPECT_LE(found.largest, testing::charged_for_sums(unit) * (1 + 1e-9)) << text;
    EXPECT_GT(found.largest, 0.7 * testing::charged_for_sums(unit)) << text;
  }
}

// Which examples of the embedding differ: one-hot codes of (list, label), half as large, so that L1 counts
// nodes.
TEST(DpdgcSensitivity, TheAffectedExamplesAreAsManyAsCounted) {
  for (const std::string& text : units()) {
    const Unit unit = Unit::parse(text);
    const std::size_t nodes = privacy::testing::symmetric(unit) ? 5 : 4;
    const auto query = [](const World& world, std::size_t) {
      const std::size_t codes = (std::size_t{1} << world.nodes) * 3;
      std::vector<double> rows(world.nodes * codes, 0.0);
      for (std::size_t i = 0; i < world.nodes; ++i) {
        std::size_t code = static_cast<std::size_t>(world.labels[i] + 1);
        for (std::size_t j = 0; j < world.nodes; ++j) code += world.has(i, j) ? 3 * (std::size_t{1} << j) : 0;
        rows[i * codes + code] = 0.5;
      }
      return rows;
    };
    const privacy::testing::Found found =
        privacy::testing::search_all(nodes, unit, {.rows = {{1.0}}, .classes = 1}, query, Norm::l1);
    const auto counted = static_cast<double>(privacy::examples_with_one_hop(unit, nodes).count());
    EXPECT_EQ(found.largest, counted) << text;
  }
}

// What the paper takes for the sensitivity of A W at edge level is passed by the first undirected edge.
TEST(DpdgcSensitivity, AnUndirectedEdgeCountsTwiceInA) {
  const privacy::testing::Found found = privacy::testing::search_all(
      4, Unit::edge(), {.rows = {{1.0}}}, testing::sums_query(Unit::edge()), Norm::l2);
  EXPECT_GT(found.largest, 1.4);
  EXPECT_EQ(privacy::examples_with_one_hop(Unit::edge(), 4).replaced, 2U);
}

struct Moved {
  double sum = 0;  // of clipped gradients of the embedding, in clip norms
  double error = 0;
};

// The person's list empties; everybody else has it on the list in one world and nobody in the other.
Moved moved_by_a_star(std::size_t neighbors) {
  const std::size_t nodes = neighbors + 1;
  graph::EdgeList star;
  for (graph::NodeId i = 1; i < nodes; ++i) star.add(0, i);
  const graph::Graph joined(nodes, std::move(star), graph::Direction::undirected);
  const graph::Graph apart(nodes, {}, graph::Direction::undirected);
  SeededStream stream(3);
  const nn::Network network = embedding_network(nodes, 8, 3, false, stream);
  const nn::Parameters parameters = network.initial_parameters(stream);
  const nn::SumPlan plan = nn::SumPlan::for_batches_of(nodes, nn::SumIn::doubles);
  std::vector<std::uint32_t> members(nodes);
  std::vector<std::int32_t> labels(nodes, 1);
  for (std::uint32_t i = 0; i < nodes; ++i) members[i] = i;
  const auto sum_of = [&](const graph::Graph& graph) {
    nn::GradientRoom room;
    nn::clipped_gradient_sum(network, parameters, list_examples(graph, labels, everybody(nodes)), members,
                             nn::Clipping{{0.01}}, plan, 1, room);
    return room.sum;
  };
  const auto a = sum_of(joined);
  const auto b = sum_of(apart);
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += std::pow((static_cast<double>(a[i]) - static_cast<double>(b[i])) / 0.01, 2);
  return {std::sqrt(squares), 2 * plan.sum_error()};
}

// Neighbours that gain the same person change in the same way: their gradients move together, past noise for
// 2 sqrt(g) clip norms, within 2 g.
TEST(DpdgcSensitivity, GradientsOfNeighboursMoveTogether) {
  for (const std::size_t k : {std::size_t{15}, std::size_t{25}, std::size_t{100}}) {
    const Moved moved = moved_by_a_star(k);
    const auto group = static_cast<double>(k + 1);
    EXPECT_GT(moved.sum, 2 * std::sqrt(group)) << k;
    EXPECT_LE(moved.sum, 2 * group + moved.error) << k;
  }
}

// Everybody is listed by the person and by one other node, columns are sampled down to one entry. When the
// person leaves, the other one takes its places: its row moves by about half of all columns at once.
TEST(DpdgcSensitivity, SampledColumnsLetOthersIn) {
  constexpr std::size_t kNodes = 42;
  constexpr std::uint64_t kDegree = 1;
  const auto world = [](bool with_person) {
    graph::EdgeList edges;
    for (graph::NodeId j = 2; j < kNodes; ++j) {
      if (with_person) edges.add(0, j);
      edges.add(1, j);
    }
    return graph::Graph(kNodes, std::move(edges), graph::Direction::directed);
  };
  const graph::Graph before = sampled_columns(world(true), kDegree, 5);
  const graph::Graph after = sampled_columns(world(false), kDegree, 5);
  for (const graph::Graph& graph : {before, after}) {
    for (graph::NodeId j = 0; j < kNodes; ++j) EXPECT_LE(graph.transposed().degree(j), kDegree);
  }
  // Node 1's row of A W for rows of W that are all alike; 40 fair coins give more than 8 but for 2e-5.
  const double moved = std::abs(static_cast<double>(after.degree(1)) - static_cast<double>(before.degree(1)));
  EXPECT_GT(moved, 8);
  EXPECT_GT(moved, std::sqrt(2.0 * kDegree)) << "what Theorem 5.3 counts for all rows together";
}

TEST(DpdgcSensitivity, SampledColumnsKeepWhatIsShortEnough) {
  graph::EdgeList edges;
  for (graph::NodeId i = 1; i < 6; ++i) edges.add(i, 0);
  edges.add(0, 3);
  const graph::Graph graph(6, std::move(edges), graph::Direction::directed);
  EXPECT_EQ(sampled_columns(graph, 5, 1), graph);
  const graph::Graph cut = sampled_columns(graph, 2, 1);
  EXPECT_EQ(cut.transposed().degree(0), 2U);
  EXPECT_TRUE(cut.has_entry(0, 3));
}

}  // namespace
}  // namespace privet::methods
