#include "privet/methods/caribou/caribou_published.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/contractive_worlds.hpp"
#include "core/simulation.hpp"
#include "learn/method_cases.hpp"
#include "privet/methods/caribou/caribou.hpp"

namespace privet::methods::testing {
namespace {

using privacy::testing::World;

const privacy::ContractiveLayer kPlain = {.bound = 1, .contraction = 1, .graph_share = 1, .residual = 0};

// The study of CARIBOU's claims, section 1.1: Theorem 4 for smallest degrees of 1 to 5.
TEST(Theorem4, HasThePublishedNumbers) {
  for (const auto& [least, value] : std::vector<std::pair<std::uint64_t, double>>{
           {1, 0.97141}, {2, 0.65540}, {3, 0.49892}, {4, 0.40391}, {5, 0.33931}})
    EXPECT_NEAR(theorem_4(kPlain, {least, 0}), value, 6e-6) << least;
}

// The same, section 2.1: D = 100 and 300 with a smallest degree of 1.
TEST(Theorem5, HasThePublishedNumbers) {
  EXPECT_NEAR(theorem_5(kPlain, {1, 100}, 1000), 4.364, 6e-4);
  EXPECT_NEAR(theorem_5(kPlain, {1, 300}, 1000), 6.404, 6e-4);
  EXPECT_NEAR(theorem_5(kPlain, {1, 30}, 1000), 3.104, 6e-4);
}

World graph_of(std::uint64_t bits, std::size_t nodes) {
  World world(nodes, 1);
  std::size_t place = 0;
  for (std::size_t i = 0; i < nodes; ++i)
    for (std::size_t j = i + 1; j < nodes; ++j)
      if (bits >> place++ & 1) world.flip(i, j, true);
  return world;
}

// All graphs on four nodes, every edge of each taken away, the noise sized by the smallest degree of the
// graph that is at hand.
TEST(Theorem4, IsExceededWhereTheDegreeIsReadOffTheData) {
  double worst = 0;
  double worst_strict = 0;
  for (std::uint64_t bits = 0; bits < 64; ++bits) {
    const World with = graph_of(bits, 4);
    const PublishedDegrees degrees = degrees_of(with.graph(true));
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = i + 1; j < 4; ++j) {
        if (!with.has(i, j) || degrees.least == 0) continue;
        World without = with;
        without.flip(i, j, true);
        const double moved = privacy::testing::largest_move(without, with, kPlain);
        worst = std::max(worst, moved / theorem_4(kPlain, degrees));
        worst_strict = std::max(worst_strict, moved / privacy::floored_edge_bound(1));
      }
    }
  }
  EXPECT_NEAR(worst, 1.456, 1e-3) << "as the study found: two nodes that only have each other";
  EXPECT_LE(worst_strict, 1);
}

// A person with many neighbours in pairs, there or not; the study finds 3.900 against 3.104 with the best
// rows, here all are 1.
TEST(Theorem5, IsExceededByNeighborsInPairs) {
  constexpr std::size_t kDegree = 30;
  World with(1 + kDegree, 1);
  for (std::size_t i = 1; i <= kDegree; ++i) with.flip(0, i, true);
  for (std::size_t i = 1; i <= kDegree; i += 2) with.flip(i, i + 1, true);
  World without = with;
  for (std::size_t i = 1; i <= kDegree; ++i) without.flip(0, i, true);
  const PublishedDegrees degrees{.least = 1, .most = kDegree};
  for (auto* world : {&with, &without})
    for (auto& row : world->rows) row = {1.0};
  without.rows[0] = {0.0};
  const double moved = privacy::testing::distance(privacy::testing::layer_query(with, kPlain, 1000),
                                                  privacy::testing::layer_query(without, kPlain, 1000),
                                                  privacy::testing::Norm::l2);
  EXPECT_GT(moved, 1.05 * theorem_5(kPlain, degrees, 1 + kDegree));
}

// The mechanism with the published noise, one hop, on the pair of nodes that only have each other: what is
// claimed as epsilon 1 is measured above it, and the strict noise is not. 40,000 draws in each world, as many
// pairs of one graph; each bound is wrong with probability 1e-6.
TEST(PublishedIteration, LeaksMoreThanItClaims) {
  constexpr double kDelta = 0.01;
  constexpr std::size_t kDraws = 40'000;
  graph::EdgeList edges;
  tensor::Matrix rows(2 * kDraws, 1);
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    edges.add(static_cast<graph::NodeId>(2 * draw), static_cast<graph::NodeId>(2 * draw + 1));
    rows(2 * draw, 0) = 1;
    rows(2 * draw + 1, 0) = -1;
  }
  const graph::Graph joined(2 * kDraws, std::move(edges), graph::Direction::undirected);
  const graph::Graph apart(2 * kDraws, graph::EdgeList(), graph::Direction::undirected);
  const auto measured = [&](privacy::Rigor rigor) {
    Caribou method;
    for (const char* option : {"hops=1", "contraction=0.9", "floor=1", "residual=0"})
      method.options().set_assignment(option);
    const privacy::PublicFacts facts = facts_with(2, 3, 2);
    const Request request = request_with("edge", 1, rigor, kDelta);
    CaribouPlan plan = method.private_plan(request, facts);
    plan.columns = 1;
    const privacy::ContractiveHops hops =
        plan.iteration ? *plan.iteration : published_iteration(plan, request.unit, facts, degrees_of(joined));
    const double spread = 2 * hops.stddev().value() * hops.stddev().value();
    SeededStream stream(8);
    const auto hits = [&](const graph::Graph& graph) {
      const tensor::Matrix states = privacy::contractive_states(
          graph, hops.plan().layer, 1, rows, {.stddev = hops.stddev().value(), .grid = hops.grid()}, stream);
      std::uint64_t count = 0;
      for (std::size_t draw = 0; draw < kDraws; ++draw)
        count += static_cast<double>(states(2 * draw, 0)) - static_cast<double>(states(2 * draw + 1, 0)) >
                 0.9 + spread / 1.8;
      return count;
    };
    const std::uint64_t likely = hits(apart);
    const std::uint64_t unlikely = hits(joined);
    return privacy::testing::measured_epsilon({.draws = kDraws, .likely = likely, .unlikely = unlikely},
                                              kDelta);
  };
  EXPECT_LE(measured(privacy::Rigor::kStrict), 1);
  EXPECT_GT(measured(privacy::Rigor::kPaper), 1);
}

}  // namespace
}  // namespace privet::methods::testing
