#include "privet/graph/io/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/graph/io/edge_list.hpp"
#include "privet/graph/io/fields.hpp"
#include "privet/graph/io/limits.hpp"
#include "privet/graph/io/line_reader.hpp"

namespace privet::graph {
namespace {

struct Preamble {
  bool with_values = false;
  bool symmetric = false;
  std::size_t nodes = 0;
  std::size_t entries = 0;
  std::size_t lines = 0;  // up to and with the one of sizes
};

struct ChunkEntries {
  std::vector<Edge> edges;
  std::size_t self_loops = 0;
  std::size_t zeros = 0;
};

[[noreturn]] void refuse(const std::string& where, std::string what, std::string expected) {
  throw DataError({.what = std::move(what), .where = where, .expected = std::move(expected)});
}

void read_banner(std::string_view line, const std::string& where, Preamble& preamble) {
  std::string lower(line);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = lower.find_first_not_of(" \t\r", at)) != std::string::npos;) {
    const std::size_t end = std::min(lower.find_first_of(" \t\r", at), lower.size());
    words.push_back(std::string_view(lower).substr(at, end - at));
    at = end;
  }
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix") {
    refuse(where + " line 1", in_quotes(line), "%%MatrixMarket matrix coordinate FIELD SYMMETRY");
  }
  if (words[2] != "coordinate") refuse(where + " line 1", in_quotes(words[2]), "coordinate");
  if (words[3] != "pattern" && words[3] != "real" && words[3] != "integer") {
    refuse(where + " line 1", in_quotes(words[3]), "pattern, real or integer");
  }
  if (words[4] != "general" && words[4] != "symmetric") {
    refuse(where + " line 1", in_quotes(words[4]), "general or symmetric");
  }
  preamble.with_values = words[3] != "pattern";
  preamble.symmetric = words[4] == "symmetric";
}

Preamble read_preamble(const LineReader& reader) {
  Preamble preamble;
  const std::string& where = reader.name();
  std::string_view text = reader.first_block();
  bool first = true;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    ++preamble.lines;
    if (std::exchange(first, false)) {
      read_banner(line, where, preamble);
      continue;
    }
    if (is_blank(line) || is_comment(line)) continue;
    Fields splitter;
    std::array<std::int64_t, 3> sizes{};
    const std::string here = fmt::format("{} line {}", where, preamble.lines);
    try {
      const auto& fields = splitter.split(line, ' ', 0);
      if (fields.size() != 3) refuse(here, in_quotes(line), "rows, columns and entries");
      for (std::size_t i = 0; i < 3; ++i) {
        const auto number = parse_integer(fields[i]);
        if (!number || *number < 0) refuse(here, in_quotes(fields[i]), "a whole number");
        sizes[i] = *number;
      }
    } catch (const LineFault& fault) {
      throw reader.error(fault, preamble.lines);
    }
    if (sizes[0] != sizes[1])
      refuse(here, fmt::format("{} rows and {} columns", sizes[0], sizes[1]), "a square matrix");
    preamble.nodes = static_cast<std::size_t>(sizes[0]);
    preamble.entries = static_cast<std::size_t>(sizes[2]);
    return preamble;
  }
  refuse(where, first ? "is empty" : "has no line of sizes", "a Matrix Market file");
}

ChunkEntries parse_entries(const TextChunk& chunk, const Preamble& preamble) {
  ChunkEntries entries;
  entries.edges.reserve(chunk.lines);
  Fields splitter;
  const std::size_t columns = preamble.with_values ? 3 : 2;
  for_each_line(chunk, [&](std::size_t index, std::string_view line) {
    if (is_blank(line) || is_comment(line)) return;
    const auto& fields = splitter.split(line, ' ', index);
    if (fields.size() != columns) {
      throw LineFault{
          .line = index,
          .fault = {.what = fmt::format("has {} fields", fields.size()),
                    .expected = preamble.with_values ? "row, column and value" : "row and column"}};
    }
    std::array<NodeId, 2> ends{};
    for (std::size_t side = 0; side < 2; ++side) {
      const auto number = parse_integer(fields[side]);
      if (!number || *number < 1 || static_cast<std::uint64_t>(*number) > preamble.nodes) {
        throw LineFault{
            .line = index,
            .column = side + 1,
            .fault = {.what = in_quotes(fields[side]), .expected = fmt::format("1 to {}", preamble.nodes)}};
      }
      ends[side] = static_cast<NodeId>(*number - 1);
    }
    if (preamble.symmetric && ends[0] < ends[1]) {
      throw LineFault{
          .line = index,
          .fault = {.what = fmt::format("entry ({}, {}) is above the diagonal", ends[0] + 1, ends[1] + 1),
                    .expected = "the lower triangle of a symmetric matrix"}};
    }
    if (preamble.with_values) {
      const auto value = parse_number(fields[2]);
      if (!value || std::isnan(*value)) {
        throw LineFault{
            .line = index, .column = 3, .fault = {.what = in_quotes(fields[2]), .expected = "a number"}};
      }
      if (*value == 0) {
        ++entries.zeros;
        return;
      }
    }
    entries.self_loops += ends[0] == ends[1] ? 1 : 0;
    entries.edges.push_back({ends[0], ends[1]});
  });
  return entries;
}

}  // namespace

Dataset read_matrix_market(const Source& source, const ReadOptions& options, ReadSummary* summary) {
  NodeTables tables = read_node_tables(options);
  LineReader reader(source);
  const Preamble preamble = read_preamble(reader);
  if (preamble.nodes > kMaxNodes) {
    refuse(source.name(), fmt::format("{} rows", preamble.nodes), fmt::format("at most {}", kMaxNodes));
  }
  reader.drop_lines(preamble.lines);
  ReadSummary counts{.format = Format::matrix_market, .origin = NodeOrigin::declared};
  EdgeList edges;
  reader.parse<ChunkEntries>([&](const TextChunk& chunk) { return parse_entries(chunk, preamble); },
                             [&](ChunkEntries&& entries, const TextChunk&, std::size_t) {
                               counts.rows += entries.edges.size() + entries.zeros;
                               counts.zeros += entries.zeros;
                               counts.self_loops += entries.self_loops;
                               if (!entries.edges.empty()) edges.add_block(std::move(entries.edges));
                             });
  if (counts.rows != preamble.entries) {
    throw DataError({.what = fmt::format("has {} entries", counts.rows),
                     .where = source.name(),
                     .expected = fmt::format("{}, as the line of sizes says", preamble.entries),
                     .remedy = "the file may be truncated"});
  }
  expect_plausible_nodes(preamble.nodes, counts.rows, tables.nodes.value_or(0), source.name());
  // One entry of a symmetric matrix stands for both; as directed edges it is two.
  if (preamble.symmetric && options.direction == Direction::directed) {
    EdgeList mirrored;
    for (std::size_t b = 0; b < edges.blocks().size(); ++b) {
      for (const Edge& edge : edges.blocks()[b]) {
        if (edge.from != edge.to) mirrored.add(edge.to, edge.from);
        mirrored.add(edge.from, edge.to);
      }
      edges.clear_block(b);
    }
    counts.rows = mirrored.size() + counts.zeros;
    edges = std::move(mirrored);
  }
  Dataset dataset;
  dataset.name = dataset_name(source);
  set_tables(dataset, std::move(tables), preamble.nodes, source.name(), counts);
  set_graph(dataset, preamble.nodes, std::move(edges), options.direction, source.name(), counts);
  check(dataset, source.name());
  if (summary != nullptr) *summary = counts;
  return dataset;
}

}  // namespace privet::graph
