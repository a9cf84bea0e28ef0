#include "privet/core/mechanisms/contractive_hops.hpp"

#include <gtest/gtest.h>

#include "core/simulation.hpp"
#include "privet/accounting/accountant.hpp"
#include "privet/accounting/calibration.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/error.hpp"
#include "privet/core/release_check.hpp"

namespace privet::privacy {
namespace {

ContractivePlan plan_for(const Unit& unit, ContractiveLayer layer, std::uint64_t hops,
                         std::uint64_t nodes = 2, std::uint64_t columns = 1) {
  return {.unit = unit, .layer = layer, .hops = hops, .nodes = nodes, .columns = columns};
}

graph::Graph pair_graph(bool joined, std::size_t nodes = 2) {
  graph::EdgeList edges;
  if (joined) edges.add(0, 1);
  return {nodes, std::move(edges), graph::Direction::undirected};
}

TEST(ContractiveHops, AreLoggedAsTheyAreAccounted) {
  const ContractiveHops hops =
      ContractiveHops::with_multiplier(plan_for(Unit::edge(), {.bound = 2}, 5, 2, 3), 4);
  ReleaseLog log;
  SeededStream stream(1);
  const tensor::Matrix state =
      hops.release(Secret(pair_graph(true)), tensor::Matrix(2, 3), "states", log, stream);
  EXPECT_EQ(state.rows(), 2U);
  ASSERT_EQ(log.releases().size(), 1U);
  EXPECT_TRUE(release_faults(log.releases().front()).empty());
  EXPECT_EQ(log.total(), hops.event());
  EXPECT_EQ(hops.event(), Event(ContractiveGaussianEvent{0.9, 5, 4}));
  EXPECT_NEAR(hops.charged(), 0.9 * floored_edge_bound(2), 1e-4) << "rounding costs next to nothing";
  EXPECT_GT(hops.charged(), 0.9 * floored_edge_bound(2));
}

TEST(ContractiveHops, MeetTheBudgetThatTheyAreCalibratedTo) {
  // CARIBOU's logs: epsilon 1, delta 1e-5, 20 hops of 0.9: 14.391.
  const double noise = calibrate(
      [](double scale) {
        return ContractiveGaussianEvent{0.9, 20, scale};
      },
      Epsilon(1), Delta(1e-5));
  EXPECT_NEAR(noise, 14.391, 1e-3);
  const ContractiveHops hops =
      ContractiveHops::with_multiplier(plan_for(Unit::edge(), {}, 20, 1000, 7), noise);
  EXPECT_LE(epsilon(hops.event(), Delta(1e-5)).upper, 1);
  const ContractiveHops same = ContractiveHops::with_stddev(hops.plan(), hops.stddev());
  EXPECT_NEAR(gaussian_dp_mu(same.event()), gaussian_dp_mu(hops.event()), 1e-9);
}

TEST(ContractiveHops, PayForRounding) {
  const ContractivePlan large = plan_for(Unit::edge(), {.bound = 100}, 3, 10'000'000, 64);
  const ContractiveHops hops = ContractiveHops::with_multiplier(large, 2);
  EXPECT_GT(hops.charged(), 1.01 * hops.sensitivity().l2().value());
  EXPECT_LT(hops.charged(), 2 * hops.sensitivity().l2().value());
  EXPECT_THROW((void)ContractiveHops::with_multiplier(large, 1e7), InvalidArgument);
}

TEST(ContractiveHops, ReadWhatDoesNotFitAsNothing) {
  const ContractiveHops hops = ContractiveHops::with_multiplier(plan_for(Unit::edge(), {}, 2, 3, 2), 1);
  const auto state = [&](const graph::Graph& graph, const tensor::Matrix& rows) {
    SeededStream stream(4);
    ReleaseLog log;
    return hops.release(Secret(graph), Secret(rows), "states", log, stream);
  };
  const tensor::Matrix nothing = state(pair_graph(false, 3), tensor::Matrix(3, 2));
  EXPECT_EQ(state(pair_graph(true, 5), tensor::Matrix(3, 2)), nothing);
  EXPECT_EQ(state(pair_graph(false, 3), tensor::Matrix(3, 9)), nothing);
  tensor::Matrix rows(3, 2);
  rows(0, 0) = 1;
  EXPECT_NE(state(pair_graph(false, 3), rows), nothing);
}

TEST(ContractiveHops, SimulateWhatTheyRelease) {
  const ContractiveHops hops = ContractiveHops::with_multiplier(plan_for(Unit::edge(), {}, 2, 2, 1), 1);
  tensor::Matrix rows(2, 1);
  rows(0, 0) = 1;
  ReleaseLog log;
  SeededStream first(7);
  SeededStream again(7);
  EXPECT_EQ(hops.release(Secret(pair_graph(true)), rows, "states", log, first),
            hops.simulate(pair_graph(true), rows, again));
  const TwoStates worlds = run_two_worlds(hops, pair_graph(true), rows, pair_graph(true), rows, first);
  EXPECT_NE(worlds.first, worlds.second) << "noise of their own";
}

// Two nodes with opposite rows, joined or not: the pair on which one hop moves by its whole sensitivity. The
// event is fixed beforehand; 40,000 draws in each world, each bound wrong with probability 1e-6. All draws
// are pairs of one graph, none of which hears of another.
double measured(const ContractiveHops& hops, double threshold, double delta) {
  testing::TwoWorlds seen{.draws = 40'000};
  tensor::Matrix rows(2 * seen.draws, 1);
  graph::EdgeList edges;
  for (std::uint64_t draw = 0; draw < seen.draws; ++draw) {
    rows(2 * draw, 0) = 1;
    rows(2 * draw + 1, 0) = -1;
    edges.add(static_cast<graph::NodeId>(2 * draw), static_cast<graph::NodeId>(2 * draw + 1));
  }
  const graph::Graph joined(rows.rows(), std::move(edges), graph::Direction::undirected);
  const graph::Graph apart(rows.rows(), graph::EdgeList(), graph::Direction::undirected);
  SeededStream stream(31);
  const auto hits = [&](const graph::Graph& graph) {
    const tensor::Matrix states =
        contractive_states(graph, hops.plan().layer, hops.plan().hops, rows,
                           {.stddev = hops.stddev().value(), .grid = hops.grid()}, stream);
    std::uint64_t count = 0;
    for (std::uint64_t draw = 0; draw < seen.draws; ++draw)
      count +=
          static_cast<double>(states(2 * draw, 0)) - static_cast<double>(states(2 * draw + 1, 0)) > threshold;
    return count;
  };
  seen.likely = hits(apart);
  seen.unlikely = hits(joined);
  return testing::measured_epsilon(seen, delta);
}

TEST(ContractiveHops, KeepTheirPromiseOnTwoWorlds) {
  constexpr double kDelta = 0.01;
  for (const std::uint64_t count : {1, 3, 8}) {
    const double noise = calibrate(
        [&](double scale) {
          return ContractiveGaussianEvent{0.8, count, scale};
        },
        Epsilon(1), Delta(kDelta));
    const ContractiveHops hops = ContractiveHops::with_multiplier(
        plan_for(Unit::edge(), {.contraction = 0.8, .residual = 0}, count), noise);
    // About where the ratio is e for one hop: the middle plus stddev^2 / moved.
    const double spread = hops.stddev().value() * std::sqrt(2.0);
    const double epsilon = measured(hops, 0.8 + spread * spread / 1.6, kDelta);
    EXPECT_LE(epsilon, 1) << count;
    if (count == 1) {
      EXPECT_GT(epsilon, 0.6) << "the test can see a leak of this size";
      const ContractiveHops half =
          ContractiveHops::with_stddev(hops.plan(), NoiseStddev(hops.stddev().value() / 2));
      EXPECT_GT(measured(half, 0.8 + spread, kDelta), 1) << "and one that is too large";
    }
  }
}

}  // namespace
}  // namespace privet::privacy
