#include "privet/core/mechanisms/neighbor_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "../simulation.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

using graph::NodeId;

Secret<graph::Graph> graph_with(std::size_t nodes, const std::vector<std::pair<NodeId, NodeId>>& pairs) {
  graph::EdgeList edges;
  for (const auto& [a, b] : pairs) edges.add(a, b);
  return Secret<graph::Graph>(graph::Graph(nodes, std::move(edges), graph::Direction::undirected));
}

double epsilon_of(const NeighborChoice& mechanism) {
  return std::get<PureEvent>(mechanism.event().kind()).epsilon;
}

TEST(NeighborChoice, SaysWhatItCosts) {
  for (const double epsilon : {0.01, 1.0, 8.0}) {
    EXPECT_LE(epsilon_of(NeighborChoice(Unit::edge(), Epsilon(epsilon))), epsilon);
    EXPECT_GE(epsilon_of(NeighborChoice(Unit::edge(), Epsilon(epsilon))), epsilon * (1 - 1e-9));
  }
  EXPECT_LE(epsilon_of(NeighborChoice(Unit::edge(), Epsilon(1000))), 60.001);
  EXPECT_THROW(NeighborChoice(Unit::edge(), Epsilon(0)), InvalidArgument);
  EXPECT_THROW(NeighborChoice(Unit::node(3, Adjacency::replace), Epsilon(1)), Unsound);
}

TEST(NeighborChoice, FollowsNeighboursWithAnAmpleBudget) {
  SeededStream stream(1);
  ReleaseLog log;
  const NeighborChoice mechanism(Unit::edge(), Epsilon(1000));
  // 0 follows 1 and 2 to group 1; 3, which comes later, follows 0 there. 4 has nobody to follow.
  const auto chosen = mechanism.release(graph_with(5, {{0, 1}, {0, 2}, {1, 2}, {0, 3}}), {0, 1, 1, 0, 0}, 2,
                                        {0, 3, 1, 2, 4}, "groups", log, stream);
  EXPECT_EQ(std::vector(chosen.begin(), chosen.begin() + 4), (std::vector<std::uint32_t>{1, 1, 1, 1}));
}

// All probabilities of three nodes by the law of permute and flip between two groups: with a difference of d
// neighbours the lesser group is taken with probability exp(-d epsilon / 4) / 2. Enumerated over all pairs of
// graphs that differ in an edge, all starts and all outcomes: the largest ratio is at most e^epsilon, and is
// seen to come near.
TEST(NeighborChoice, NoPairOfGraphsIsFartherApartThanEpsilon) {
  const double epsilon = 1.3;
  const std::vector<std::pair<NodeId, NodeId>> places = {{0, 1}, {0, 2}, {1, 2}};
  const auto law = [&](unsigned edges, unsigned start, unsigned end) {
    double probability = 1;
    unsigned now = start;
    for (unsigned node = 0; node < 3; ++node) {
      int ones = 0;
      int zeros = 0;
      for (unsigned k = 0; k < 3; ++k) {
        const auto [a, b] = places[k];
        if ((edges >> k & 1U) == 0 || (a != node && b != node)) continue;
        ((now >> (a == node ? b : a) & 1U) != 0 ? ones : zeros) += 1;
      }
      const double lesser = std::exp(-std::abs(ones - zeros) * epsilon / 4) / 2;
      const bool one = (end >> node & 1U) != 0;
      const bool is_lesser = ones == zeros || (one ? ones < zeros : zeros < ones);
      probability *= is_lesser ? lesser : 1 - lesser;
      now = (now & ~(1U << node)) | (static_cast<unsigned>(one) << node);
    }
    return probability;
  };
  double worst = 0;
  for (unsigned edges = 0; edges < 8; ++edges) {
    for (unsigned flip = 0; flip < 3; ++flip) {
      for (unsigned start = 0; start < 8; ++start) {
        for (unsigned end = 0; end < 8; ++end) {
          const double ratio = law(edges, start, end) / law(edges ^ (1U << flip), start, end);
          worst = std::max(worst, std::log(ratio));
        }
      }
    }
  }
  EXPECT_LE(worst, epsilon);
  EXPECT_GE(worst, 0.45 * epsilon);  // with two groups a neighbour moves one score, in one direction

  // The mechanism has this law. Five standard deviations: a false alarm in a million for each of 8 cells.
  const NeighborChoice mechanism(Unit::edge(), Epsilon(epsilon));
  constexpr int kRounds = 100000;
  SeededStream stream(3);
  ReleaseLog log;
  const Secret<graph::Graph> path = graph_with(3, {{0, 1}, {1, 2}});
  std::vector<int> seen(8, 0);
  for (int round = 0; round < kRounds; ++round) {
    const auto end = mechanism.release(path, {0, 1, 1}, 2, {0, 1, 2}, "groups", log, stream);
    ++seen[end[0] + 2 * end[1] + 4 * end[2]];
  }
  for (unsigned end = 0; end < 8; ++end) {
    const double expected = kRounds * law(0b101, 0b110, end);
    EXPECT_NEAR(seen[end], expected, 5 * std::sqrt(expected)) << end;
  }
}

// Many groups, a neighbour or none: what an edge changes at both of its ends together, measured.
TEST(NeighborChoice, MeasuredEpsilonIsBelowTheStated) {
  const double epsilon = 2;
  const NeighborChoice mechanism(Unit::edge(), Epsilon(epsilon));
  const Secret<graph::Graph> joined = graph_with(2, {{0, 1}});
  const Secret<graph::Graph> apart = graph_with(2, {});
  SeededStream stream(7);
  ReleaseLog log;
  testing::TwoWorlds seen{.draws = 100000};
  const auto hit = [&](const Secret<graph::Graph>& graph) {
    const auto end = mechanism.release(graph, {0, 1}, 12, {0, 1}, "groups", log, stream);
    return end[0] == 1 && end[1] == 1;
  };
  for (std::uint64_t draw = 0; draw < seen.draws; ++draw) {
    seen.likely += hit(joined);
    seen.unlikely += hit(apart);
  }
  const double measured = testing::measured_epsilon(seen);
  EXPECT_LE(measured, epsilon);
  EXPECT_GE(measured, 0.3 * epsilon);
}

TEST(NeighborChoice, IsTotalAndItsStreamTellsNothing) {
  const NeighborChoice mechanism(Unit::edge(), Epsilon(1));
  const auto chosen = [&](const Secret<graph::Graph>& graph, std::uint64_t& next) {
    SeededStream stream(2);
    ReleaseLog log;
    auto result = mechanism.release(graph, {0, 1, 0, 1}, 3, {3, 2, 1, 0}, "groups", log, stream);
    next = stream.bits();
    return result;
  };
  std::uint64_t empty = 0;
  std::uint64_t full = 0;
  std::uint64_t other = 0;
  const auto none = chosen(graph_with(4, {}), empty);
  (void)chosen(graph_with(4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}}), full);
  EXPECT_EQ(chosen(graph_with(7, {{5, 6}}), other), none);
  EXPECT_EQ(empty, full);
  EXPECT_EQ(empty, other);
}

TEST(NeighborChoice, RefusesNonsense) {
  const NeighborChoice mechanism(Unit::edge(), Epsilon(1));
  SeededStream stream(1);
  ReleaseLog log;
  const Secret<graph::Graph> graph = graph_with(2, {});
  EXPECT_THROW((void)mechanism.release(graph, {0, 2}, 2, {0, 1}, "g", log, stream), InvalidArgument);
  EXPECT_THROW((void)mechanism.release(graph, {0, 1}, 2, {0, 0}, "g", log, stream), InvalidArgument);
  EXPECT_THROW((void)mechanism.release(graph, {0, 1}, 2, {0}, "g", log, stream), InvalidArgument);
  EXPECT_TRUE(log.releases().empty());
}

}  // namespace
}  // namespace privet::privacy
