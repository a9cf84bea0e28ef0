#include "privet/core/mechanisms/subgraph_sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/neighbor_search.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

using testing::are_neighbors;
using testing::Pair;
using testing::World;

std::vector<std::uint8_t> everybody(std::size_t nodes) { return std::vector<std::uint8_t>(nodes, 1); }

// All records that a root's tree of so many layers is made of, written out: the nodes on every path, in
// order. A blanked or replaced person is told apart by its mark.
void write_tree(const HeardLists& lists, graph::NodeId node, std::uint64_t layers, std::size_t person,
                std::vector<std::uint64_t>& to, std::uint64_t mark) {
  to.push_back(node == person ? mark : node);
  if (layers == 0) return;
  to.push_back(1000 + lists.of(node).size());
  for (const graph::NodeId u : lists.of(node)) write_tree(lists, u, layers - 1, person, to, mark);
}

struct Setting {
  Unit unit;
  SubgraphCaps caps;
  std::vector<std::uint8_t> training;  // roots
};

// By how many clip norms the sum of all clipped terms can move: 2 for a term that is another one, 1 for the
// term of a person who is blanked, which is there or not.
std::uint64_t moved_by(const Pair& pair, const Setting& setting, std::uint64_t key) {
  const bool undirected = testing::symmetric(setting.unit);
  const SubgraphSampler sampler(setting.unit, setting.caps);
  const std::vector<std::uint8_t> receives =
      setting.caps.layers == 1 ? setting.training : everybody(pair.first.nodes);
  const HeardLists before = sampler.sample(pair.first.graph(undirected), receives, key);
  const HeardLists after = sampler.sample(pair.second.graph(undirected), receives, key);
  const bool blanked = setting.unit.adjacency() == Adjacency::add_remove;
  std::uint64_t moved = 0;
  for (graph::NodeId root = 0; root < pair.first.nodes; ++root) {
    if (setting.training[root] == 0) continue;
    std::vector<std::uint64_t> first;
    std::vector<std::uint64_t> second;
    write_tree(before, root, setting.caps.layers, pair.person, first, 500);
    write_tree(after, root, setting.caps.layers, pair.person, second, 501);
    if (first != second) moved += blanked && root == pair.person ? 1 : 2;
  }
  return moved;
}

struct Climbed {
  std::uint64_t most = 0;
  std::uint64_t pairs = 0;
};

// Hill climbing over pairs of graphs that are neighbours of the unit: node 0 is blanked or replaced.
Climbed climb(const Setting& setting, std::size_t steps, std::size_t starts, std::uint64_t seed) {
  SeededStream stream(seed);
  const bool both = testing::symmetric(setting.unit);
  const std::size_t n = setting.training.size();
  Climbed climbed;
  for (std::size_t start = 0; start < starts; ++start) {
    const std::uint64_t key = stream.bits();
    Pair best{World(n, 1), World(n, 1), 0};
    std::uint64_t best_moved = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      Pair next = best;
      for (std::uint64_t changes = 1 + stream.below(4); changes > 0; --changes) {
        const std::size_t i = stream.below(n);
        const std::size_t j = (i + 1 + stream.below(n - 1)) % n;
        const std::size_t other = j == 0 ? i : j;
        switch (stream.below(4)) {
          case 0:
            next.first.flip(0, other, both);
            break;
          case 1:
            next.second.flip(0, other, both);
            break;
          default:
            next.first.flip(i, j, both);
            next.second.flip(i, j, both);
        }
      }
      if (!are_neighbors(next, setting.unit)) continue;
      ++climbed.pairs;
      const std::uint64_t moved = moved_by(next, setting, key);
      if (moved < best_moved) continue;
      best_moved = moved;
      best = std::move(next);
    }
    climbed.most = std::max(climbed.most, best_moved);
  }
  return climbed;
}

std::uint64_t bound_of(const Setting& setting) {
  const auto roots = static_cast<std::uint64_t>(std::ranges::count(setting.training, std::uint8_t{1}));
  return static_cast<std::uint64_t>(SubgraphSampler(setting.unit, setting.caps).affected(roots).clip_norms());
}

TEST(SubgraphSampler, CountsAreThoseOfTheArgument) {
  const auto of = [](const std::string& unit, std::uint64_t heard, std::uint64_t listeners,
                     std::uint64_t layers) {
    return SubgraphSampler(Unit::parse(unit), {heard, listeners, layers}).affected(1'000'000);
  };
  EXPECT_EQ(of("record:add-remove", 3, 4, 1), (AffectedExamples{1, 4 + 3}));
  EXPECT_EQ(of("record:replace", 3, 4, 1), (AffectedExamples{0, 1 + 4 + 2 * 3}));
  EXPECT_EQ(of("record:add-remove", 2, 2, 2), (AffectedExamples{1, 12}));
  EXPECT_EQ(of("record:replace", 2, 2, 2), (AffectedExamples{0, 1 + 2 + 4 + 4 * 3}));
  EXPECT_EQ(of("node:5:add-remove", 3, 9, 1), (AffectedExamples{1, 5}));
  EXPECT_EQ(of("node:5", 3, 9, 1), (AffectedExamples{0, 11}));
  EXPECT_EQ(of("node:5:add-remove", 3, 9, 2), (AffectedExamples{1, 30}));
  EXPECT_EQ(of("node:5", 3, 9, 2), (AffectedExamples{0, 61}));
  // There are no more terms than training nodes.
  EXPECT_EQ(SubgraphSampler(Unit::parse("node:5"), {3, 3, 1}).affected(4), (AffectedExamples{0, 4}));
  EXPECT_EQ(SubgraphSampler(Unit::parse("record:add-remove"), {3, 3, 1}).affected(4),
            (AffectedExamples{0, 4}));
  EXPECT_EQ(SubgraphSampler(Unit::parse("record:add-remove"), {3, 3, 1}).affected(7),
            (AffectedExamples{1, 6}));
}

TEST(SubgraphSampler, RefusesWhatItCannotBound) {
  EXPECT_THROW(SubgraphSampler(Unit::edge(), {}), Unsound);
  EXPECT_THROW(SubgraphSampler(Unit::k_neighbor(3), {}), Unsound);
  EXPECT_THROW(SubgraphSampler(Unit::parse("record"), {0, 1, 1}), InvalidArgument);
  EXPECT_THROW(SubgraphSampler(Unit::parse("record"), {1, 0, 1}), InvalidArgument);
  EXPECT_THROW(SubgraphSampler(Unit::parse("record"), {1, 1, 9}), InvalidArgument);
  EXPECT_THROW(SubgraphSampler(Unit::parse("node:1000000"), {1, 1, 3}), InvalidArgument);
}

TEST(SubgraphSampler, KeepsItsCaps) {
  SeededStream stream(1);
  graph::EdgeList edges;
  for (int i = 0; i < 900; ++i) {
    edges.add(static_cast<graph::NodeId>(stream.below(60)), static_cast<graph::NodeId>(stream.below(60)));
  }
  const graph::Graph graph(60, std::move(edges), graph::Direction::directed);
  std::vector<std::uint8_t> receives(60);
  for (std::size_t i = 0; i < 60; i += 2) receives[i] = 1;
  const HeardLists lists = SubgraphSampler(Unit::parse("record"), {4, 3, 1}).sample(graph, receives, 9);
  std::vector<std::size_t> heard_by(60);
  std::size_t full = 0;
  for (graph::NodeId v = 0; v < 60; ++v) {
    EXPECT_LE(lists.of(v).size(), receives[v] == 0 ? 0U : 4U);
    for (const graph::NodeId u : lists.of(v)) {
      EXPECT_TRUE(graph.has_entry(v, u));
      ++heard_by[u];
    }
  }
  for (const std::size_t count : heard_by) {
    EXPECT_LE(count, 3U);
    full += count == 3 ? 1 : 0;
  }
  EXPECT_GT(full, 5U);
  EXPECT_NE(lists, SubgraphSampler(Unit::parse("record"), {4, 3, 1}).sample(graph, receives, 10));
  // node:D caps rows alone.
  const HeardLists rows = SubgraphSampler(Unit::parse("node:40"), {4, 1, 1}).sample(graph, receives, 9);
  for (graph::NodeId v = 0; v < 60; v += 2)
    EXPECT_EQ(rows.of(v).size(), std::min<std::size_t>(4, graph.degree(v)));
  EXPECT_EQ(whole_rows(graph, everybody(60)).members.size(), graph.stored_entries());
}

// The stated counts, searched for a violation: no pair of neighbours changes more terms, and the search comes
// within one of every bound that small graphs have room for.
TEST(SubgraphSampler, NoRecordChangesMoreTermsThanCounted) {
  for (const char* unit : {"record:add-remove", "record:replace"}) {
    for (const SubgraphCaps caps : {SubgraphCaps{1, 1, 1}, SubgraphCaps{2, 1, 1}, SubgraphCaps{1, 3, 1},
                                    SubgraphCaps{2, 2, 1}, SubgraphCaps{3, 2, 1}}) {
      const Setting setting{Unit::parse(unit), caps, everybody(14)};
      const Climbed found = climb(setting, 1500, 8, 11);
      EXPECT_GT(found.pairs, 1000U);
      EXPECT_LE(found.most, bound_of(setting)) << unit;
      EXPECT_GE(found.most + 2, bound_of(setting))
          << unit << " " << caps.heard << " " << caps.listeners << ": a loose bound costs accuracy";
    }
  }
}

TEST(SubgraphSampler, NoRecordChangesMoreTreesThanCounted) {
  for (const char* unit : {"record:add-remove", "record:replace"}) {
    const Setting setting{Unit::parse(unit), {1, 2, 2}, everybody(18)};
    const Climbed found = climb(setting, 2500, 6, 13);
    EXPECT_LE(found.most, bound_of(setting)) << unit;
    EXPECT_GE(found.most + 6, bound_of(setting)) << unit;
  }
}

TEST(SubgraphSampler, NoNodeChangesMoreTermsThanCounted) {
  for (const char* unit : {"node:2:add-remove", "node:3:add-remove", "node:2", "node:3"}) {
    for (const std::uint64_t heard : {1, 2, 3}) {
      const Setting setting{Unit::parse(unit), {heard, 1, 1}, everybody(12)};
      const Climbed found = climb(setting, 1500, 4, 17);
      EXPECT_GT(found.pairs, 200U);
      EXPECT_LE(found.most, bound_of(setting)) << unit;
      if (heard < 3) continue;
      EXPECT_EQ(found.most, bound_of(setting)) << unit;
    }
  }
  const Setting trees{Unit::parse("node:3:add-remove"), {3, 1, 2}, everybody(14)};
  const Climbed found = climb(trees, 3000, 4, 19);
  EXPECT_LE(found.most, bound_of(trees));
  // In an undirected graph the way back is no new node: 1 + D + D (D - 1) of 1 + D + D^2.
  EXPECT_GE(found.most, 17U);
}

// Nodes without a role are heard too and own lists of which nobody learns anything; only roots have terms.
TEST(SubgraphSampler, PeopleWhoAreNoTrainingNodesChangeNoMore) {
  std::vector<std::uint8_t> some = everybody(14);
  some[0] = 0;  // the person
  for (const std::uint64_t layers : {1, 2}) {
    const Setting setting{Unit::parse("record:replace"), {2, 2, layers}, some};
    EXPECT_LE(climb(setting, 1200, 3, 23).most, bound_of(setting));
  }
  const Setting one{Unit::parse("record:replace"), {2, 2, 1}, some};
  EXPECT_LE(climb(one, 1200, 3, 23).most, 4U) << "its own list is nobody's training subgraph";
}

// Few roots, all of which hear somebody who is none: every term is another one and none is gone.
TEST(SubgraphSampler, SomebodyWhoIsNoRootMayReachThemAll) {
  for (const char* unit : {"record:add-remove", "record:replace", "node:4:add-remove", "node:4"}) {
    for (const std::size_t roots : {1U, 2U, 3U}) {
      for (const std::uint64_t layers : {1, 2}) {
        std::vector<std::uint8_t> training(8, 0);
        std::fill_n(training.begin() + 1, roots, std::uint8_t{1});
        const Setting setting{Unit::parse(unit), {3, 4, layers}, training};
        const Climbed found = climb(setting, 800, 3, 29);
        EXPECT_LE(found.most, bound_of(setting)) << unit << " " << roots << " " << layers;
        EXPECT_EQ(found.most, 2 * roots) << unit << " " << roots << " " << layers;
      }
    }
  }
}

// A hub that everybody hears, and who hears everybody: caps act in both directions at once.
TEST(SubgraphSampler, HubsAndCompleteGraphs) {
  for (const bool complete : {true, false}) {
    constexpr std::size_t kNodes = 40;
    Pair pair{World(kNodes, 1), World(kNodes, 1), 0};
    for (std::size_t i = 0; i < kNodes; ++i) {
      for (std::size_t j = 0; j < kNodes; ++j) {
        if (i == j || (!complete && i != 0 && j != 0)) continue;
        pair.first.flip(i, j, false);
        if (i != 0) pair.second.flip(i, j, false);
      }
    }
    const Setting setting{Unit::parse("record:add-remove"), {5, 6, 1}, everybody(kNodes)};
    ASSERT_TRUE(are_neighbors(pair, setting.unit));
    std::uint64_t most = 0;
    for (std::uint64_t key = 0; key < 50; ++key) most = std::max(most, moved_by(pair, setting, key));
    EXPECT_LE(most, bound_of(setting));
    EXPECT_GE(most, 13U);
  }
}

}  // namespace
}  // namespace privet::privacy
