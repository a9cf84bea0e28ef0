#pragma once

#include <string>
#include <vector>

#include "core/neighbor_search.hpp"
#include "privet/core/mechanisms/fixed_point.hpp"
#include "privet/core/sensitivity.hpp"

namespace privet::methods::testing {

/// What strict rigor charges for A W, in row bounds.
inline double charged_for_sums(const privacy::Unit& unit) {
  return privacy::neighbor_sum_sensitivity(unit, {.row_bound = 1, .columns = 1}).l2().value();
}

/// A W as the method sums it, without the person's own row.
inline privacy::testing::Query sums_query(const privacy::Unit& unit) {
  return [unit](const privacy::testing::World& world, std::size_t person) {
    const privacy::FixedPointMatrix sums = privacy::neighbor_sums(
        world.graph(privacy::testing::symmetric(unit)), world.matrix(), {.grid = 0x1p-20, .row_bound = 1});
    std::vector<double> rows;
    for (std::size_t i = 0; i < sums.rows; ++i) {
      for (std::size_t j = 0; j < sums.columns; ++j) {
        const bool own = i == person && unit.excludes_own_row();
        rows.push_back(own ? 0 : static_cast<double>(sums.steps[i * sums.columns + j]) * sums.grid);
      }
    }
    return rows;
  };
}

}  // namespace privet::methods::testing
