#include "privet/graph/io/csr_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "privet/base/error.hpp"

namespace privet::graph {
namespace {

struct Shape {
  std::size_t rows = 0;
  std::size_t columns = 0;
};

Shape read_shape(NpzReader& npz, const CsrArrays& arrays) {
  npz.expect_shape(arrays.shape, {2});
  const auto shape = npz.read_integers(arrays.shape);
  for (const std::int64_t extent : shape) {
    if (extent < 0 || extent > static_cast<std::int64_t>(kMaxNodes)) {
      throw DataError({.what = fmt::format("is ({}, {})", shape[0], shape[1]),
                       .where = npz.where(arrays.shape),
                       .expected = fmt::format("extents from 0 to {}", kMaxNodes)});
    }
  }
  return {static_cast<std::size_t>(shape[0]), static_cast<std::size_t>(shape[1])};
}

// Offsets that rise from 0 to the number of entries, one more than rows.
std::vector<std::uint64_t> read_offsets(NpzReader& npz, const CsrArrays& arrays, std::size_t rows) {
  npz.expect_shape(arrays.indptr, {rows + 1});
  npz.expect_shape(arrays.indices, {kAnyExtent});
  npz.expect_shape(arrays.data, {npz.header(arrays.indices).shape[0]});
  const std::uint64_t entries = npz.header(arrays.indices).shape[0];
  const auto indptr = npz.read_integers(arrays.indptr);
  std::vector<std::uint64_t> offsets(indptr.size());
  for (std::size_t i = 0; i < indptr.size(); ++i) {
    const std::int64_t before = i == 0 ? 0 : indptr[i - 1];
    if (indptr[i] < before || (i == 0 && indptr[i] != 0) || static_cast<std::uint64_t>(indptr[i]) > entries ||
        (i == rows && static_cast<std::uint64_t>(indptr[i]) != entries)) {
      throw DataError({.what = fmt::format("row {} is {}", i, indptr[i]),
                       .where = npz.where(arrays.indptr),
                       .expected = fmt::format("offsets that rise from 0 to {}", entries)});
    }
    offsets[i] = static_cast<std::uint64_t>(indptr[i]);
  }
  return offsets;
}

[[noreturn]] void bad_entry(const NpzReader& npz, const std::string& array, std::uint64_t entry,
                            const std::string& value, const std::string& expected) {
  throw DataError(
      {.what = fmt::format("entry {} is {}", entry, value), .where = npz.where(array), .expected = expected});
}

}  // namespace

EdgeList read_csr_edges(NpzReader& npz, const CsrArrays& arrays, std::size_t& nodes, ReadSummary& summary) {
  const Shape shape = read_shape(npz, arrays);
  if (shape.rows != shape.columns) {
    throw DataError({.what = fmt::format("is ({}, {})", shape.rows, shape.columns),
                     .where = npz.where(arrays.shape),
                     .expected = "a square matrix: an adjacency"});
  }
  if (shape.rows == 0) throw DataError({.what = "the graph has no nodes", .where = npz.where(arrays.shape)});
  nodes = shape.rows;
  const std::vector<std::uint64_t> offsets = read_offsets(npz, arrays, nodes);

  // Positions of zeros, ascending: nearly always none.
  std::vector<std::uint64_t> zeros;
  std::uint64_t entry = 0;
  npz.visit_floats(arrays.data, [&](std::span<const float> block) {
    for (const float value : block) {
      if (std::isnan(value)) bad_entry(npz, arrays.data, entry, "NaN", "numbers");
      if (value == 0) zeros.push_back(entry);
      ++entry;
    }
  });

  EdgeList edges;
  std::size_t row = 0;
  auto zero = zeros.begin();
  entry = 0;
  npz.visit_integers(arrays.indices, [&](std::span<const std::int64_t> block) {
    for (const std::int64_t column : block) {
      while (offsets[row + 1] <= entry) ++row;
      if (column < 0 || static_cast<std::size_t>(column) >= nodes) {
        bad_entry(npz, arrays.indices, entry, std::to_string(column), fmt::format("0 to {}", nodes - 1));
      }
      if (zero != zeros.end() && *zero == entry) {
        ++zero;
      } else {
        summary.self_loops += static_cast<std::size_t>(column) == row ? 1 : 0;
        edges.add(static_cast<NodeId>(row), static_cast<NodeId>(column));
      }
      ++entry;
    }
  });
  summary.rows = static_cast<std::size_t>(entry);
  summary.zeros = zeros.size();
  return edges;
}

tensor::SparseMatrix read_csr_matrix(NpzReader& npz, const CsrArrays& arrays, std::size_t rows) {
  const Shape shape = read_shape(npz, arrays);
  if (shape.rows != rows) {
    throw DataError({.what = fmt::format("is ({}, {})", shape.rows, shape.columns),
                     .where = npz.where(arrays.shape),
                     .expected = fmt::format("{} rows, one per node", rows)});
  }
  std::vector<std::uint64_t> offsets = read_offsets(npz, arrays, rows);
  std::vector<std::uint32_t> columns;
  columns.reserve(static_cast<std::size_t>(offsets.back()));
  npz.visit_integers(arrays.indices, [&](std::span<const std::int64_t> block) {
    for (const std::int64_t column : block) {
      if (column < 0 || static_cast<std::size_t>(column) >= shape.columns) {
        bad_entry(npz, arrays.indices, columns.size(), std::to_string(column),
                  fmt::format("below {}", shape.columns));
      }
      columns.push_back(static_cast<std::uint32_t>(column));
    }
  });
  tensor::AlignedVector<float> values;
  values.reserve(columns.size());
  npz.visit_floats(arrays.data, [&](std::span<const float> block) {
    for (const float value : block) {
      if (!std::isfinite(value)) {
        bad_entry(npz, arrays.data, values.size(), fmt::format("{}", value), "finite numbers");
      }
      values.push_back(value);
    }
  });

  std::vector<std::pair<std::uint32_t, float>> sorted;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto first = columns.begin() + static_cast<std::ptrdiff_t>(offsets[i]);
    const auto last = columns.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]);
    if (std::is_sorted(first, last)) continue;
    sorted.clear();
    for (std::uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) sorted.emplace_back(columns[k], values[k]);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      columns[offsets[i] + k] = sorted[k].first;
      values[offsets[i] + k] = sorted[k].second;
    }
  }
  if (std::all_of(values.begin(), values.end(), [](float value) { return value == 1; })) {
    tensor::AlignedVector<float>().swap(values);
  }
  return {
      rows, shape.columns, std::move(offsets), std::move(columns), std::move(values), npz.where(arrays.data)};
}

}  // namespace privet::graph
