#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "privet/graph/graph.hpp"
#include "privet/graph/io/source.hpp"

namespace privet::graph {

enum class Format {
  automatic,      ///< told from the path and the first bytes
  native,         ///< graph.npz
  edge_list,      ///< lines of two ids
  scipy,          ///< scipy.sparse.save_npz, CSR
  matrix_market,  ///< coordinate
  benchmark_npz,  ///< adj_data, adj_indices, ...: Amazon, Coauthor (gnn-benchmark)
  plain_npz,      ///< x, y, edge_index, masks: Planetoid-style plain arrays
  ogb,            ///< a folder with raw/edge.csv.gz
};

enum class Header { automatic, yes, no };

/// Whether the first column of a features file holds ids.
enum class IdColumn {
  automatic,  ///< when ids are known from the nodes or labels file, when the header says so (is_id_name() in
              ///< fields.hpp), or when a first field is not a number. Not when a number is fractional or
              ///< comes twice. Else whole numbers could be either: a DataError that asks for yes or no.
  yes,
  no,
};

/// What the ids in an edge list mean where no file lists the nodes.
enum class Ids {
  automatic,  ///< names; the nodes are the ids that occur, sorted
  indices,    ///< row numbers from 0
};

/// Separator: told from the first line.
inline constexpr char kAnySeparator = '\0';

/// How to read a data set. The defaults suit files that say what they are.
struct ReadOptions {
  Format format = Format::automatic;

  /// `directed`: the rows are directed edges. The data set then has them as `directed_graph`, and their
  /// undirected form as `graph`.
  Direction direction = Direction::undirected;

  /// Files beside an edge list or a matrix; see tables.hpp. Formats that hold all of it take none of them.
  std::optional<Source> nodes = {};
  std::optional<Source> features = {};
  std::optional<Source> labels = {};

  /// How many nodes there are; ids are then indices below it.
  std::optional<std::size_t> node_count = {};
  Ids ids = Ids::automatic;

  /// Of the edge list, and of the files beside it. ' ' stands for runs of spaces and tabs.
  char separator = kAnySeparator;
  Header header = Header::automatic;
  IdColumn feature_ids = IdColumn::automatic;
};

/// What the list of nodes was taken from. All but `edges` are public before an edge is read.
enum class NodeOrigin {
  declared,       ///< the data says how many there are
  option,         ///< ReadOptions::node_count
  nodes_file,     ///< in its order
  labels_file,    ///< ids in its order, or its rows
  features_file,  ///< ids in its order, or its rows
  edges,          ///< the ids that occur in the edges, sorted; or indices up to the largest
};

/// "the labels file" and so on.
std::string to_string(NodeOrigin origin);

/// A first line, of the edge list or of a file beside it, that its reader should know about.
struct FirstLine {
  std::string file;
  std::string text;
  /// Taken as a header; else it was read as data, though nothing in the file shows that it is no header.
  bool header = false;
};

/// What reading did with the rows.
struct ReadSummary {
  Format format = Format::automatic;
  NodeOrigin origin = NodeOrigin::declared;
  std::size_t rows = 0;        ///< edges, or stored entries of a matrix, as read
  std::size_t repeats = 0;     ///< dropped; "v u" after "u v" is one unless the edges are directed
  std::size_t self_loops = 0;  ///< dropped
  std::size_t zeros = 0;       ///< entries of a matrix stored with the value 0: no edges
  bool directed = false;       ///< the direction was kept, beside the undirected graph
  /// Of an edge list: whether the first line was a header. Nothing for other formats.
  std::optional<bool> header = {};
  std::size_t ignored_columns = 0;          ///< of an edge list, behind the two ids
  std::vector<FirstLine> first_lines = {};  ///< those taken as headers, and those that are doubtful
};

}  // namespace privet::graph
