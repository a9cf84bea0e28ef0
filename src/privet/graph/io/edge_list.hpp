#pragma once

#include <filesystem>

#include "privet/graph/dataset.hpp"
#include "privet/graph/io/read_options.hpp"
#include "privet/graph/io/source.hpp"
#include "privet/graph/io/tables.hpp"

namespace privet::graph {

/// Reads an edge list (edge_rows.hpp), with the files beside it that the options name (tables.hpp). What is
/// public comes first: those files are read before the edges, and where one of them lists the nodes, an edge
/// that names another node is an error. Repeats and self-loops are dropped and counted.
Dataset read_edge_list(const Source& source, const ReadOptions& options = {}, ReadSummary* summary = nullptr);

/// Writes the graph as a list of edges that read_edge_list and other tools read: a header, then an edge a
/// line, undirected ones once, by the names of the nodes where they have any. Of a .tsv the separator is a
/// tab. The file appears whole or not at all. Who has no edge, features and labels are not in it.
void write_edge_list(const Dataset& dataset, const std::filesystem::path& file);

/// The graph, or the two graphs, that edges stand for in a data set (ReadOptions::direction), and the counts
/// of what was dropped.
void set_graph(Dataset& dataset, std::size_t nodes, EdgeList edges, Direction direction,
               const std::string& where, ReadSummary& summary);

/// Moves features, labels and names into the data set, and what is to be said of the files' first lines into
/// the summary. With `nodes` known from elsewhere, the files have to
/// agree: a DataError naming `where`.
void set_tables(Dataset& dataset, NodeTables&& tables, std::size_t nodes, const std::string& where,
                ReadSummary& summary);

/// The file's name without folders and endings: what a data set is called.
std::string dataset_name(const Source& source);

}  // namespace privet::graph
