#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/graph/io/limits.hpp"
#include "privet/graph/io/native.hpp"
#include "privet/graph/io/npz.hpp"

namespace privet::graph {
namespace {

namespace fs = std::filesystem;

std::uint64_t read_count(NpzReader& npz, const std::string& name) {
  npz.expect_shape(name, {1});
  const std::int64_t value = npz.read<std::int64_t>(name).front();
  if (value < 0) throw DataError({.what = fmt::format("is {}", value), .where = npz.where(name)});
  return static_cast<std::uint64_t>(value);
}

[[noreturn]] void bad_row(const NpzReader& npz, const char* array, std::size_t row, std::int64_t from,
                          std::int64_t to, const std::string& expected) {
  throw DataError({.what = fmt::format("row {} is ({}, {})", row, from, to),
                   .where = npz.where(array),
                   .expected = expected});
}

// Visits the rows of an (E,2) array, ids already checked against the nodes.
template <typename Visit>
void visit_edges(NpzReader& npz, const char* array, std::size_t nodes, const Visit& visit) {
  npz.expect_shape(array, {kAnyExtent, 2});
  std::size_t row = 0;
  // Blocks hold a power of two of elements, so none cuts a row in two.
  npz.visit<std::int32_t>(array, [&](std::span<const std::int32_t> block) {
    for (std::size_t i = 0; i + 1 < block.size(); i += 2, ++row) {
      const std::int32_t from = block[i];
      const std::int32_t to = block[i + 1];
      if (from < 0 || to < 0 || static_cast<std::size_t>(from) >= nodes ||
          static_cast<std::size_t>(to) >= nodes) {
        bad_row(npz, array, row, from, to, fmt::format("node ids from 0 to {}", nodes - 1));
      }
      visit(row, static_cast<NodeId>(from), static_cast<NodeId>(to));
    }
  });
}

EdgeList read_edges(NpzReader& npz, std::size_t nodes) {
  EdgeList edges;
  Edge last;
  visit_edges(npz, "edges", nodes, [&](std::size_t row, NodeId from, NodeId to) {
    if (from == to) bad_row(npz, "edges", row, from, to, "no self-loops");
    if (from > to) bad_row(npz, "edges", row, from, to, "the smaller id first");
    const Edge edge{from, to};
    if (row > 0 && edge == last) bad_row(npz, "edges", row, from, to, "every edge once");
    if (row > 0 && edge < last) bad_row(npz, "edges", row, from, to, "sorted rows");
    last = edge;
    edges.add(from, to);
  });
  return edges;
}

EdgeList read_directed_edges(NpzReader& npz, std::size_t nodes) {
  EdgeList edges;
  visit_edges(npz, "edges_directed", nodes,
              [&](std::size_t, NodeId from, NodeId to) { edges.add(from, to); });
  return edges;
}

template <typename To, typename From>
std::vector<To> without_negatives(const NpzReader& npz, const char* array, const std::vector<From>& values) {
  std::vector<To> converted(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) {
      throw DataError({.what = fmt::format("row {} is {}", i, values[i]),
                       .where = npz.where(array),
                       .expected = "0 or above"});
    }
    converted[i] = static_cast<To>(values[i]);
  }
  return converted;
}

tensor::SparseMatrix read_sparse_features(NpzReader& npz, std::size_t nodes) {
  npz.expect_shape("feat_shape", {2});
  const auto shape = npz.read<std::int64_t>("feat_shape");
  if (shape[0] != static_cast<std::int64_t>(nodes) || shape[1] < 0 ||
      shape[1] > static_cast<std::int64_t>(kMaxNodes)) {
    throw DataError({.what = fmt::format("is ({}, {})", shape[0], shape[1]),
                     .where = npz.where("feat_shape"),
                     .expected = fmt::format("{} rows", nodes)});
  }
  npz.expect_shape("feat_indptr", {nodes + 1});
  npz.expect_shape("feat_indices", {kAnyExtent});
  auto offsets = without_negatives<std::uint64_t>(npz, "feat_indptr", npz.read<std::int64_t>("feat_indptr"));
  auto columns =
      without_negatives<std::uint32_t>(npz, "feat_indices", npz.read<std::int32_t>("feat_indices"));
  tensor::AlignedVector<float> values;
  if (npz.has("feat_data")) {
    npz.expect_shape("feat_data", {columns.size()});
    values.resize(columns.size());
    npz.read_into<float>("feat_data", values);
  }
  return {nodes,
          static_cast<std::size_t>(shape[1]),
          std::move(offsets),
          std::move(columns),
          std::move(values),
          npz.where("feat_indptr, feat_indices, feat_data")};
}

Features read_features(NpzReader& npz, std::size_t nodes) {
  const bool sparse = npz.has("feat_indptr") || npz.has("feat_indices");
  if (sparse && npz.has("features")) {
    throw DataError({.what = "is there beside feat_indptr",
                     .where = npz.where("features"),
                     .expected = "dense features or compressed rows"});
  }
  if (sparse) return read_sparse_features(npz, nodes);
  if (!npz.has("features")) return {};
  npz.expect_shape("features", {nodes, kAnyExtent});
  const std::uint64_t columns = npz.header("features").shape[1];
  if (columns > kMaxNodes) {
    throw DataError({.what = fmt::format("{} columns", columns), .where = npz.where("features")});
  }
  tensor::Matrix matrix(nodes, static_cast<std::size_t>(columns));
  npz.read_into<float>("features", matrix.values());
  return matrix;
}

void read_mask(NpzReader& npz, const std::string& array, Role role, std::vector<Role>& roles) {
  npz.expect_shape(array, {roles.size()});
  const auto mask = npz.read<std::uint8_t>(array);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] > 1 || (mask[i] == 1 && roles[i] != Role::none)) {
      throw DataError({.what = mask[i] > 1 ? fmt::format("row {} is {}", i, mask[i])
                                           : fmt::format("row {} is set in another mask of the split too", i),
                       .where = npz.where(array),
                       .expected = "0 or 1, and every node in one mask at most"});
    }
    if (mask[i] == 1) roles[i] = role;
  }
}

std::vector<Split> read_splits(NpzReader& npz, std::size_t nodes) {
  constexpr std::string_view kPrefix = "train_mask_";
  std::vector<Split> splits;
  for (const std::string& array : npz.names()) {
    if (array.rfind(kPrefix, 0) != 0) continue;
    Split split{.name = array.substr(kPrefix.size()), .roles = {}};
    npz.expect_shape(array, {nodes});  // before allocating for all nodes
    split.roles.resize(nodes, Role::none);
    read_mask(npz, array, Role::train, split.roles);
    read_mask(npz, "val_mask_" + split.name, Role::validation, split.roles);
    read_mask(npz, "test_mask_" + split.name, Role::test, split.roles);
    splits.push_back(std::move(split));
  }
  return splits;
}

std::vector<std::string> read_names(NpzReader& npz, const std::string& kind, std::size_t count) {
  const std::string offsets_name = kind + "_name_offsets";
  const std::string bytes_name = kind + "_name_bytes";
  if (!npz.has(offsets_name)) return {};
  npz.expect_shape(offsets_name, {count + 1});
  npz.expect_shape(bytes_name, {kAnyExtent});
  const auto offsets = npz.read<std::int64_t>(offsets_name);
  const auto bytes = npz.read<std::uint8_t>(bytes_name);
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (offsets[0] != 0 || offsets[i + 1] < offsets[i] ||
        offsets[i + 1] > static_cast<std::int64_t>(bytes.size())) {
      throw DataError({.what = fmt::format("row {} is {} after {}", i + 1, offsets[i + 1], offsets[i]),
                       .where = npz.where(offsets_name),
                       .expected = fmt::format("offsets that rise from 0 to {}", bytes.size())});
    }
    names.emplace_back(bytes.begin() + offsets[i], bytes.begin() + offsets[i + 1]);
  }
  return names;
}

// How many rows of arrays speak for the number of nodes. Only arrays of numbers count: their headers are held
// against the bytes that follow.
std::size_t rows_of_nodes(NpzReader& npz) {
  std::uint64_t rows = 0;
  for (const std::string& array : npz.names()) {
    if (array != "labels" && array != "feat_indptr" && array != "features" &&
        array.rfind("train_mask_", 0) != 0) {
      continue;
    }
    const NpyHeader& header = npz.header(array);
    const bool numbers = header.item_size > 0 && header.kind != 'O' && header.kind != 'V';
    if (numbers && header.count() > 0 && !header.shape.empty()) rows = std::max(rows, header.shape[0]);
  }
  return static_cast<std::size_t>(rows);
}

std::string name_of(const Source& source) {
  if (source.in_memory()) return source.name();
  const fs::path path = source.path();
  if (path.filename() == "graph.npz" || path.filename().empty()) {
    fs::path folder = fs::absolute(path).lexically_normal().parent_path();
    return folder.filename().string();
  }
  return path.stem().string();
}

constexpr const char* kConvertRemedy = "privet data convert reads other formats and writes the native one";

Source archive_of(const Source& source) {
  std::error_code ignored;
  if (source.in_memory() || !fs::is_directory(source.path(), ignored)) return source;
  const fs::path archive = source.path() / "graph.npz";
  if (!fs::exists(archive, ignored)) {
    throw IoError({.what = "holds no graph.npz",
                   .where = source.name(),
                   .expected = "a native data set",
                   .remedy = kConvertRemedy});
  }
  return archive;
}

// A text or a table that was never meant to be an archive; a truncated archive still begins as one.
void expect_archive(const Source& archive) {
  std::array<char, 2> start{};
  const std::size_t size = RandomAccess(archive).read_at(0, start);
  if (size == 0 || std::string_view(start.data(), size) == std::string_view("PK", size)) return;
  throw DataError({.what = "is not a zip archive",
                   .where = archive.name(),
                   .expected = "a native data set",
                   .remedy = kConvertRemedy});
}

}  // namespace

Dataset read_native(const Source& source, ReadSummary* summary) {
  const Source archive = archive_of(source);
  expect_archive(archive);
  NpzReader npz(archive);
  if (!npz.has("num_nodes") || !npz.has("edges")) {
    throw DataError({.what = fmt::format("has no array '{}'", npz.has("num_nodes") ? "edges" : "num_nodes"),
                     .where = archive.name(),
                     .expected = "a native data set",
                     .remedy = kConvertRemedy});
  }
  const std::uint64_t declared = read_count(npz, "num_nodes");
  npz.expect_shape("edges", {kAnyExtent, 2});
  const auto edge_rows = static_cast<std::size_t>(npz.header("edges").shape[0]);
  expect_plausible_nodes(declared, edge_rows, rows_of_nodes(npz), npz.where("num_nodes"));
  const auto nodes = static_cast<std::size_t>(declared);

  Dataset dataset;
  dataset.name = name_of(archive);
  // What is public comes first; the edges are opened last.
  if (npz.has("labels")) {
    npz.expect_shape("labels", {nodes});
    dataset.labels = npz.read<std::int32_t>("labels");
  }
  if (npz.has("num_classes")) {
    const std::uint64_t classes = read_count(npz, "num_classes");
    expect_plausible_classes(classes, nodes, npz.where("num_classes"));
    dataset.classes = static_cast<std::size_t>(classes);
  } else if (!dataset.labels.empty()) {
    throw DataError({.what = "has labels but no array 'num_classes'", .where = archive.name()});
  }
  dataset.class_names = read_names(npz, "class", dataset.classes);
  if (dataset.class_names.empty() && npz.has("label_values")) {
    npz.expect_shape("label_values", {dataset.classes});
    for (const std::int32_t value : npz.read<std::int32_t>("label_values")) {
      dataset.class_names.push_back(std::to_string(value));
    }
  }
  dataset.node_names = read_names(npz, "node", nodes);
  dataset.splits = read_splits(npz, nodes);
  dataset.features = read_features(npz, nodes);

  dataset.graph = Graph(nodes, read_edges(npz, nodes), Direction::undirected, npz.where("edges"));
  if (npz.has("edges_directed")) {
    Graph directed(nodes, read_directed_edges(npz, nodes), Direction::directed, npz.where("edges_directed"));
    if (npz.has("graph_is_directed") && npz.read_integer("graph_is_directed") == 1) {
      dataset.graph = std::move(directed);
    } else {
      dataset.directed_graph = std::move(directed);
    }
  } else if (npz.has("graph_is_directed")) {
    throw DataError({.what = "is there without edges_directed", .where = npz.where("graph_is_directed")});
  }
  check(dataset, archive.name());
  if (summary != nullptr) {
    *summary = {.format = Format::native, .origin = NodeOrigin::declared, .rows = edge_rows};
  }
  return dataset;
}

}  // namespace privet::graph
