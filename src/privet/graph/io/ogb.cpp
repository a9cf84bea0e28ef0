#include "privet/graph/io/ogb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/graph/io/edge_list.hpp"
#include "privet/graph/io/edge_rows.hpp"
#include "privet/graph/io/limits.hpp"
#include "privet/graph/io/npz_parts.hpp"

namespace privet::graph {
namespace {

namespace fs = std::filesystem;

std::optional<Source> find_csv(const fs::path& folder, const std::string& stem) {
  std::error_code ignored;
  for (const char* ending : {".csv.gz", ".csv"}) {
    const fs::path path = folder / (stem + ending);
    if (fs::exists(path, ignored)) return Source(path);
  }
  return std::nullopt;
}

Source need_csv(const fs::path& folder, const std::string& stem) {
  auto found = find_csv(folder, stem);
  if (!found) {
    throw IoError({.what = fmt::format("holds no {}.csv.gz", stem),
                   .where = folder.string(),
                   .expected = "a folder of the Open Graph Benchmark"});
  }
  return *std::move(found);
}

std::vector<OgbFiles::SplitFiles> find_splits(const fs::path& folder) {
  std::vector<OgbFiles::SplitFiles> splits;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!find_csv(entry->path(), "train")) continue;
    splits.push_back({.name = entry->path().filename().string(),
                      .train = need_csv(entry->path(), "train"),
                      .validation = need_csv(entry->path(), "valid"),
                      .test = need_csv(entry->path(), "test")});
  }
  std::sort(splits.begin(), splits.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return splits;
}

std::size_t read_count(const Source& source) {
  const auto values = read_integer_rows(source, std::nullopt);
  if (values.size() != 1 || values[0] < 0) {
    throw DataError({.what = values.size() == 1 ? fmt::format("is {}", values[0])
                                                : fmt::format("counts {} graphs", values.size()),
                     .where = source.name(),
                     .expected = "one number: node properties of one graph"});
  }
  return static_cast<std::size_t>(values[0]);
}

void set_role(const Source& source, Role role, std::vector<Role>& roles) {
  const auto nodes = read_integer_rows(source, std::nullopt);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool inside = nodes[i] >= 0 && static_cast<std::size_t>(nodes[i]) < roles.size();
    if (!inside || roles[static_cast<std::size_t>(nodes[i])] != Role::none) {
      throw DataError({.what = fmt::format("row {} is node {}{}", i + 1, nodes[i],
                                           inside ? ", which has a role already" : ""),
                       .where = source.name(),
                       .expected = fmt::format("nodes from 0 to {}, each once", roles.size() - 1)});
    }
    roles[static_cast<std::size_t>(nodes[i])] = role;
  }
}

}  // namespace

std::optional<fs::path> find_ogb_folder(const fs::path& given) {
  std::error_code error;
  const auto has_raw = [](const fs::path& folder) { return find_csv(folder / "raw", "edge").has_value(); };
  if (has_raw(given)) return given;
  const fs::path plain = given.filename().empty() ? given.parent_path() : given;
  if (plain.filename() == "raw" && find_csv(plain, "edge")) return plain.parent_path();
  std::optional<fs::path> found;
  for (fs::directory_iterator entry(given, error), end; !error && entry != end; entry.increment(error)) {
    if (!has_raw(entry->path())) continue;
    if (found) return std::nullopt;
    found = entry->path();
  }
  return found;
}

Dataset read_ogb(const fs::path& given, const ReadOptions& options, ReadSummary* summary) {
  const auto folder = find_ogb_folder(given);
  if (!folder) {
    throw IoError({.what = "holds no raw/edge.csv.gz, nor exactly one folder that does",
                   .where = given.string(),
                   .expected = "a folder of the Open Graph Benchmark"});
  }
  const fs::path raw = *folder / "raw";
  const fs::path plain = fs::absolute(*folder).lexically_normal();
  return read_ogb_files({.name = (plain.filename().empty() ? plain.parent_path() : plain).filename().string(),
                         .edges = need_csv(raw, "edge"),
                         .node_count = need_csv(raw, "num-node-list"),
                         .edge_count = find_csv(raw, "num-edge-list"),
                         .features = find_csv(raw, "node-feat"),
                         .labels = find_csv(raw, "node-label"),
                         .splits = find_splits(*folder / "split")},
                        options, summary);
}

Dataset read_ogb_files(const OgbFiles& files, const ReadOptions& options, ReadSummary* summary) {
  const std::size_t nodes = read_count(files.node_count);
  ReadOptions plain;
  plain.separator = ',';
  plain.header = Header::no;
  Dataset dataset;
  dataset.name = files.name;
  std::size_t rows = 0;
  if (files.labels) {
    set_class_labels(dataset, read_integer_rows(*files.labels, nodes), nodes, files.labels->name());
    rows = nodes;
  }
  if (files.features) {
    dataset.features = read_dense_rows(*files.features, plain, nodes);
    rows = nodes;
  }
  KnownNodes known;
  known.count = nodes;
  if (nodes == 0) throw DataError({.what = "the graph has no nodes", .where = files.node_count.name()});
  EdgeRows edges = read_edge_rows(files.edges, plain, known);
  if (files.edge_count && read_count(*files.edge_count) != edges.rows) {
    throw DataError(
        {.what = fmt::format("has {} edges", edges.rows),
         .where = files.edges.name(),
         .expected = fmt::format("{}, as in {}", read_count(*files.edge_count), files.edge_count->name()),
         .remedy = "the file may be truncated"});
  }
  expect_plausible_nodes(nodes, edges.rows, rows, files.node_count.name());
  for (const OgbFiles::SplitFiles& split : files.splits) {
    Split made{.name = split.name, .roles = std::vector<Role>(nodes, Role::none)};
    set_role(split.train, Role::train, made.roles);
    set_role(split.validation, Role::validation, made.roles);
    set_role(split.test, Role::test, made.roles);
    dataset.splits.push_back(std::move(made));
  }
  ReadSummary counts{.format = Format::ogb,
                     .origin = NodeOrigin::declared,
                     .rows = edges.rows,
                     .self_loops = edges.self_loops};
  set_graph(dataset, nodes, std::move(edges.edges), options.direction, files.edges.name(), counts);
  check(dataset, files.edges.name());
  if (summary != nullptr) *summary = counts;
  return dataset;
}

}  // namespace privet::graph
