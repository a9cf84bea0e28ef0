#include "privet/core/mechanisms/votes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/neighbor_search.hpp"
#include "core/simulation.hpp"
#include "privet/base/error.hpp"
#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/core/memberships.hpp"
#include "privet/core/sensitivity.hpp"

namespace privet::privacy {
namespace {

using testing::Climb;
using testing::Found;
using testing::Norm;
using testing::Query;
using testing::search_all;
using testing::search_uphill;
using testing::World;

constexpr double kGrid = 0x1p-20;
const double kHalf = std::sqrt(0.5);

std::vector<double> numbers_of(const FixedPointMatrix& sums) {
  std::vector<double> numbers;
  for (const std::int64_t steps : sums.steps) numbers.push_back(static_cast<double>(steps) * sums.grid);
  return numbers;
}

// Groups in turn: 0, 1, 0, 1, ... or all of `groups` of them.
std::vector<std::uint8_t> groups_in_turn(std::size_t nodes, std::size_t groups) {
  std::vector<std::uint8_t> result;
  for (std::size_t i = 0; i < nodes; ++i) result.push_back(static_cast<std::uint8_t>(i % groups));
  return result;
}

struct NamedRule {
  std::string name;
  VoteRule rule;
};

std::vector<NamedRule> rules_for(std::size_t nodes) {
  std::vector<NamedRule> rules;
  const double rest = std::sqrt(1 - 0.95 * 0.95);
  rules.push_back({"shared", {groups_in_turn(nodes, 2), {{kHalf, 0.95}, {rest, kHalf}}}});
  rules.push_back({"both ends", {groups_in_turn(nodes, 2), {{1, 1}, {1, 1}}}});
  for (const std::uint64_t key : {0ULL, 1ULL, 0x0123456789abcdefULL}) {
    rules.push_back({"one end, key " + std::to_string(key),
                     {groups_in_turn(nodes, 3), {{1, 1, 1}, {0, 1, 1}, {0, 0, 1}}, true, key}});
  }
  return rules;
}

Query votes_query(const VoteRule& rule, Term term, bool undirected) {
  return [=](const World& world, std::size_t) {
    return numbers_of(
        vote_sums(world.graph(undirected), world.matrix(), rule, term, {.grid = kGrid, .row_bound = 1}));
  };
}

// Exhaustive: every undirected graph on 5 nodes, every edge of it, rows +1 and -1.
TEST(Votes, NoEdgeMovesThemFurtherThanStated) {
  for (const NamedRule& named : rules_for(5)) {
    SCOPED_TRACE(named.name);
    const Found found = search_all(5, Unit::edge(), {.rows = {{1.0}, {-1.0}}},
                                   votes_query(named.rule, Term::pair, true), Norm::l2);
    const double stated = pair_sum_sensitivity(Unit::edge(), named.rule.loudest(), 1, 1).l2().value();
    EXPECT_GT(found.pairs, 1000U);
    EXPECT_LE(found.largest, stated);
    EXPECT_GE(found.largest, stated * (1 - 1e-5));  // tight, up to the grid
  }
}

TEST(Votes, NoEntryMovesThemFurtherThanStated) {
  for (const NamedRule& named : rules_for(4)) {
    SCOPED_TRACE(named.name);
    const Found found = search_all(4, Unit::directed_edge(), {.rows = {{1.0}, {-1.0}}},
                                   votes_query(named.rule, Term::entry, false), Norm::l2);
    const double stated =
        pair_sum_sensitivity(Unit::directed_edge(), named.rule.loudest(), 1, 1).l2().value();
    EXPECT_GT(found.pairs, 1000U);
    EXPECT_LE(found.largest, stated);
    EXPECT_GE(found.largest, stated * (1 - 1e-5));
  }
}

TEST(Votes, HillClimbingFindsNothingFurtherOnLargerGraphs) {
  SeededStream stream(7);
  for (const NamedRule& named : rules_for(12)) {
    SCOPED_TRACE(named.name);
    const Found found = search_uphill({.nodes = 12, .columns = 3, .starts = 3, .steps = 600}, Unit::edge(),
                                      votes_query(named.rule, Term::pair, true), Norm::l2, stream);
    EXPECT_GT(found.improved, 0U);
    EXPECT_LE(found.largest, pair_sum_sensitivity(Unit::edge(), named.rule.loudest(), 1, 3).l2().value());
  }
}

// Rules whose weights add up to 1 over the two ends.
std::vector<NamedRule> counting_rules_for(std::size_t nodes) {
  std::vector<NamedRule> rules = {
      {"one end", {groups_in_turn(nodes, 3), {{1, 1, 1}, {0, 1, 1}, {0, 0, 1}}, true, 1}}};
  rules.push_back({"shared, sum 1", {groups_in_turn(nodes, 2), {{0.5, 0.9}, {0.1, 0.5}}}});
  rules.push_back({"shared, thirds", {groups_in_turn(nodes, 2), {{0.5, 2.0 / 3}, {1.0 / 3, 0.5}}}});
  return rules;
}

// World rows are of two numbers in [0, 1]; a membership is what is left for the last class.
std::vector<std::uint32_t> memberships_in(const World& world, std::size_t nodes) {
  tensor::Matrix shares(nodes, 3);
  const tensor::Matrix rows = world.matrix();
  for (std::size_t i = 0; i < nodes; ++i) {
    const float first = std::min(std::abs(rows(i, 0)), 1.0F);
    const float second = rows.columns() > 1 ? std::min(std::abs(rows(i, 1)), 1 - first) : 0;
    shares(i, 0) = first;
    shares(i, 1) = second;
    shares(i, 2) = 1 - first - second;
  }
  return memberships_of(shares);
}

Query counts_query(const VoteRule& rule, Term term, bool undirected, std::size_t nodes) {
  return [=](const World& world, std::size_t) {
    std::vector<double> numbers;
    for (const std::int64_t steps :
         vote_counts(world.graph(undirected), memberships_in(world, nodes), 3, rule, term))
      numbers.push_back(static_cast<double>(steps));
    return numbers;
  };
}

TEST(Votes, NoEdgeMovesTheCountsFurtherThanStated) {
  for (const NamedRule& named : counting_rules_for(5)) {
    SCOPED_TRACE(named.name);
    const Found found = search_all(5, Unit::edge(), {.rows = {{1.0}, {0.3}}},
                                   counts_query(named.rule, Term::pair, true, 5), Norm::l1);
    const double stated = pair_count_sensitivity(Unit::edge(), named.rule.loudest_together(), 3).l1().value();
    EXPECT_GT(found.pairs, 1000U);
    EXPECT_LE(found.largest, stated);
    EXPECT_GE(found.largest, stated * (1 - 1e-5));
  }
}

TEST(Votes, NoEntryMovesTheCountsFurtherThanStated) {
  for (const NamedRule& named : counting_rules_for(4)) {
    SCOPED_TRACE(named.name);
    const Found found = search_all(4, Unit::directed_edge(), {.rows = {{1.0}, {0.3}}},
                                   counts_query(named.rule, Term::entry, false, 4), Norm::l1);
    const double stated =
        pair_count_sensitivity(Unit::directed_edge(), named.rule.loudest_together(), 3).l1().value();
    EXPECT_GT(found.pairs, 1000U);
    EXPECT_LE(found.largest, stated);
    EXPECT_GE(found.largest, stated * (1 - 1e-5));
  }
}

TEST(Votes, HillClimbingFindsNoCountsThatMoveFurther) {
  SeededStream stream(8);
  for (const NamedRule& named : counting_rules_for(12)) {
    SCOPED_TRACE(named.name);
    const Found found = search_uphill({.nodes = 12, .columns = 2, .starts = 3, .steps = 600}, Unit::edge(),
                                      counts_query(named.rule, Term::pair, true, 12), Norm::l1, stream);
    EXPECT_GT(found.pairs, 100U);
    EXPECT_LE(found.largest,
              pair_count_sensitivity(Unit::edge(), named.rule.loudest_together(), 3).l1().value());
  }
}

TEST(Votes, CountsRefuseMembershipsOfMoreThanOne) {
  const graph::Graph graph(2, {}, graph::Direction::undirected);
  const VoteRule rule{{0, 0}, {{1}}};
  EXPECT_THROW((void)vote_counts(graph, {kMembershipSteps, kMembershipSteps + 1}, 1, rule, Term::pair),
               std::logic_error);
  EXPECT_THROW((void)vote_counts(graph, {kMembershipSteps}, 1, rule, Term::pair), std::logic_error);
}

graph::Graph random_graph(std::size_t nodes, std::size_t edges, RandomStream& stream,
                          std::vector<graph::Edge>* list = nullptr) {
  graph::EdgeList all;
  std::set<std::pair<graph::NodeId, graph::NodeId>> seen;
  while (seen.size() < edges) {
    const auto u = static_cast<graph::NodeId>(stream.below(nodes));
    const auto v = static_cast<graph::NodeId>(stream.below(nodes));
    if (u == v || !seen.insert(std::minmax(u, v)).second) continue;
    all.add(u, v);
    if (list != nullptr) list->push_back({u, v});
  }
  return {nodes, std::move(all), graph::Direction::undirected};
}

tensor::Matrix random_rows(std::size_t nodes, std::size_t columns, RandomStream& stream) {
  tensor::Matrix rows(nodes, columns);
  for (float& value : rows.values()) value = static_cast<float>(stream.uniform() - 0.5);
  return rows;
}

// Given to one end, an edge moves one row, whichever edge it is: a pendant one, a hub's, a tie.
TEST(Votes, OneEdgeMovesOneRowWhereEachIsGivenToOneEnd) {
  SeededStream stream(11);
  const std::size_t nodes = 60;
  std::vector<graph::Edge> edges;
  for (graph::NodeId leaf = 1; leaf < 20; ++leaf) edges.push_back({0, leaf});  // a hub with pendant leaves
  std::vector<graph::Edge> others;
  (void)random_graph(40, 120, stream, &others);
  for (const graph::Edge& edge : others) edges.push_back({edge.from + 20, edge.to + 20});
  const tensor::Matrix rows = random_rows(nodes, 4, stream);
  for (const NamedRule& named : rules_for(nodes)) {
    const std::size_t most = named.rule.ties_by_key ? 1 : 2;
    for (std::size_t left_out = 0; left_out < edges.size(); ++left_out) {
      const auto sums = [&](bool without) {
        graph::EdgeList list;
        for (std::size_t i = 0; i < edges.size(); ++i) {
          if (!without || i != left_out) list.add(edges[i].from, edges[i].to);
        }
        return vote_sums(graph::Graph(nodes, std::move(list), graph::Direction::undirected), rows, named.rule,
                         Term::pair, {.grid = kGrid, .row_bound = 1});
      };
      const FixedPointMatrix with = sums(false);
      const FixedPointMatrix without = sums(true);
      std::set<std::size_t> moved;
      double squares = 0;
      for (std::size_t i = 0; i < with.steps.size(); ++i) {
        const double by = static_cast<double>(with.steps[i] - without.steps[i]) * kGrid;
        squares += by * by;
        if (by != 0) moved.insert(i / with.columns);
      }
      EXPECT_LE(moved.size(), most) << named.name;
      EXPECT_LE(std::sqrt(squares), named.rule.loudest());
    }
  }
}

TEST(Votes, OrderAndRepeatsOfEdgesLeaveNoTrace) {
  SeededStream stream(3);
  std::vector<graph::Edge> edges;
  const graph::Graph graph = random_graph(40, 200, stream, &edges);
  graph::EdgeList turned;
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
    turned.add(edge->to, edge->from);
    turned.add(edge->from, edge->to);
    turned.add(edge->from, edge->from);
  }
  const graph::Graph again(40, std::move(turned), graph::Direction::undirected);
  const tensor::Matrix rows = random_rows(40, 3, stream);
  for (const NamedRule& named : rules_for(40)) {
    const RowRounding rounding{.grid = kGrid, .row_bound = 1};
    EXPECT_EQ(vote_sums(graph, rows, named.rule, Term::pair, rounding).steps,
              vote_sums(again, rows, named.rule, Term::pair, rounding).steps);
  }
}

// Whether an edge is written down once or in both directions, it is one pair.
TEST(Votes, APairIsCountedOnceInADirectedGraph) {
  graph::EdgeList one;
  one.add(0, 1);
  graph::EdgeList both;
  both.add(0, 1);
  both.add(1, 0);
  const graph::Graph single(2, std::move(one), graph::Direction::directed);
  const graph::Graph twice(2, std::move(both), graph::Direction::directed);
  SeededStream stream(5);
  const tensor::Matrix rows = random_rows(2, 2, stream);
  const VoteRule rule{groups_in_turn(2, 1), {{1}}};
  const RowRounding rounding{.grid = kGrid, .row_bound = 1};
  EXPECT_EQ(vote_sums(single, rows, rule, Term::pair, rounding).steps,
            vote_sums(twice, rows, rule, Term::pair, rounding).steps);
  EXPECT_NE(vote_sums(single, rows, rule, Term::entry, rounding).steps,
            vote_sums(twice, rows, rule, Term::entry, rounding).steps);
}

TEST(Votes, LoudestIsTheNormOfBothWeights) {
  EXPECT_NEAR((VoteRule{{}, {{kHalf, 0.6}, {0.8, kHalf}}}).loudest(), 1, 1e-12);
  EXPECT_GE((VoteRule{{}, {{kHalf, 0.6}, {0.8, kHalf}}}).loudest(), 1);
  EXPECT_NEAR((VoteRule{{}, {{0.1, 3}, {4, 0.1}}}).loudest(), 5, 1e-12);
  EXPECT_EQ((VoteRule{{}, {{7}}, true}).loudest(), 1);  // ties go by key, not by that weight
}

// About half of the ties go to each end: a fair coin would be farther off in one of a million keys.
TEST(Votes, KeysSplitTiesEvenly) {
  const VoteRule rule{std::vector<std::uint8_t>(200, 0), {{1}}, true, 42};
  double low = 0;
  for (graph::NodeId u = 0; u < 200; ++u) {
    for (graph::NodeId v = u + 1; v < 200; ++v) {
      EXPECT_EQ(rule.weight(u, v) + rule.weight(v, u), 1);
      low += rule.weight(u, v);
    }
  }
  EXPECT_NEAR(low / 19900, 0.5, 5 * 0.5 / std::sqrt(19900));
}

TEST(Votes, RefusesUnitsThatProtectTheVotesThemselves) {
  EXPECT_THROW((void)pair_sum_sensitivity(Unit::record(Adjacency::replace), 1, 1, 1), Unsound);
  EXPECT_THROW((void)pair_sum_sensitivity(Unit::node(3, Adjacency::replace), 1, 1, 1), Unsound);
  EXPECT_THROW((void)pair_sum_sensitivity(Unit::none(), 1, 1, 1), Unsound);
  EXPECT_THROW((void)pair_count_sensitivity(Unit::record(Adjacency::replace), 1, 1), Unsound);
  EXPECT_THROW((void)pair_count_sensitivity(Unit::none(), 1, 1), Unsound);
  EXPECT_THROW((void)pair_sum_sensitivity(Unit::edge(), 0, 1, 1), InvalidArgument);
}

Query own_list_query(double list_bound, std::size_t classes) {
  return [=](const World& world, std::size_t) {
    OwnLists lists{.sends = std::vector<std::uint8_t>(world.nodes, 1),
                   .receives = std::vector<std::uint8_t>(world.nodes, 1),
                   .list_bound = list_bound};
    lists.sends[world.nodes - 1] = 0;
    lists.receives[1] = 0;
    const std::vector<std::int32_t> labels(world.labels.begin(), world.labels.end());
    return numbers_of(own_list_votes(world.graph(false), labels, classes, lists, kGrid));
  };
}

TEST(Votes, NoRecordMovesOwnListVotesFurtherThanStated) {
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    const Unit unit = Unit::record(adjacency);
    for (const double bound : {1.0, 2.0, 2.5}) {
      const NeighborSum sum{.row_bound = 1, .columns = 2, .rows = RowsOf::their_owners, .non_negative = true};
      const double stated = own_list_sum_sensitivity(unit, sum, bound, 4).l2().value();
      const Found found =
          search_all(4, unit, {.rows = {{1.0}}, .classes = 2}, own_list_query(bound, 2), Norm::l2);
      EXPECT_GT(found.pairs, 1000U);
      EXPECT_LE(found.largest, stated);
      // Three other nodes of which one hears nothing: lists reach two, so a bound of 2.5 is never filled.
      if (bound <= 2) {
        EXPECT_GE(found.largest, stated * (1 - 1e-5)) << unit.text() << " " << bound;
      }
    }
  }
}

TEST(Votes, HillClimbingOverRecordsFindsNothingFurther) {
  SeededStream stream(9);
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    const Unit unit = Unit::record(adjacency);
    const NeighborSum sum{.row_bound = 1, .columns = 3, .rows = RowsOf::their_owners, .non_negative = true};
    const Found found = search_uphill({.nodes = 14, .columns = 1, .classes = 3, .starts = 3, .steps = 800},
                                      unit, own_list_query(2, 3), Norm::l2, stream);
    EXPECT_GT(found.improved, 0U);
    EXPECT_LE(found.largest, own_list_sum_sensitivity(unit, sum, 2, 14).l2().value());
  }
}

// Two worlds that differ in one edge, told apart by the projection on the difference: the best test there is.
// Wrong with probability below 1e-5.
TEST(Votes, TwoWorldsAreNoFartherApartThanStated) {
  graph::EdgeList none;
  graph::EdgeList one;
  one.add(0, 1);
  const graph::Graph without(3, std::move(none), graph::Direction::undirected);
  const graph::Graph with(3, std::move(one), graph::Direction::undirected);
  tensor::Matrix rows(3, 2);
  rows(0, 0) = 1;
  rows(1, 1) = -1;
  rows(2, 0) = 0.5;
  const double rest = std::sqrt(1 - 0.95 * 0.95);
  const VoteRule rule{{0, 1, 0}, {{kHalf, 0.95}, {rest, kHalf}}};
  const GaussianMechanism mechanism = GaussianMechanism::with_multiplier(
      pair_sum_sensitivity(Unit::edge(), rule.loudest(), 1, 2), 1.1);  // mu = 0.91
  const double delta = 1e-3;
  const double stated = testing::gaussian_epsilon(1 / 1.1, delta);
  const RowRounding rounding{.grid = mechanism.grid(), .row_bound = 1};
  const Secret<FixedPointMatrix> far(vote_sums(with, rows, rule, Term::pair, rounding));
  const Secret<FixedPointMatrix> near(vote_sums(without, rows, rule, Term::pair, rounding));
  SeededStream stream(17);
  ReleaseLog log;
  // The loss exceeds epsilon where the projection exceeds epsilon stddev^2 + 1/2.
  const double threshold = stated * 1.1 * 1.1 + 0.5;
  testing::TwoWorlds seen{.draws = 200000};
  const auto hit = [&](const Secret<FixedPointMatrix>& secret) {
    const tensor::Matrix v = mechanism.release(secret, 3, 2, "votes", log, stream);
    const double projection = 0.95 * -static_cast<double>(v(0, 1)) + rest * static_cast<double>(v(1, 0));
    return projection > threshold;
  };
  for (std::uint64_t i = 0; i < seen.draws; ++i) {
    seen.likely += hit(far) ? 1 : 0;
    seen.unlikely += hit(near) ? 1 : 0;
  }
  const double measured = testing::measured_epsilon(seen, delta);
  EXPECT_LE(measured, stated);
  EXPECT_GE(measured, 0.5 * stated);
}

}  // namespace
}  // namespace privet::privacy
