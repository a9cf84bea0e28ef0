#include "privet/graph/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "privet/base/error.hpp"
#include "privet/base/sha256.hpp"

namespace privet::graph {
namespace {

void feed(Sha256& hash, const Graph& graph) {
  hash.update("graph")
      .update(graph.undirected() ? 1 : 0)
      .update(graph.nodes())
      .update(graph.stored_entries());
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    hash.update(graph.degree(i));
    hash.update(std::as_bytes(graph.neighbors(i)));
  }
}

// Every nonzero entry as (column, bits), so that dense and sparse storage of one matrix agree.
void feed(Sha256& hash, const Features& features) {
  struct Entry {
    std::uint32_t column;
    std::uint32_t bits;
  };
  std::vector<Entry> row;
  const auto feed_row = [&] {
    hash.update(row.size());
    hash.update(std::as_bytes(std::span<const Entry>(row)));
    row.clear();
  };
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) {
    hash.update("features").update(dense->rows()).update(dense->columns());
    for (std::size_t i = 0; i < dense->rows(); ++i) {
      for (std::size_t j = 0; j < dense->columns(); ++j) {
        const float value = (*dense)(i, j);
        if (value != 0) row.push_back({static_cast<std::uint32_t>(j), std::bit_cast<std::uint32_t>(value)});
      }
      feed_row();
    }
  } else if (const auto* sparse = std::get_if<tensor::SparseMatrix>(&features)) {
    hash.update("features").update(sparse->rows()).update(sparse->columns());
    for (std::size_t i = 0; i < sparse->rows(); ++i) {
      for (std::uint64_t k = sparse->offsets()[i]; k < sparse->offsets()[i + 1]; ++k) {
        const float value = sparse->value(k);
        if (value != 0) row.push_back({sparse->column_indices()[k], std::bit_cast<std::uint32_t>(value)});
      }
      feed_row();
    }
  }
}

}  // namespace

std::vector<NodeId> Split::nodes(Role role) const {
  std::vector<NodeId> found;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == role) found.push_back(static_cast<NodeId>(i));
  }
  return found;
}

std::size_t Split::count(Role role) const {
  return static_cast<std::size_t>(std::count(roles.begin(), roles.end(), role));
}

std::size_t feature_columns(const Features& features) noexcept {
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) return dense->columns();
  if (const auto* sparse = std::get_if<tensor::SparseMatrix>(&features)) return sparse->columns();
  return 0;
}

const Split* Dataset::find_split(std::string_view split_name) const noexcept {
  for (const Split& split : splits) {
    if (split.name == split_name) return &split;
  }
  return nullptr;
}

void check(const Dataset& dataset, const std::string& where) {
  const std::size_t nodes = dataset.nodes();
  const auto expect_rows = [&](std::size_t rows, const std::string& part) {
    if (rows != nodes) {
      throw DataError({.what = fmt::format("{} has {} rows", part, rows),
                       .where = where,
                       .expected = fmt::format("{}, one per node", nodes)});
    }
  };
  if (nodes == 0) throw DataError({.what = "the graph has no nodes", .where = where});
  if (dataset.directed_graph) expect_rows(dataset.directed_graph->nodes(), "edges_directed");
  if (const auto* dense = std::get_if<tensor::Matrix>(&dataset.features)) {
    expect_rows(dense->rows(), "features");
    for (std::size_t k = 0; k < dense->size(); ++k) {
      if (!std::isfinite(dense->values()[k])) {
        throw DataError({.what = fmt::format("features row {} column {} is {}", k / dense->columns(),
                                             k % dense->columns(), dense->values()[k]),
                         .where = where,
                         .expected = "finite numbers"});
      }
    }
  } else if (const auto* sparse = std::get_if<tensor::SparseMatrix>(&dataset.features)) {
    expect_rows(sparse->rows(), "features");
  }
  if (!dataset.labels.empty()) {
    expect_rows(dataset.labels.size(), "labels");
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::int32_t label = dataset.labels[i];
      if (label < kUnlabeled || (label >= 0 && static_cast<std::size_t>(label) >= dataset.classes)) {
        throw DataError({.what = fmt::format("labels row {} is {}", i, label),
                         .where = where,
                         .expected = fmt::format("0 to {}, or -1 for unlabeled",
                                                 static_cast<std::int64_t>(dataset.classes) - 1)});
      }
    }
  }
  if (!dataset.class_names.empty() && dataset.class_names.size() != dataset.classes) {
    throw DataError({.what = fmt::format("{} class names", dataset.class_names.size()),
                     .where = where,
                     .expected = fmt::format("{}, one per class", dataset.classes)});
  }
  if (!dataset.node_names.empty()) expect_rows(dataset.node_names.size(), "node names");
  std::set<std::string> names;
  for (const Split& split : dataset.splits) {
    expect_rows(split.roles.size(), "split " + split.name);
    if (!names.insert(split.name).second) {
      throw DataError({.what = fmt::format("split {} is there twice", split.name), .where = where});
    }
  }
}

std::string fingerprint(const Dataset& dataset) {
  Sha256 hash;
  hash.update("privet data set 1");
  feed(hash, dataset.graph);
  if (dataset.directed_graph) feed(hash, *dataset.directed_graph);
  feed(hash, dataset.features);
  hash.update("labels").update(dataset.classes).update(dataset.labels.size());
  hash.update(std::as_bytes(std::span(dataset.labels)));
  for (const Split& split : dataset.splits) {
    hash.update("split").update(split.name.size()).update(split.name);
    hash.update(std::as_bytes(std::span(split.roles)));
  }
  return to_hex(hash.finish());
}

}  // namespace privet::graph
