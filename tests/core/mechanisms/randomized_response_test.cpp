#include "privet/core/mechanisms/randomized_response.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/one_run.hpp"
#include "core/simulation.hpp"
#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

namespace privet::privacy {
namespace {

using graph::Direction;
using graph::EdgeList;
using graph::Graph;
using graph::NodeId;
using testing::measured_epsilon;
using testing::TwoWorlds;

Graph complete(std::size_t nodes, Direction direction) {
  EdgeList edges;
  for (NodeId i = 0; i < nodes; ++i) {
    for (NodeId j = 0; j < nodes; ++j) {
      if (i != j) edges.add(i, j);
    }
  }
  return {nodes, std::move(edges), direction};
}

Graph empty(std::size_t nodes) { return {nodes, {}, Direction::undirected}; }

std::uint64_t times_of(const Event& event) {
  const auto* repeated = std::get_if<RepeatedEvent>(&event.kind());
  return repeated == nullptr ? 1 : repeated->times;
}

// Every bit is one run: 0 throughout in one world, 1 throughout in the other.
TEST(RandomizedResponse, CostsWhatItSays) {
  constexpr std::size_t kNodes = 1001;
  const Secret<Graph> none(empty(kNodes));
  const Secret<Graph> all(complete(kNodes, Direction::undirected));
  for (const double epsilon : {0.5, 1.0, 4.0}) {
    const RandomizedResponse mechanism(Unit::directed_edge(), Epsilon(epsilon));
    ReleaseLog log;
    SeededStream stream(7);
    const BitRows zeros = mechanism.release_entries(none, kNodes, "entries", log, stream);
    const BitRows ones = mechanism.release_entries(all, kNodes, "entries", log, stream);
    TwoWorlds seen{
        .draws = kNodes * (kNodes - 1), .likely = ones.columns.size(), .unlikely = zeros.columns.size()};
    // Above the stated value only with probability 2e-6, in each direction.
    EXPECT_LE(measured_epsilon(seen), epsilon);
    EXPECT_GE(measured_epsilon(seen), 0.9 * epsilon);
    const TwoWorlds turned{
        .draws = seen.draws, .likely = seen.draws - seen.unlikely, .unlikely = seen.draws - seen.likely};
    EXPECT_LE(measured_epsilon(turned), epsilon);
    EXPECT_GE(measured_epsilon(turned), 0.9 * epsilon);
    EXPECT_EQ(std::get<RandomizedResponseEvent>(one_run(log.releases()[0]).kind()).epsilon, epsilon);
  }
}

// Ones are kept with a probability, in one step with the response: the same cost, a sparser result.
TEST(RandomizedResponse, ThinnedCostsTheSameAndTellsLess) {
  constexpr std::size_t kNodes = 1001;
  constexpr double kDraws = kNodes * (kNodes - 1);
  const Secret<Graph> none(empty(kNodes));
  const Secret<Graph> all(complete(kNodes, Direction::undirected));
  constexpr double kEpsilon = 1.5;
  const RandomizedResponse plain(Unit::directed_edge(), Epsilon(kEpsilon));
  for (const double share : {1.0, 0.3, 0.01}) {
    const RandomizedResponse mechanism = plain.thinned(share);
    ReleaseLog log;
    SeededStream stream(8);
    const BitRows zeros = mechanism.release_entries(none, kNodes, "entries", log, stream);
    const BitRows ones = mechanism.release_entries(all, kNodes, "entries", log, stream);
    // Five standard deviations: a false alarm in 2e6.
    const auto expect_count = [&](const BitRows& told, double probability) {
      EXPECT_NEAR(static_cast<double>(told.columns.size()), kDraws * probability,
                  5 * std::sqrt(kDraws * probability * (1 - probability)));
    };
    expect_count(zeros, plain.flip_probability() * share);
    expect_count(ones, (1 - plain.flip_probability()) * share);
    const TwoWorlds seen{.draws = static_cast<std::uint64_t>(kDraws),
                         .likely = ones.columns.size(),
                         .unlikely = zeros.columns.size()};
    EXPECT_LE(measured_epsilon(seen), kEpsilon);
    EXPECT_GE(measured_epsilon(seen), 0.85 * kEpsilon);
    EXPECT_EQ(one_run(log.releases()[0]), plain.event());
    for (std::size_t i = 0; i < kNodes; ++i) {
      const auto row = ones.row(i);
      EXPECT_TRUE(std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()) == row.end());
      EXPECT_EQ(std::find(row.begin(), row.end(), i), row.end());
    }
  }
  EXPECT_THROW((void)plain.thinned(0), InvalidArgument);
  EXPECT_THROW((void)plain.thinned(1.1), InvalidArgument);
}

TEST(RandomizedResponse, ThinnedTellsEveryBitAsOften) {
  // One edge among few nodes: each pair by itself, 20,000 draws, five standard deviations (6 pairs: a false
  // alarm in 3e5).
  constexpr std::size_t kNodes = 4;
  EdgeList edges;
  edges.add(1, 2);
  const Secret<Graph> graph(Graph(kNodes, std::move(edges), Direction::undirected));
  const RandomizedResponse mechanism = RandomizedResponse(Unit::edge(), Epsilon(1)).thinned(0.5);
  ReleaseLog log;
  SeededStream stream(9);
  constexpr int kDraws = 20'000;
  std::vector<double> counts(kNodes * kNodes);
  for (int draw = 0; draw < kDraws; ++draw) {
    const BitRows told = mechanism.release_pairs(graph, kNodes, "pairs", log, stream);
    for (std::size_t i = 0; i < kNodes; ++i)
      for (const NodeId j : told.row(i)) counts[i * kNodes + j] += 1;
  }
  const double flip = mechanism.flip_probability();
  for (std::size_t i = 0; i < kNodes; ++i) {
    for (std::size_t j = 0; j < kNodes; ++j) {
      const double p = i >= j ? 0 : 0.5 * (i == 1 && j == 2 ? 1 - flip : flip);
      EXPECT_NEAR(counts[i * kNodes + j], kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p))) << i << ' ' << j;
    }
  }
}

TEST(RandomizedResponse, TheProbabilityIsOnTheSafeSide) {
  for (const double epsilon : {0.001, 1.0, 4.0, 12.0, 27.0}) {
    const double p = RandomizedResponse(Unit::edge(), Epsilon(epsilon)).flip_probability();
    EXPECT_LT(std::log((1 - p) / p), epsilon);
    EXPECT_GT(std::log((1 - p) / p), epsilon - 1e-9);
  }
}

TEST(RandomizedResponse, EveryBitIsFlippedAsOften) {
  constexpr std::size_t kNodes = 9;
  constexpr int kRounds = 20000;
  EdgeList edges;
  edges.add(0, 1);
  edges.add(2, 8);
  edges.add(7, 8);
  const Graph truth(kNodes, std::move(edges), Direction::undirected);
  const Secret<Graph> secret(truth);
  const RandomizedResponse mechanism(Unit::edge(), Epsilon(1));
  SeededStream stream(1);
  std::vector<int> flips(kNodes * kNodes);
  for (int round = 0; round < kRounds; ++round) {
    ReleaseLog log;
    const BitRows told = mechanism.release_pairs(secret, kNodes, "pairs", log, stream);
    ASSERT_EQ(told.rows(), kNodes);
    for (NodeId i = 0; i < kNodes; ++i) {
      std::vector<bool> bits(kNodes);
      NodeId before = i;
      for (const NodeId j : told.row(i)) {
        ASSERT_GT(j, before) << "ascending, above the diagonal";
        ASSERT_LT(j, kNodes);
        before = j;
        bits[j] = true;
      }
      for (NodeId j = i + 1; j < kNodes; ++j) flips[i * kNodes + j] += bits[j] != truth.has_entry(i, j);
    }
  }
  const double p = mechanism.flip_probability();
  for (NodeId i = 0; i < kNodes; ++i) {
    for (NodeId j = i + 1; j < kNodes; ++j) {
      // 5.5 standard deviations at 36 bits: a false alarm in 700,000.
      EXPECT_NEAR(flips[i * kNodes + j], kRounds * p, 5.5 * std::sqrt(kRounds * p * (1 - p)))
          << i << " " << j;
    }
  }
}

TEST(RandomizedResponse, RowsLeaveOutTheirOwner) {
  constexpr std::size_t kBits = 40;
  const RandomizedResponse mechanism(Unit::local_edge(), Epsilon(1));
  SeededStream stream(2);
  ReleaseLog log;
  const Secret<std::vector<NodeId>> list(std::vector<NodeId>{3, 17, 39});
  std::vector<int> ones(kBits);
  constexpr int kRounds = 5000;
  for (int round = 0; round < kRounds; ++round) {
    for (const NodeId j : mechanism.release_row(list, kBits, 17, "list", log, stream)) ++ones[j];
  }
  const double p = mechanism.flip_probability();
  for (std::size_t j = 0; j < kBits; ++j) {
    const double expected = j == 17 ? 0 : j == 3 || j == 39 ? 1 - p : p;
    // 5.5 standard deviations at 40 bits: a false alarm in 600,000.
    EXPECT_NEAR(ones[j], kRounds * expected, j == 17 ? 0 : 5.5 * std::sqrt(kRounds * p * (1 - p))) << j;
  }
  EXPECT_EQ(times_of(one_run(log.releases()[0])), 1u);
}

TEST(RandomizedResponse, IsTotalOnStrangeLists) {
  const RandomizedResponse mechanism(Unit::local_edge(), Epsilon(1));
  ReleaseLog log;
  const auto told = [&](std::vector<NodeId> ones) {
    SeededStream stream(3);
    return mechanism.release_row(Secret<std::vector<NodeId>>(std::move(ones)), 10, 0, "list", log, stream);
  };
  EXPECT_EQ(told({5, 5, 3, 99, 0, 7}), told({5, 7}));
}

TEST(RandomizedResponse, IsTotalOnStrangeGraphs) {
  const RandomizedResponse mechanism(Unit::edge(), Epsilon(1));
  ReleaseLog log;
  const auto told = [&](const Secret<Graph>& graph) {
    SeededStream stream(4);
    return mechanism.release_pairs(graph, 50, "pairs", log, stream).columns;
  };
  const Secret<Graph> other(complete(49, Direction::undirected));
  const Secret<Graph> failed = other.map([](const Graph&) -> Graph { throw DataError({.what = "x"}); });
  const std::vector<NodeId> noise = told(Secret<Graph>(empty(50)));
  EXPECT_EQ(told(other), noise);
  EXPECT_EQ(told(failed), noise);
}

TEST(RandomizedResponse, TheStreamsPositionTellsNothing) {
  const RandomizedResponse mechanism(Unit::edge(), Epsilon(1));
  ReleaseLog log;
  SeededStream first(5);
  SeededStream second(5);
  (void)mechanism.release_pairs(Secret<Graph>(empty(50)), 50, "pairs", log, first);
  (void)mechanism.release_pairs(Secret<Graph>(complete(50, Direction::undirected)), 50, "pairs", log, second);
  EXPECT_EQ(first.bits(), second.bits());
}

TEST(RandomizedResponse, TwoEntriesOfAnEdgeCostTwice) {
  const RandomizedResponse mechanism(Unit::edge(), Epsilon(1.5));
  ReleaseLog log;
  SeededStream stream(6);
  const Secret<Graph> graph(empty(10));
  (void)mechanism.release_pairs(graph, 10, "pairs", log, stream);
  (void)mechanism.release_entries(graph, 10, "entries", log, stream);
  EXPECT_EQ(times_of(one_run(log.releases()[0])), 1u);
  EXPECT_EQ(times_of(log.releases()[1].event), 2u);
}

TEST(RandomizedResponse, DoesNotDependOnThreadsAndNeverRepeats) {
  const RandomizedResponse mechanism(Unit::edge(), Epsilon(2));
  ReleaseLog log;
  const Secret<Graph> graph(empty(2000));
  const std::size_t before = thread_count();
  SeededStream first(7);
  SeededStream second(7);
  set_thread_count(1);
  const BitRows one = mechanism.release_pairs(graph, 2000, "pairs", log, first);
  set_thread_count(3);
  const BitRows many = mechanism.release_pairs(graph, 2000, "pairs", log, second);
  set_thread_count(before);
  EXPECT_EQ(one.columns, many.columns);
  EXPECT_EQ(one.offsets, many.offsets);
  EXPECT_NE(mechanism.release_pairs(graph, 2000, "pairs", log, first).columns, one.columns);
}

TEST(RandomizedResponse, PairsMakeAGraph) {
  const BitRows pairs{.offsets = {0, 2, 2, 2}, .columns = {1, 2}};
  const Graph graph = graph_of_pairs(pairs);
  EXPECT_EQ(graph.nodes(), 3u);
  EXPECT_TRUE(graph.undirected());
  EXPECT_TRUE(graph.has_entry(2, 0));
  EXPECT_EQ(graph.edges(), 2u);
}

TEST(RandomizedResponse, PairsToldMakeTheGraphOfTheirEdges) {
  constexpr std::size_t kNodes = 9000;
  ReleaseLog log;
  SeededStream stream(9);
  const BitRows told = RandomizedResponse(Unit::edge(), Epsilon(6))
                           .release_pairs(Secret<Graph>(empty(kNodes)), kNodes, "pairs", log, stream);
  EdgeList edges;
  for (std::size_t i = 0; i < told.rows(); ++i) {
    for (const NodeId j : told.row(i)) edges.add(static_cast<NodeId>(i), j);
  }
  EXPECT_EQ(graph_of_pairs(told), Graph(kNodes, std::move(edges), Direction::undirected));
}

TEST(RandomizedResponse, RefusesUnitsOfManyBits) {
  for (const char* unit : {"none", "k-neighbor:2", "node:3", "record"}) {
    EXPECT_THROW(RandomizedResponse(Unit::parse(unit), Epsilon(1)), Unsound) << unit;
  }
  EXPECT_THROW(RandomizedResponse(Unit::edge(), Epsilon(0)), InvalidArgument);
  EXPECT_THROW(RandomizedResponse(Unit::edge(), Epsilon(40)), InvalidArgument);
  ReleaseLog log;
  SeededStream stream(8);
  EXPECT_THROW((void)RandomizedResponse(Unit::local_edge(), Epsilon(1))
                   .release_row(Secret<std::vector<NodeId>>({}), 5, 5, "list", log, stream),
               InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
