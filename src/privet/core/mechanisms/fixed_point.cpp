#include "privet/core/mechanisms/fixed_point.hpp"

#include <cmath>
#include <stdexcept>

#include "privet/base/parallel.hpp"

namespace privet::privacy {
namespace {

constexpr std::size_t kRowsPerPiece = 256;

}  // namespace

void add_bounded_row(std::span<const float> row, const RowRounding& rounding, std::span<std::int64_t> sum) {
  // Squares of floats are exact in double, so the sum is off by at most half an epsilon per term; the slack
  // covers that and the few roundings that follow.
  double squares = 0;
  for (const float value : row) squares += static_cast<double>(value) * static_cast<double>(value);
  if (!std::isfinite(squares)) return;
  const double norm = std::sqrt(squares);
  const double slack = static_cast<double>(row.size() + 16) * 0x1p-52;
  const double factor =
      norm * (1 + slack) <= rounding.row_bound ? 1 : rounding.row_bound / norm * (1 - slack);
  for (std::size_t j = 0; j < row.size(); ++j) {
    sum[j] += static_cast<std::int64_t>(static_cast<double>(row[j]) * factor / rounding.grid);
  }
}

FixedPointMatrix neighbor_sums(const graph::Graph& graph, const tensor::Matrix& x,
                               const RowRounding& rounding) {
  if (x.rows() != graph.nodes()) throw std::logic_error("neighbour sums need a row for every node");
  const std::size_t columns = x.columns();
  std::vector<std::int64_t> rounded(x.rows() * columns, 0);
  parallel_for(x.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      add_bounded_row(x.row(i), rounding, std::span(rounded).subspan(i * columns, columns));
    }
  });
  FixedPointMatrix sums{.rows = x.rows(),
                        .columns = columns,
                        .grid = rounding.grid,
                        .steps = std::vector<std::int64_t>(rounded.size(), 0)};
  parallel_for(x.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::int64_t* const row = sums.steps.data() + i * columns;
      for (const graph::NodeId neighbor : graph.neighbors(static_cast<graph::NodeId>(i))) {
        const std::int64_t* const term = rounded.data() + neighbor * columns;
        for (std::size_t j = 0; j < columns; ++j) row[j] += term[j];
      }
    }
  });
  return sums;
}

}  // namespace privet::privacy
