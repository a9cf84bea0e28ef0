#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/neighbor_search.hpp"
#include "privet/core/contractive_layer.hpp"

/// Contractive layers once more, as plain as can be, for searches over worlds.
namespace privet::privacy::testing {

using Dense = std::vector<std::vector<double>>;

/// s N + (1 - s) / n of the world, for C = 1.
inline Dense layer_matrix(const World& world, const ContractiveLayer& layer) {
  const std::size_t n = world.nodes;
  const bool floored = layer.kind == ContractiveLayer::Kind::floored;
  const auto sum = [&](std::size_t degree) {
    return static_cast<double>(floored ? std::max<std::uint64_t>(degree + 1, layer.bound) : layer.bound + 1);
  };
  Dense matrix(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double entry = i == j || world.has(i, j) ? 1 : 0;
      matrix[i][j] = layer.graph_share * entry / std::sqrt(sum(world.row_sum(i)) * sum(world.column_sum(j))) +
                     (1 - layer.graph_share) / static_cast<double>(n);
    }
  }
  return matrix;
}

/// L(X) with C = 1 and without the residual; `left_out` counts as zeros.
inline std::vector<double> layer_query(const World& world, const ContractiveLayer& layer,
                                       std::size_t left_out) {
  const Dense matrix = layer_matrix(world, layer);
  const std::size_t columns = world.rows[0].size();
  std::vector<double> result(world.nodes * columns);
  for (std::size_t i = 0; i < world.nodes; ++i) {
    if (i == left_out) continue;
    for (std::size_t j = 0; j < world.nodes; ++j)
      for (std::size_t c = 0; c < columns; ++c) result[i * columns + c] += matrix[i][j] * world.rows[j][c];
  }
  return result;
}

/// The largest |E x| over x with entries +-1, E the difference of the two layers: ascent from several starts,
/// each step of which moves uphill since |E x|^2 is convex.
inline double largest_move(const World& first, const World& second, const ContractiveLayer& layer) {
  const std::size_t n = first.nodes;
  const Dense a = layer_matrix(first, layer);
  const Dense b = layer_matrix(second, layer);
  const auto times = [&](const std::vector<double>& x, bool turned) {
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) y[turned ? j : i] += (b[i][j] - a[i][j]) * x[turned ? i : j];
    return y;
  };
  double largest = 0;
  SeededStream stream(5);
  for (int start = 0; start < 4; ++start) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = start == 0 ? 1 : stream.below(2) == 0 ? 1 : -1;
    if (start == 1) {  // the two ends against each other, with their neighbours
      for (std::size_t i = 0; i < n; ++i) x[i] = i == 0 || first.has(0, i) ? 1 : -1;
      x[1] = -1;
    }
    for (int step = 0; step < 20; ++step) {
      const std::vector<double> y = times(x, false);
      double squares = 0;
      for (const double value : y) squares += value * value;
      largest = std::max(largest, std::sqrt(squares));
      const std::vector<double> slope = times(y, true);
      for (std::size_t i = 0; i < n; ++i) x[i] = slope[i] >= 0 ? 1 : -1;
    }
  }
  return largest;
}

}  // namespace privet::privacy::testing
