#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "privet/graph/graph.hpp"
#include "privet/graph/io/node_table.hpp"
#include "privet/graph/io/read_options.hpp"
#include "privet/graph/io/source.hpp"

namespace privet::graph {

/// The nodes that the rows of an edge list may name.
struct KnownNodes {
  const NodeTable* table = nullptr;  ///< by name
  std::optional<std::size_t> count;  ///< without a table: ids are indices below it
};

/// The rows of an edge list, their ids already turned into nodes.
struct EdgeRows {
  EdgeList edges;
  std::size_t rows = 0;
  std::size_t self_loops = 0;
  std::size_t nodes = 0;
  /// The ids behind the nodes, where they were taken from the edges and are not the indices themselves.
  std::vector<std::string> names;
  bool header = false;
  std::size_t ignored_columns = 0;  ///< behind the two ids, in the first line
  /// The first line, where it was taken as a header or may be one: neither of its ids comes again.
  std::optional<FirstLine> first_line;
};

/// Reads lines of two ids, separated by commas, tabs, semicolons or spaces; fields after the second (weights,
/// times) are left alone, so that a row is an edge whatever its weight. Blank lines and lines that begin with
/// '#' or '%' are skipped; ids may stand in quotes.
///
/// A header that names the ends of an edge (source and target, ...) in other columns than the first two is a
/// DataError.
///
/// With known nodes, a row that names another is a DataError with line and column. Without, the nodes are the
/// ids that occur, sorted by value if all are whole numbers and else by their bytes; or, with Ids::indices,
/// the indices up to the largest one, which is refused when absurd against the number of rows. Neither
/// depends on the order of the rows.
EdgeRows read_edge_rows(const Source& source, const ReadOptions& options, const KnownNodes& known);

}  // namespace privet::graph
