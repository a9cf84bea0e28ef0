#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/graph/io/node_table.hpp"
#include "privet/graph/io/read_options.hpp"

namespace privet::graph {

/// What is known of the nodes before any edge is read. The files, each of text, gzip or not, with or without
/// a header, comments and blank lines:
///
/// * nodes: the first field of a line is the id of a node; other fields are left alone.
/// * labels: `id,label`, or one label a line in the order of the nodes. Labels that are all whole numbers are
///   classes by value, -1 standing for unlabeled; any others are classes by name, sorted by their bytes, an
///   empty one standing for unlabeled. A node that a file with ids does not name is unlabeled.
/// * features: `id,number,number,...`, or numbers alone in the order of the nodes; every node once.
///
/// The first of these files that has ids fixes the nodes and their order; one without ids fixes how many
/// there are, and ids are then indices, in the files after it too. In a file without ids a blank line before
/// the last row is an error: it would shift every row behind it.
struct NodeTables {
  /// The ids in their order, where a file has ids.
  std::optional<NodeTable> table;
  /// How many nodes there are, where a file says.
  std::optional<std::size_t> nodes;
  NodeOrigin origin = NodeOrigin::edges;

  Features features;
  std::vector<std::int32_t> labels;
  std::size_t classes = 0;
  std::vector<std::string> class_names;

  /// For ReadSummary.
  std::vector<FirstLine> first_lines;
};

NodeTables read_node_tables(const ReadOptions& options);

/// Numbers alone, in rows of equal length: the dense matrix of a text file without ids. With `rows`, exactly
/// so many.
tensor::Matrix read_dense_rows(const Source& source, const ReadOptions& options,
                               std::optional<std::size_t> rows);

/// Whole numbers, one a line and no header (OGB); "nan" is -1. With `rows`, exactly so many.
std::vector<std::int64_t> read_integer_rows(const Source& source, std::optional<std::size_t> rows);

}  // namespace privet::graph
