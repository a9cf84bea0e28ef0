#include "privet/methods/released/low_rank_graph.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "privet/tensor/dense_product.hpp"

namespace privet::methods {
namespace {

constexpr std::size_t kTileRows = 128;
constexpr std::size_t kSpare = std::size_t{1} << 20;  // entries gathered before the threshold rises

struct Entry {
  float value;
  graph::NodeId row;
  graph::NodeId column;
};

bool comes_first(const Entry& a, const Entry& b) {
  if (a.value != b.value) return a.value > b.value;
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

tensor::Matrix beside(const tensor::Matrix& a, const tensor::Matrix& b) {
  tensor::Matrix all(a.rows(), a.columns() + b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    std::ranges::copy(a.row(i), all.row(i).begin());
    std::ranges::copy(b.row(i), all.row(i).begin() + static_cast<std::ptrdiff_t>(a.columns()));
  }
  return all;
}

tensor::ConstMatrixView rows_of(const tensor::Matrix& matrix, std::size_t first, std::size_t count) {
  return {matrix.values().data() + first * matrix.columns(), count, matrix.columns()};
}

// Calls body(first row and column, tile) for tiles that cover what lies above the diagonal, until it says
// no.
template <typename Body>
void for_tiles(const tensor::Matrix& left, const tensor::Matrix& right, const Body& body) {
  const std::size_t nodes = left.rows();
  for (std::size_t first = 0; first + 1 < nodes; first += kTileRows) {
    const std::size_t rows = std::min(kTileRows, nodes - first);
    tensor::Matrix tile(rows, nodes - first);
    tensor::product_transposed(rows_of(left, first, rows), rows_of(right, first, nodes - first), tile);
    if (!body(first, tile)) return;
  }
}

}  // namespace

graph::Graph graph_of_largest(const tensor::Matrix& left, const tensor::Matrix& right, std::uint64_t keep) {
  const std::size_t nodes = left.rows();
  std::vector<Entry> found;
  float threshold = -std::numeric_limits<float>::infinity();
  const auto cut = [&] {
    if (found.size() <= keep) return;
    const auto last = found.begin() + static_cast<std::ptrdiff_t>(keep);
    std::nth_element(found.begin(), last, found.end(), &comes_first);
    found.erase(last, found.end());
    if (keep > 0) threshold = std::ranges::max_element(found, &comes_first)->value;
  };
  if (keep > 0) {
    for_tiles(beside(left, right), beside(right, left), [&](std::size_t first, const tensor::Matrix& tile) {
      for (std::size_t i = 0; i < tile.rows(); ++i) {
        const std::span<const float> row = tile.row(i);
        for (std::size_t j = i + 1; j < row.size(); ++j) {
          if (row[j] < threshold) continue;
          found.push_back(
              {row[j], static_cast<graph::NodeId>(first + i), static_cast<graph::NodeId>(first + j)});
        }
        if (found.size() > keep + kSpare) cut();
      }
      return true;
    });
  }
  cut();
  graph::EdgeList edges;
  for (const Entry& one : found) edges.add(one.row, one.column);
  return {nodes, std::move(edges), graph::Direction::undirected, "largest entries"};
}

std::uint64_t rank_of_entry(const tensor::Matrix& left, const tensor::Matrix& right, graph::NodeId row,
                            graph::NodeId column, std::uint64_t enough) {
  const graph::NodeId i = std::min(row, column);
  const graph::NodeId j = std::max(row, column);
  tensor::Matrix own(1, 1);
  tensor::product_transposed(rows_of(left, i, 1), rows_of(right, j, 1), own);
  const Entry asked{own(0, 0), i, j};
  std::uint64_t before = 0;
  for_tiles(left, right, [&](std::size_t first, const tensor::Matrix& tile) {
    for (std::size_t r = 0; r < tile.rows(); ++r) {
      const std::span<const float> values = tile.row(r);
      for (std::size_t c = r + 1; c < values.size(); ++c) {
        before += comes_first(
            {values[c], static_cast<graph::NodeId>(first + r), static_cast<graph::NodeId>(first + c)}, asked);
      }
      if (before >= enough) return false;
    }
    return true;
  });
  return std::min(before, enough);
}

}  // namespace privet::methods
