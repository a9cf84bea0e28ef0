#include "privet/core/sensitivity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/neighbor_search.hpp"
#include "privet/base/error.hpp"
#include "privet/core/mechanisms/fixed_point.hpp"

namespace privet::privacy {
namespace {

using testing::Alphabet;
using testing::Climb;
using testing::Found;
using testing::Norm;
using testing::Query;
using testing::World;

constexpr std::size_t kNobody = ~std::size_t{0};
// What may separate a searched maximum from the bound it reaches: rounding of sums of a few numbers.
constexpr double kRounding = 1e-12;
constexpr double kReached = 1e-6;

const Alphabet kSigns{.rows = {{1.0}, {-1.0}}};
const Alphabet kSignsOfOwners{.rows = {{1.0}, {-1.0}}, .classes = 1, .rows_change = true};
const Alphabet kOneHotOfOwners{.rows = {{1.0, 0.0}, {0.0, 1.0}}, .classes = 1, .rows_change = true};
const Alphabet kConstant{.rows = {{1.0}}};

void expect_bound(const Found& found, double bound, bool tight) {
  EXPECT_GT(found.pairs, 0u);
  EXPECT_LE(found.largest, bound + kRounding);
  if (tight) {
    EXPECT_GE(found.largest, bound - kReached);
  }
}

Query sums_without_own_row(const Unit& unit) {
  return [unit](const World& world, std::size_t person) {
    return testing::neighbor_sum_query(world, unit.excludes_own_row() ? person : kNobody);
  };
}

// Row i of the result: what person j adds to those on its own list.
std::vector<double> own_list_query(const World& world, std::size_t) {
  const std::size_t columns = world.rows[0].size();
  std::vector<double> sums(world.nodes * columns, 0.0);
  for (std::size_t j = 0; j < world.nodes; ++j) {
    const auto length = static_cast<double>(world.row_sum(j));
    const double weight = std::min(1.0, std::sqrt(2 / length));  // list bound 2
    for (std::size_t i = 0; i < world.nodes; ++i) {
      for (std::size_t c = 0; world.has(j, i) && c < columns; ++c)
        sums[i * columns + c] += weight * world.rows[j][c];
    }
  }
  return sums;
}

Query degrees_without_own(const Unit& unit) {
  return [unit](const World& world, std::size_t person) {
    std::vector<double> degrees(world.nodes);
    for (std::size_t i = 0; i < world.nodes; ++i) {
      degrees[i] = unit.excludes_own_row() && i == person ? 0 : static_cast<double>(world.row_sum(i));
    }
    return degrees;
  };
}

Query edge_count(const Unit& unit) {
  return [unit](const World& world, std::size_t) {
    double count = 0;
    for (std::size_t i = 0; i < world.nodes; ++i) count += static_cast<double>(world.row_sum(i));
    return std::vector<double>{testing::symmetric(unit) ? count / 2 : count};
  };
}

std::vector<double> degree_histogram(const World& world, std::size_t) {
  std::vector<double> bins(world.nodes, 0.0);
  for (std::size_t i = 0; i < world.nodes; ++i) ++bins[world.row_sum(i)];
  return bins;
}

Query label_blocks(const Unit& unit, int classes) {
  return [unit, classes](const World& world, std::size_t) {
    const auto c = static_cast<std::size_t>(classes);
    std::vector<double> blocks(c * c, 0.0);
    for (std::size_t i = 0; i < world.nodes; ++i) {
      for (std::size_t j = testing::symmetric(unit) ? i + 1 : 0; j < world.nodes; ++j) {
        if (!world.has(i, j) || world.labels[i] < 0 || world.labels[j] < 0) continue;
        auto a = static_cast<std::size_t>(world.labels[i]);
        auto b = static_cast<std::size_t>(world.labels[j]);
        if (testing::symmetric(unit) && a > b) std::swap(a, b);
        ++blocks[a * c + b];
      }
    }
    return blocks;
  };
}

// Every example's inputs (row of A, own row, label) hashed to one of many coordinates: two coordinates move
// for every replaced example, one for an added one, so the L1 distance counts them.
std::vector<double> examples(const World& world, std::size_t) {
  const std::size_t kinds = (std::size_t{1} << world.nodes) * 4;
  std::vector<double> seen(world.nodes * kinds, 0.0);
  for (std::size_t i = 0; i < world.nodes; ++i) {
    if (world.labels[i] < 0) continue;
    std::size_t key = 0;
    for (std::size_t j = 0; j < world.nodes; ++j) key = key * 2 + world.has(i, j);
    key = key * 4 + (world.rows[i][0] > 0 ? 2 : 0) + static_cast<std::size_t>(world.labels[i]);
    seen[i * kinds + key] = 1;
  }
  return seen;
}

std::vector<Unit> edge_units() { return {Unit::edge(), Unit::directed_edge(), Unit::local_edge()}; }

std::vector<Unit> person_units() {
  return {Unit::k_neighbor(1),
          Unit::k_neighbor(2),
          Unit::node(1, Adjacency::replace),
          Unit::node(2, Adjacency::replace),
          Unit::node(2, Adjacency::add_remove),
          Unit::node(3, Adjacency::add_remove)};
}

std::vector<Unit> graph_units() {
  std::vector<Unit> units = edge_units();
  for (const Unit& unit : person_units()) units.push_back(unit);
  return units;
}

// Directed graphs have twice the places, so one node less is looked at.
std::size_t nodes_for(const Unit& unit) { return testing::symmetric(unit) ? 5 : 4; }

TEST(Sensitivity, NeighborSumOfNobodysRows) {
  for (const Unit& unit : graph_units()) {
    SCOPED_TRACE(unit.text());
    const double bound = neighbor_sum_sensitivity(unit, {.row_bound = 1}).l2().value();
    expect_bound(search_all(nodes_for(unit), unit, kSigns, sums_without_own_row(unit), Norm::l2), bound,
                 true);
  }
}

TEST(Sensitivity, NeighborSumOfTheirOwnersRows) {
  for (const Unit& unit : person_units()) {
    if (unit.kind() == Unit::Kind::k_neighbor) continue;
    SCOPED_TRACE(unit.text());
    const NeighborSum sum{.row_bound = 1, .columns = 1, .rows = RowsOf::their_owners};
    expect_bound(search_all(5, unit, kSignsOfOwners, sums_without_own_row(unit), Norm::l2),
                 neighbor_sum_sensitivity(unit, sum).l2().value(), true);
    const NeighborSum votes{.row_bound = 1, .columns = 2, .rows = RowsOf::their_owners, .non_negative = true};
    expect_bound(search_all(5, unit, kOneHotOfOwners, sums_without_own_row(unit), Norm::l2),
                 neighbor_sum_sensitivity(unit, votes).l2().value(), true);
  }
}

TEST(Sensitivity, TheOwnRowReallyHasToBeLeftOut) {
  const Unit unit = Unit::node(2, Adjacency::add_remove);
  const Query with_own_row = [](const World& world, std::size_t) {
    return testing::neighbor_sum_query(world, kNobody);
  };
  EXPECT_GT(search_all(5, unit, kSigns, with_own_row, Norm::l2).largest,
            1.4 * neighbor_sum_sensitivity(unit, {.row_bound = 1}).l2().value());
}

TEST(Sensitivity, OwnListSum) {
  for (const Adjacency adjacency : {Adjacency::replace, Adjacency::add_remove}) {
    const Unit unit = Unit::record(adjacency);
    SCOPED_TRACE(unit.text());
    const NeighborSum sum{.row_bound = 1, .columns = 1, .rows = RowsOf::their_owners};
    expect_bound(search_all(4, unit, kSignsOfOwners, own_list_query, Norm::l2),
                 own_list_sum_sensitivity(unit, sum, 2, 3).l2().value(), true);
    const NeighborSum votes{.row_bound = 1, .columns = 2, .rows = RowsOf::their_owners, .non_negative = true};
    expect_bound(search_all(4, unit, kOneHotOfOwners, own_list_query, Norm::l2),
                 own_list_sum_sensitivity(unit, votes, 2, 3).l2().value(), true);
  }
}

TEST(Sensitivity, Degrees) {
  for (const Unit& unit : graph_units()) {
    SCOPED_TRACE(unit.text());
    const Sensitivity stated = degrees_sensitivity(unit);
    expect_bound(search_all(nodes_for(unit), unit, kConstant, degrees_without_own(unit), Norm::l1),
                 stated.l1().value(), true);
    expect_bound(search_all(nodes_for(unit), unit, kConstant, degrees_without_own(unit), Norm::l2),
                 stated.l2().value(), true);
  }
}

TEST(Sensitivity, EdgeCount) {
  for (const Unit& unit : graph_units()) {
    SCOPED_TRACE(unit.text());
    expect_bound(search_all(nodes_for(unit), unit, kConstant, edge_count(unit), Norm::l1),
                 edge_count_sensitivity(unit, graph::Direction::undirected).l1().value(), true);
  }
}

// A node of a directed graph has D entries in its row and D in its column: 0 -> 1 and 2 -> 0 against nothing.
TEST(Sensitivity, DirectedGraphsCountBothWays) {
  const Unit unit = Unit::node(1, Adjacency::add_remove);
  EXPECT_GE(edge_count_sensitivity(unit, graph::Direction::directed).l1().value(), 2);
  EXPECT_GE(edge_count_sensitivity(Unit::k_neighbor(1), graph::Direction::directed).l1().value(), 2);
  EXPECT_GE(label_block_sensitivity(unit, graph::Direction::directed).l1().value(), 2);
  EXPECT_EQ(edge_count_sensitivity(Unit::directed_edge(), graph::Direction::directed).l1().value(), 1);
}

TEST(Sensitivity, DegreeHistogram) {
  for (const Unit& unit : graph_units()) {
    SCOPED_TRACE(unit.text());
    const Sensitivity stated = degree_histogram_sensitivity(unit);
    // With more than two moving nodes the person itself moves further than they do: not tight in L2.
    const bool two_at_most = stated.l1().value() <= 4;
    expect_bound(search_all(nodes_for(unit), unit, kConstant, degree_histogram, Norm::l2),
                 stated.l2().value(), two_at_most);
    expect_bound(search_all(nodes_for(unit), unit, kConstant, degree_histogram, Norm::l1),
                 stated.l1().value(), two_at_most);
  }
}

TEST(Sensitivity, EdgesBetweenClasses) {
  for (const Unit& unit : graph_units()) {
    if (unit.kind() == Unit::Kind::k_neighbor) continue;
    SCOPED_TRACE(unit.text());
    const Alphabet two_classes{.rows = {{1.0}}, .classes = 2};
    const Sensitivity stated = label_block_sensitivity(unit, graph::Direction::undirected);
    const std::size_t nodes = testing::symmetric(unit) ? 5 : 3;
    expect_bound(search_all(nodes, unit, two_classes, label_blocks(unit, 2), Norm::l1), stated.l1().value(),
                 true);
    expect_bound(search_all(nodes, unit, two_classes, label_blocks(unit, 2), Norm::l2), stated.l2().value(),
                 true);
  }
}

constexpr std::uint64_t kMany = 1000000;

TEST(Sensitivity, AffectedExamplesWithOneHop) {
  for (const Unit& unit : graph_units()) {
    SCOPED_TRACE(unit.text());
    const AffectedExamples affected = examples_with_one_hop(unit, kMany);
    const std::size_t nodes = testing::symmetric(unit) ? 5 : 3;
    const Found found = search_all(nodes, unit, kSignsOfOwners, examples, Norm::l1);
    // Clip norm 1 and opposite gradients: each replaced example moves the sum by 2, an added one by 1.
    expect_bound(found, clipped_sum_sensitivity(unit, affected, ClipNorm(1), 1).l2().value(), true);
    EXPECT_EQ(found.largest, affected.clip_norms());
  }
}

// A node that reaches all examples replaces all, whether or not one of them is its own.
TEST(Sensitivity, AffectedExamplesAreNoMoreThanThereAre) {
  const Unit node = Unit::node(3, Adjacency::add_remove);
  for (std::uint64_t population = 1; population <= 3; ++population) {
    EXPECT_EQ(affected_examples(node, 3, population), (AffectedExamples{.replaced = population}));
    EXPECT_EQ(examples_with_one_hop(node, population), (AffectedExamples{.replaced = population}));
  }
  EXPECT_EQ(affected_examples(node, 3, 4), (AffectedExamples{.added = 1, .replaced = 3}));
  EXPECT_EQ(affected_examples(Unit::node(3, Adjacency::replace), 6, 5), (AffectedExamples{.replaced = 5}));
  EXPECT_EQ(examples_with_one_hop(Unit::edge(), 1), (AffectedExamples{.replaced = 1}));
  EXPECT_EQ(examples_with_one_hop(Unit::k_neighbor(5), 4), (AffectedExamples{.replaced = 4}));
  EXPECT_THROW((void)affected_examples(Unit::edge(), 1, 10), Unsound);
  EXPECT_THROW((void)affected_examples(Unit::none(), 1, 10), Unsound);
}

TEST(Sensitivity, NumbersOfTheLiterature) {
  // DPDGC (Chien et al. 2023), Theorems 5.1, 5.3, 5.4 for rows other than the person's.
  const Unit node = Unit::node(100, Adjacency::replace);
  EXPECT_NEAR(neighbor_sum_sensitivity(node, {}).l2().value(), std::sqrt(200.0), 1e-12);
  EXPECT_NEAR(neighbor_sum_sensitivity(node, {.rows = RowsOf::their_owners}).l2().value(), 20.0, 1e-12);
  EXPECT_NEAR(neighbor_sum_sensitivity(Unit::k_neighbor(5), {}).l2().value(), std::sqrt(5.0), 1e-12);
  EXPECT_EQ(examples_with_one_hop(node, 1000), (AffectedExamples{.added = 0, .replaced = 201}));
  EXPECT_EQ(examples_with_one_hop(Unit::k_neighbor(5), 1000), (AffectedExamples{.added = 0, .replaced = 6}));
  EXPECT_EQ(examples_with_one_hop(Unit::edge(), 1000), (AffectedExamples{.added = 0, .replaced = 2}));
}

TEST(Sensitivity, BoundsAreRoundedUp) {
  // sqrt(2) in double is below the real number; the stated bound must not be. long double decides.
  const double stated = neighbor_sum_sensitivity(Unit::edge(), {.row_bound = 0.3}).l2().value();
  EXPECT_GE(static_cast<long double>(stated), std::sqrt(2.0L) * static_cast<long double>(0.3));
  EXPECT_LE(stated, std::sqrt(2.0) * 0.3 * (1 + 1e-14));
  EXPECT_EQ(neighbor_sum_sensitivity(Unit::directed_edge(), {.row_bound = 0.3}).l2().value(), 0.3);
}

TEST(Sensitivity, RefusesWhatHasNoBound) {
  const NeighborSum owners{.row_bound = 1, .columns = 1, .rows = RowsOf::their_owners};
  EXPECT_THROW((void)neighbor_sum_sensitivity(Unit::none(), {}), Unsound);
  EXPECT_THROW((void)neighbor_sum_sensitivity(Unit::record(Adjacency::replace), {}), Unsound);
  EXPECT_THROW((void)neighbor_sum_sensitivity(Unit::k_neighbor(3), owners), Unsound);
  EXPECT_THROW((void)own_list_sum_sensitivity(Unit::edge(), {}, 2, 2), Unsound);
  EXPECT_THROW((void)label_block_sensitivity(Unit::k_neighbor(1), graph::Direction::undirected), Unsound);
  EXPECT_THROW((void)label_block_sensitivity(Unit::record(Adjacency::replace), graph::Direction::undirected),
               Unsound);
  EXPECT_THROW((void)edge_count_sensitivity(Unit::record(Adjacency::replace), graph::Direction::undirected),
               Unsound);
  EXPECT_THROW((void)record_sum_sensitivity(Unit::edge(), 1, 1), Unsound);
  EXPECT_THROW((void)examples_with_one_hop(Unit::none(), 10), Unsound);
  EXPECT_THROW((void)clipped_sum_sensitivity(Unit::none(), {.added = 1, .replaced = 0}, ClipNorm(1), 1),
               Unsound);
  EXPECT_THROW((void)clipped_sum_sensitivity(Unit::edge(), {}, ClipNorm(1), 1), InvalidArgument);
  EXPECT_THROW((void)neighbor_sum_sensitivity(Unit::edge(), {.row_bound = 0}), InvalidArgument);
  EXPECT_THROW((void)neighbor_sum_sensitivity(Unit::edge(), {.row_bound = std::nan("")}), InvalidArgument);
}

TEST(Sensitivity, AStatementNeedsANumberAndAnArgument) {
  EXPECT_THROW((void)Sensitivity::stated(Unit::edge(), {.value = "x", .argument = "y"}), InvalidArgument);
  EXPECT_THROW((void)Sensitivity::stated(Unit::edge(), {.l1 = 1.0, .value = "x", .argument = ""}),
               InvalidArgument);
  EXPECT_THROW((void)Sensitivity::stated(Unit::none(), {.l1 = 1.0, .value = "x", .argument = "y"}), Unsound);
  const Sensitivity stated = Sensitivity::stated(Unit::edge(), {.l2 = 2.0, .value = "x", .argument = "y"});
  EXPECT_EQ(stated.l2().value(), 2.0);
  EXPECT_EQ(stated.each(), 2.0);
  EXPECT_THROW((void)stated.l1(), InvalidArgument);
  EXPECT_THROW((void)stated.coordinates(), InvalidArgument);
}

// The searches above use plain queries; this one runs the code that methods use.
TEST(Sensitivity, FixedPointNeighborSumsKeepTheBoundOnLargerGraphs) {
  constexpr double kGrid = 0x1p-12;
  SeededStream stream(11);
  for (const Unit& unit : {Unit::edge(), Unit::directed_edge(), Unit::k_neighbor(3),
                           Unit::node(4, Adjacency::replace), Unit::node(4, Adjacency::add_remove)}) {
    SCOPED_TRACE(unit.text());
    const Query query = [&](const World& world, std::size_t person) {
      const FixedPointMatrix sums = neighbor_sums(world.graph(testing::symmetric(unit)), world.matrix(),
                                                  {.grid = kGrid, .row_bound = 0.7});
      std::vector<double> values(sums.steps.begin(), sums.steps.end());
      for (std::size_t c = 0; unit.excludes_own_row() && c < sums.columns; ++c) {
        values[person * sums.columns + c] = 0;
      }
      for (double& value : values) value *= kGrid;
      return values;
    };
    const Climb climb{.nodes = 14, .columns = 3, .row_bound = 1.5, .starts = 3, .steps = 2500};
    const Found found = search_uphill(climb, unit, query, Norm::l2, stream);
    const double bound = neighbor_sum_sensitivity(unit, {.row_bound = 0.7, .columns = 3}).l2().value();
    EXPECT_LE(found.largest, bound) << "no allowance for rounding: it is in the scheme";
    EXPECT_GE(found.largest, 0.99 * bound) << "the climb finds the worst case";
    EXPECT_GT(found.improved, 0u);
  }
}

}  // namespace
}  // namespace privet::privacy
