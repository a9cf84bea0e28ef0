#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privet/core/plain_value.hpp"
#include "privet/graph/graph.hpp"
#include "privet/tensor/matrix.hpp"

namespace privet::privacy {

/// Sums in fixed point. Floating point sums depend on the order of their terms, and taking one term away
/// moves the rounding of all later ones: a lemma about exact sums does not hold for them. Integers have no
/// such trouble. Rows are rounded *towards zero* on a public grid, which never makes their norm larger.

struct RowRounding {
  double grid = 0;       ///< a power of two
  double row_bound = 0;  ///< rows are scaled down to this norm first; at most 2^30 grid steps
};
template <>
inline constexpr bool is_plain_value<RowRounding> = true;

/// Adds the row, scaled to norm at most row_bound and rounded towards zero, to `sum` (in grid steps). The
/// norm of what is added is at most row_bound, exactly. A row with a number that is not finite adds nothing.
void add_bounded_row(std::span<const float> row, const RowRounding& rounding, std::span<std::int64_t> sum);

/// A matrix in grid steps: entry (i, j) is steps[i * columns + j] * grid.
struct FixedPointMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  double grid = 0;
  std::vector<std::int64_t> steps;
};
template <>
inline constexpr bool is_plain_value<FixedPointMatrix> = true;

/// Row i = sum of the rows x_j over neighbours j of i, each bounded and rounded as above: what
/// neighbor_sum_sensitivity is about, whatever the order and number of the edges. GaussianMechanism releases
/// it; its own grid is the one to take. `x` has a row for every node (std::logic_error).
FixedPointMatrix neighbor_sums(const graph::Graph& graph, const tensor::Matrix& x,
                               const RowRounding& rounding);

}  // namespace privet::privacy
