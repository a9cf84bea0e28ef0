#include <gtest/gtest.h>

#include <cmath>

#include "core/neighbor_search.hpp"
#include "privet/core/sensitivity.hpp"

/// The searches of sensitivity_test.cpp on all graphs with six nodes, and by climbing on larger ones.
namespace privet::privacy {
namespace {

using testing::Alphabet;
using testing::Climb;
using testing::Found;
using testing::Norm;
using testing::Query;
using testing::World;

constexpr std::size_t kNobody = ~std::size_t{0};

Query sums_without_own_row(const Unit& unit) {
  return [unit](const World& world, std::size_t person) {
    return testing::neighbor_sum_query(world, unit.excludes_own_row() ? person : kNobody);
  };
}

TEST(SensitivitySlow, NeighborSumsOnAllGraphsOfSixNodes) {
  // Rows that all agree are the worst case for nobody's rows, and with signs there would be 64 times as many.
  for (const char* name :
       {"edge", "k-neighbor:1", "k-neighbor:3", "node:2", "node:3:add-remove", "node:4:add-remove"}) {
    SCOPED_TRACE(name);
    const Unit unit = Unit::parse(name);
    const Found found = search_all(6, unit, {.rows = {{1.0}}}, sums_without_own_row(unit), Norm::l2);
    const double bound = neighbor_sum_sensitivity(unit, {}).l2().value();
    EXPECT_GT(found.pairs, 1000u);
    EXPECT_LE(found.largest, bound + 1e-12);
    EXPECT_GE(found.largest, bound - 1e-6);
  }
}

TEST(SensitivitySlow, DegreeHistogramsOnAllGraphsOfSixNodes) {
  const Query histogram = [](const World& world, std::size_t) {
    std::vector<double> bins(world.nodes, 0.0);
    for (std::size_t i = 0; i < world.nodes; ++i) ++bins[world.row_sum(i)];
    return bins;
  };
  for (const char* name : {"edge", "k-neighbor:2", "k-neighbor:3", "node:2", "node:3", "node:3:add-remove"}) {
    SCOPED_TRACE(name);
    const Unit unit = Unit::parse(name);
    const Sensitivity stated = degree_histogram_sensitivity(unit);
    EXPECT_LE(search_all(6, unit, {.rows = {{1.0}}}, histogram, Norm::l1).largest,
              stated.l1().value() + 1e-12);
    EXPECT_LE(search_all(6, unit, {.rows = {{1.0}}}, histogram, Norm::l2).largest,
              stated.l2().value() + 1e-12);
  }
}

TEST(SensitivitySlow, NeighborSumsByClimbing) {
  SeededStream stream(1);
  for (const char* name : {"edge", "directed-edge", "k-neighbor:4", "node:5", "node:5:add-remove"}) {
    for (const bool owners : {false, true}) {
      const Unit unit = Unit::parse(name);
      if (owners && unit.kind() != Unit::Kind::node) continue;
      SCOPED_TRACE(std::string(name) + (owners ? " owners' rows" : ""));
      const Climb climb{
          .nodes = 24, .columns = 4, .row_bound = 1, .rows_change = owners, .starts = 4, .steps = 30000};
      const Found found = search_uphill(climb, unit, sums_without_own_row(unit), Norm::l2, stream);
      const NeighborSum sum{
          .row_bound = 1, .columns = 4, .rows = owners ? RowsOf::their_owners : RowsOf::nobody};
      const double bound = neighbor_sum_sensitivity(unit, sum).l2().value();
      EXPECT_LE(found.largest, bound + 1e-12);
      EXPECT_GE(found.largest, bound - 1e-6) << "the climb finds the worst case";
    }
  }
}

// Signs matter where rows change: D common neighbours that all see the row turn round.
TEST(SensitivitySlow, OwnersRowsOnAllGraphsOfSixNodes) {
  for (const char* name : {"node:2", "node:3:add-remove"}) {
    SCOPED_TRACE(name);
    const Unit unit = Unit::parse(name);
    const Alphabet signs{.rows = {{1.0}, {-1.0}}, .classes = 1, .rows_change = true};
    const NeighborSum sum{.row_bound = 1, .columns = 1, .rows = RowsOf::their_owners};
    const Found found = search_all(6, unit, signs, sums_without_own_row(unit), Norm::l2);
    const double bound = neighbor_sum_sensitivity(unit, sum).l2().value();
    EXPECT_LE(found.largest, bound + 1e-12);
    EXPECT_GE(found.largest, bound - 1e-6);
  }
}

}  // namespace
}  // namespace privet::privacy
