#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <system_error>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/graph/io/native.hpp"
#include "privet/graph/io/npz.hpp"

namespace privet::graph {
namespace {

namespace fs = std::filesystem;

template <typename T>
void write_array(NpzWriter& npz, const std::string& name, std::string_view descr, std::span<const T> values) {
  npz.begin(name, descr, {values.size()});
  npz.write(values);
}

void write_number(NpzWriter& npz, const std::string& name, std::size_t value) {
  const std::array<std::int64_t, 1> number = {static_cast<std::int64_t>(value)};
  write_array<std::int64_t>(npz, name, "<i8", number);
}

// Gathers small pieces into writes of some size.
template <typename T>
class Gatherer {
 public:
  explicit Gatherer(NpzWriter& npz) : npz_(npz) {}
  void add(T value) {
    values_.push_back(value);
    if (values_.size() == kMost) flush();
  }
  void flush() {
    npz_.write(std::span<const T>(values_));
    values_.clear();
  }

 private:
  static constexpr std::size_t kMost = 1 << 16;
  NpzWriter& npz_;
  std::vector<T> values_;
};

void write_edges(NpzWriter& npz, const std::string& name, const Graph& graph) {
  npz.begin(name, "<i4", {graph.undirected() ? graph.edges() : graph.stored_entries(), 2});
  Gatherer<std::int32_t> rows(npz);
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    for (const NodeId neighbor : graph.neighbors(i)) {
      if (graph.undirected() && neighbor < i) continue;
      rows.add(static_cast<std::int32_t>(i));
      rows.add(static_cast<std::int32_t>(neighbor));
    }
  }
  rows.flush();
}

void write_features(NpzWriter& npz, const Features& features) {
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) {
    npz.begin("features", "<f4", {dense->rows(), dense->columns()});
    npz.write(dense->values());
  } else if (const auto* sparse = std::get_if<tensor::SparseMatrix>(&features)) {
    // Unsigned in memory and signed in the file; the values are far below where the two differ.
    npz.begin("feat_indptr", "<i8", {sparse->offsets().size()});
    npz.write(sparse->offsets());
    npz.begin("feat_indices", "<i4", {sparse->column_indices().size()});
    npz.write(sparse->column_indices());
    const std::array<std::int64_t, 2> shape = {static_cast<std::int64_t>(sparse->rows()),
                                               static_cast<std::int64_t>(sparse->columns())};
    write_array<std::int64_t>(npz, "feat_shape", "<i8", shape);
    if (!sparse->all_ones()) write_array<float>(npz, "feat_data", "<f4", sparse->values());
  }
}

void write_mask(NpzWriter& npz, const std::string& name, const Split& split, Role role) {
  npz.begin(name, "|u1", {split.roles.size()});
  Gatherer<std::uint8_t> mask(npz);
  for (const Role given : split.roles) mask.add(given == role ? 1 : 0);
  mask.flush();
}

void write_names(NpzWriter& npz, const std::string& kind, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::uint64_t bytes = 0;
  for (const std::string& name : names) bytes += name.size();
  npz.begin(kind + "_name_offsets", "<i8", {names.size() + 1});
  Gatherer<std::int64_t> offsets(npz);
  std::int64_t offset = 0;
  offsets.add(offset);
  for (const std::string& name : names) offsets.add(offset += static_cast<std::int64_t>(name.size()));
  offsets.flush();
  npz.begin(kind + "_name_bytes", "|u1", {bytes});
  Gatherer<char> text(npz);
  for (const std::string& name : names) {
    for (const char c : name) text.add(c);
  }
  text.flush();
}

void expect_writable(const Dataset& dataset) {
  check(dataset, dataset.name);
  if (!dataset.graph.undirected() && dataset.directed_graph) {
    throw InvalidArgument({.what = "the graph is directed and has another directed graph beside it",
                           .where = dataset.name,
                           .remedy = "keep one of the two"});
  }
  for (const Split& split : dataset.splits) {
    const bool fits = !split.name.empty() && split.name.size() <= 200 &&
                      std::all_of(split.name.begin(), split.name.end(), [](unsigned char c) {
                        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
                      });
    if (!fits) {
      throw InvalidArgument({.what = fmt::format("split name '{}'", split.name),
                             .where = dataset.name,
                             .expected = "letters, digits, '_', '-' or '.'"});
    }
  }
}

void write_archive(const Dataset& dataset, const fs::path& target) {
  NpzWriter npz(target);
  write_number(npz, "num_nodes", dataset.nodes());
  if (dataset.graph.undirected()) {
    write_edges(npz, "edges", dataset.graph);
    if (dataset.directed_graph) write_edges(npz, "edges_directed", *dataset.directed_graph);
  } else {
    write_edges(npz, "edges", dataset.graph.symmetrized());
    write_edges(npz, "edges_directed", dataset.graph);
    const std::array<std::uint8_t, 1> yes = {1};
    write_array<std::uint8_t>(npz, "graph_is_directed", "|u1", yes);
  }
  write_features(npz, dataset.features);
  if (!dataset.labels.empty()) {
    write_array<std::int32_t>(npz, "labels", "<i4", dataset.labels);
  }
  write_number(npz, "num_classes", dataset.classes);
  for (const Split& split : dataset.splits) {
    write_mask(npz, "train_mask_" + split.name, split, Role::train);
    write_mask(npz, "val_mask_" + split.name, split, Role::validation);
    write_mask(npz, "test_mask_" + split.name, split, Role::test);
  }
  write_names(npz, "class", dataset.class_names);
  write_names(npz, "node", dataset.node_names);
  npz.commit();
}

}  // namespace

void write_native_file(const Dataset& dataset, const fs::path& file) {
  expect_writable(dataset);
  write_archive(dataset, file);
}

void write_native(const Dataset& dataset, const fs::path& folder) {
  expect_writable(dataset);
  std::error_code ignored;
  const bool existed = fs::exists(folder, ignored);
  make_folder(folder);
  try {
    write_archive(dataset, folder / "graph.npz");
  } catch (...) {
    if (!existed) fs::remove(folder, ignored);  // only when empty
    throw;
  }
}

}  // namespace privet::graph
