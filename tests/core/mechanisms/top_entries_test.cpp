#include "privet/core/mechanisms/top_entries.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/neighbor_search.hpp"
#include "core/simulation.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

using testing::Norm;
using testing::World;

graph::Graph ring(std::size_t nodes) {
  graph::EdgeList edges;
  for (graph::NodeId i = 0; i < nodes; ++i) edges.add(i, static_cast<graph::NodeId>((i + 1) % nodes));
  return {nodes, std::move(edges), graph::Direction::undirected};
}

BitRows told(const TopEntries& mechanism, const graph::Graph& graph, std::uint64_t keep,
             RandomStream& stream) {
  ReleaseLog log;
  return mechanism.release(Secret<graph::Graph>(graph), graph.nodes(), keep, "test", log, stream);
}

bool has(const BitRows& rows, std::size_t i, graph::NodeId j) {
  return std::ranges::binary_search(rows.row(i), j);
}

// What noise is added to: the entries above the diagonal, or all of them. One edge is one of them, by 1.
TEST(TopEntries, AnEdgeIsOneEntry) {
  const auto entries = [](bool pairs) {
    return [pairs](const World& world, std::size_t) {
      std::vector<double> all;
      for (std::size_t i = 0; i < world.nodes; ++i)
        for (std::size_t j = pairs ? i + 1 : 0; j < world.nodes; ++j) all.push_back(world.has(i, j) ? 1 : 0);
      return all;
    };
  };
  const testing::Found pairs = testing::search_all(4, Unit::edge(), {}, entries(true), Norm::l1);
  EXPECT_GT(pairs.pairs, 300U);
  EXPECT_EQ(pairs.largest, 1);
  EXPECT_EQ(testing::search_all(3, Unit::directed_edge(), {}, entries(false), Norm::l1).largest, 1);
  EXPECT_EQ(testing::search_all(4, Unit::edge(), {}, entries(false), Norm::l1).largest, 2)
      << "why an undirected edge must not be told twice";
}

TEST(TopEntries, KeepsAsManyAsAsked) {
  SeededStream stream(1);
  for (const double epsilon : {0.01, 1.0, 20.0}) {
    for (const std::uint64_t keep : {0U, 1U, 50U, 500U}) {
      EXPECT_EQ(told(TopEntries(Unit::edge(), Epsilon(epsilon)), ring(200), keep, stream).columns.size(),
                keep);
      EXPECT_EQ(
          told(TopEntries(Unit::directed_edge(), Epsilon(epsilon)), ring(200), keep, stream).columns.size(),
          keep);
    }
  }
}

TEST(TopEntries, NearlyNoPrivacyIsNearlyTheGraph) {
  SeededStream stream(2);
  const graph::Graph graph = ring(300);
  EXPECT_EQ(graph_of_pairs(told(TopEntries(Unit::edge(), Epsilon(60)), graph, graph.edges(), stream)), graph);
  const BitRows rows =
      told(TopEntries(Unit::directed_edge(), Epsilon(60)), graph, graph.stored_entries(), stream);
  EXPECT_EQ(rows.columns, std::vector<graph::NodeId>(graph.columns().begin(), graph.columns().end()));
}

// Against the plain way, noise on all entries and a sort: how many true edges are among those kept has the
// same mean. 6 standard errors: false alarm 1e-8 for each.
TEST(TopEntries, AgreesWithNoiseOnEveryEntry) {
  const graph::Graph graph = ring(60);
  constexpr int kRuns = 400;
  for (const double epsilon : {0.5, 2.0, 5.0}) {
    SeededStream stream(3);
    const TopEntries mechanism(Unit::edge(), Epsilon(epsilon));
    double sparse = 0;
    double plain = 0;
    double squares = 0;
    for (int run = 0; run < kRuns; ++run) {
      const BitRows rows = told(mechanism, graph, 60, stream);
      double hits = 0;
      for (graph::NodeId i = 0; i < 60; ++i)
        for (const graph::NodeId j : rows.row(i)) hits += graph.has_entry(i, j);
      sparse += hits;
      std::vector<std::pair<double, bool>> all;
      for (graph::NodeId i = 0; i < 60; ++i) {
        for (graph::NodeId j = i + 1; j < 60; ++j) {
          const bool one = graph.has_entry(i, j);
          const double size = -std::log(stream.uniform_positive()) / epsilon;
          all.emplace_back((one ? 1 : 0) + (stream.below(2) == 0 ? size : -size), one);
        }
      }
      std::ranges::sort(all, std::greater());
      double kept = 0;
      for (int k = 0; k < 60; ++k) kept += all[static_cast<std::size_t>(k)].second;
      plain += kept;
      squares += hits * hits + kept * kept;
    }
    const double mean = (sparse + plain) / (2 * kRuns);
    const double deviation = std::sqrt(std::fmax(0.5, squares / (2 * kRuns) - mean * mean));
    EXPECT_NEAR(sparse / kRuns, plain / kRuns, 6 * deviation * std::sqrt(2.0 / kRuns)) << epsilon;
  }
}

// Whether one pair is told, with the edge and without. The best event there is for one that was kept: its
// measured epsilon stays below what was paid (false alarm 2e-6 each) and comes near it.
TEST(TopEntries, OnePairTellsNoMoreThanWasPaid) {
  constexpr std::uint64_t kDraws = 6000;
  for (const double epsilon : {2.0}) {
    SeededStream stream(4);
    const TopEntries mechanism(Unit::edge(), Epsilon(epsilon));
    const graph::Graph with = ring(12);
    const graph::Graph without = [] {
      graph::EdgeList edges;
      for (graph::NodeId i = 0; i + 1 < 12; ++i) edges.add(i, i + 1);
      return graph::Graph(12, std::move(edges), graph::Direction::undirected);
    }();
    testing::TwoWorlds seen{.draws = kDraws};
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
      seen.likely += has(told(mechanism, with, 6, stream), 0, 11);
      seen.unlikely += has(told(mechanism, without, 6, stream), 0, 11);
    }
    const double measured = testing::measured_epsilon(seen);
    EXPECT_LE(measured, epsilon);
    EXPECT_GT(measured, 0.5 * epsilon) << "a test that sees nothing proves nothing";
  }
}

TEST(TopEntries, ReadsBrokenDataAsNoEdges) {
  SeededStream one(5);
  SeededStream other(5);
  ReleaseLog log;
  const TopEntries mechanism(Unit::edge(), Epsilon(1));
  const graph::Graph empty(30, {}, graph::Direction::undirected);
  EXPECT_EQ(mechanism.release(Secret<graph::Graph>(ring(10)), 30, 20, "test", log, one).columns,
            mechanism.release(Secret<graph::Graph>(empty), 30, 20, "test", log, other).columns);
}

// The threshold is where a little more than what is kept is expected of zeros alone, and public.
TEST(TopEntries, TheThresholdIsHighEnoughToBeFast) {
  for (const double epsilon : {0.1, 1.0, 8.0}) {
    const TopEntries mechanism(Unit::edge(), Epsilon(epsilon));
    const double places = 22470.0 * 22469.0 / 2;
    const double expected = mechanism.threshold(22470, 171002).probability * places;
    EXPECT_GT(expected, 171002 + 9 * std::sqrt(171002.0));
    EXPECT_LT(expected, 1.1 * 171002);
  }
}

TEST(TopEntries, RefusesWhatItCannotProtect) {
  EXPECT_THROW(TopEntries(Unit::node(3, Adjacency::replace), Epsilon(1)), Unsound);
  EXPECT_THROW(TopEntries(Unit::edge(), Epsilon(0)), InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
