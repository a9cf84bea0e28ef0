#include "privet/graph/io/edge_list.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/graph/io/edge_rows.hpp"
#include "privet/graph/io/fields.hpp"

namespace privet::graph {

std::string to_string(NodeOrigin origin) {
  switch (origin) {
    case NodeOrigin::declared:
      return "the data itself";
    case NodeOrigin::option:
      return "the number of nodes given";
    case NodeOrigin::nodes_file:
      return "the nodes file";
    case NodeOrigin::labels_file:
      return "the labels file";
    case NodeOrigin::features_file:
      return "the features file";
    case NodeOrigin::edges:
      return "the edges";
  }
  return {};
}

std::string dataset_name(const Source& source) {
  if (source.in_memory()) return source.name();
  std::filesystem::path name = source.path().filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

void set_graph(Dataset& dataset, std::size_t nodes, EdgeList edges, Direction direction,
               const std::string& where, ReadSummary& summary) {
  Graph graph(nodes, std::move(edges), direction, where);
  const std::size_t kept = direction == Direction::directed ? graph.stored_entries() : graph.edges();
  summary.directed = direction == Direction::directed;
  summary.repeats = summary.rows - summary.self_loops - summary.zeros - kept;
  if (direction == Direction::directed) {
    dataset.graph = graph.symmetrized();
    dataset.directed_graph = std::move(graph);
  } else {
    dataset.graph = std::move(graph);
  }
}

void set_tables(Dataset& dataset, NodeTables&& tables, std::size_t nodes, const std::string& where,
                ReadSummary& summary) {
  if (tables.nodes && *tables.nodes != nodes) {
    throw DataError({.what = counted(nodes, "node"),
                     .where = where,
                     .expected = fmt::format("{}, as in {}", *tables.nodes, to_string(tables.origin))});
  }
  std::move(tables.first_lines.begin(), tables.first_lines.end(), std::back_inserter(summary.first_lines));
  if (tables.table) dataset.node_names = tables.table->names();
  dataset.features = std::move(tables.features);
  dataset.labels = std::move(tables.labels);
  dataset.classes = tables.classes;
  dataset.class_names = std::move(tables.class_names);
}

Dataset read_edge_list(const Source& source, const ReadOptions& options, ReadSummary* summary) {
  NodeTables tables = read_node_tables(options);
  ReadSummary counts{.format = Format::edge_list, .origin = tables.origin};
  if (options.node_count) {
    if (*options.node_count == 0 || *options.node_count > kMaxNodes) {
      throw InvalidArgument({.what = fmt::format("{} nodes", *options.node_count),
                             .where = "node count",
                             .expected = fmt::format("1 to {}", kMaxNodes)});
    }
    if (tables.nodes && *tables.nodes != *options.node_count) {
      throw DataError(
          {.what = fmt::format("{} in {}", counted(*tables.nodes, "node"), to_string(tables.origin)),
           .where = source.name(),
           .expected = fmt::format("{}, the number given", *options.node_count)});
    }
    if (!tables.nodes) counts.origin = NodeOrigin::option;
  }
  KnownNodes known;
  if (tables.table) {
    known.table = &*tables.table;
  } else {
    known.count = tables.nodes ? tables.nodes : options.node_count;
  }
  EdgeRows rows = read_edge_rows(source, options, known);
  Dataset dataset;
  dataset.name = dataset_name(source);
  dataset.node_names = std::move(rows.names);
  counts.header = rows.header;
  counts.ignored_columns = rows.ignored_columns;
  if (rows.first_line) counts.first_lines.push_back(*rows.first_line);
  set_tables(dataset, std::move(tables), rows.nodes, source.name(), counts);
  counts.rows = rows.rows;
  counts.self_loops = rows.self_loops;
  set_graph(dataset, rows.nodes, std::move(rows.edges), options.direction, source.name(), counts);
  check(dataset, source.name());
  if (summary != nullptr) *summary = counts;
  return dataset;
}

void write_edge_list(const Dataset& dataset, const std::filesystem::path& file) {
  const char separator = file.extension() == ".tsv" ? '\t' : ',';
  const auto name_of = [&](NodeId node) {
    if (dataset.node_names.empty()) return std::to_string(node);
    const std::string& name = dataset.node_names[node];
    if (name.find_first_of("\",\t\r\n ") == std::string::npos) return name;
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
  };
  OutputFile out(file);
  out.write(std::string("source") + separator + "target\n");
  for (std::size_t i = 0; i < dataset.nodes(); ++i) {
    const auto node = static_cast<NodeId>(i);
    for (const NodeId other : dataset.graph.neighbors(node)) {
      if (dataset.graph.undirected() && other < node) continue;
      out.write(name_of(node) + separator + name_of(other) + "\n");
    }
  }
  out.commit();
}

}  // namespace privet::graph
