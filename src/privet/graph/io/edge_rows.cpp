#include "privet/graph/io/edge_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/graph/io/fields.hpp"
#include "privet/graph/io/limits.hpp"
#include "privet/graph/io/line_reader.hpp"

namespace privet::graph {
namespace {

using Blocks = std::vector<std::vector<Edge>>;

// What a field means as an id. `names_needed` asks for the rows to be read again as names.
enum class Meaning { indices, table, numbers };

struct ChunkRows {
  std::vector<Edge> edges;
  std::size_t self_loops = 0;
  NodeId largest = 0;
  bool names_needed = false;
};

// Reads digits at `at` as an id below kMaxNodes in its usual spelling. The text ends in a newline, so there
// is no end to look out for.
inline bool take_id(const char*& at, NodeId& id) {
  const char* p = at;
  std::uint64_t value = 0;
  for (unsigned digit = 0; (digit = static_cast<unsigned char>(*p) - unsigned{'0'}) <= 9; ++p) {
    if (p - at == 10) return false;
    value = value * 10 + digit;
  }
  if (p == at || value >= kMaxNodes || (*at == '0' && p - at > 1)) return false;
  id = static_cast<NodeId>(value);
  at = p;
  return true;
}

// The same, eight characters at a time: which of them are digits and what they are worth comes from
// arithmetic on all eight at once, not from a loop whose length can't be predicted.
inline bool take_id(const char*& at, const char* end, NodeId& id) {
  if (end - at < 8) return take_id(at, id);
  std::uint64_t text = 0;
  std::memcpy(&text, at, sizeof text);  // the first character lowest (little endian, see npy.cpp)
  std::uint64_t digits = text ^ 0x3030303030303030;
  // A byte's top bit is set where it is above 9. A carry only reaches bytes behind the first of those.
  const std::uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
  const int length = others == 0 ? 8 : std::countr_zero(others) / 8;
  if (length == 0 || length == 8) return take_id(at, id);
  if ((digits & 0xff) == 0 && length > 1) return false;
  digits <<= 64 - 8 * length;  // zeros in front
  // Pairs of digits, then fours, then all eight: one multiplication each.
  digits = digits * 10 + (digits >> 8);
  const std::uint64_t even = (digits & 0x000000ff000000ff) * 0x000f424000000064;
  const std::uint64_t odd = ((digits >> 16) & 0x000000ff000000ff) * 0x0000271000000001;
  id = static_cast<NodeId>((even + odd) >> 32);
  at += length;
  return true;
}

inline void skip_spaces(const char*& at) {
  while (*at == ' ' || *at == '\t') ++at;
}

// Reads "id separator id" and what may follow up to the newline; `at` is then behind it. False, and `at` as
// it was, when the line is anything else.
inline bool take_plain_row(const char*& at, const char* end, char separator, Edge& edge) {
  const char* p = at;
  if (!take_id(p, end, edge.from)) return false;
  if (*p == separator) {
    ++p;
    if (separator == ' ') skip_spaces(p);
  } else if (separator == ' ' && *p == '\t') {
    skip_spaces(p);
  } else {
    return false;
  }
  if (!take_id(p, end, edge.to)) return false;
  if (*p == '\r') ++p;
  if (*p != '\n') {
    if (*p != separator) return false;
    p = static_cast<const char*>(rawmemchr(p, '\n'));
  }
  at = p + 1;
  return true;
}

class ChunkParser {
 public:
  ChunkParser(char separator, Meaning meaning, const KnownNodes& known)
      : separator_(separator), meaning_(meaning), known_(known) {}

  ChunkRows operator()(const TextChunk& chunk) const {
    ChunkRows rows;
    rows.edges.reserve(chunk.lines);
    Fields splitter;
    std::size_t index = 0;
    for (const char* at = chunk.begin; at < chunk.end && !rows.names_needed; ++index) {
      Edge edge;
      if (take_plain_row(at, chunk.end, separator_, edge)) {
        add_numbers(rows, edge, index);
        continue;
      }
      const char* end = static_cast<const char*>(rawmemchr(at, '\n'));
      const std::string_view line(at, static_cast<std::size_t>(end - at));
      at = end + 1;
      if (!is_blank(line) && !is_comment(line)) add_fields(rows, splitter, line, index);
    }
    return rows;
  }

 private:
  void add_numbers(ChunkRows& rows, Edge edge, std::size_t line) const {
    if (meaning_ == Meaning::table) {
      edge.from = known_number(edge.from, line, 1);
      edge.to = known_number(edge.to, line, 2);
    } else if (meaning_ == Meaning::indices && known_.count) {
      expect_index(edge.from, line, 1);
      expect_index(edge.to, line, 2);
    }
    add(rows, edge);
  }

  void add_fields(ChunkRows& rows, Fields& splitter, std::string_view line, std::size_t index) const {
    const auto& fields = splitter.split(line, separator_, index);
    if (fields.size() < 2 || fields[0].empty() || fields[1].empty()) {
      throw LineFault{
          .line = index,
          .fault = {.what = fields.size() < 2 ? fmt::format("has one field, {}", in_quotes(fields[0]))
                                              : std::string("has an empty id"),
                    .expected = "two ids"}};
    }
    Edge edge;
    NodeId* const ends[2] = {&edge.from, &edge.to};
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string_view field = fields[side];
      if (meaning_ == Meaning::table) {
        const auto node = known_.table->find(field);
        if (!node) unknown(field, index, side + 1);
        *ends[side] = *node;
        continue;
      }
      const auto number = parse_integer(field);
      const bool fits = number && *number >= 0 && *number < static_cast<std::int64_t>(kMaxNodes);
      if (!fits && meaning_ == Meaning::numbers) {
        rows.names_needed = true;
        return;
      }
      if (!fits) {
        throw LineFault{.line = index,
                        .column = side + 1,
                        .fault = {.what = in_quotes(field),
                                  .expected = fmt::format("a node index from 0 to {}",
                                                          known_.count.value_or(kMaxNodes) - 1)}};
      }
      *ends[side] = static_cast<NodeId>(*number);
      if (known_.count) expect_index(*ends[side], index, side + 1);
    }
    add(rows, edge);
  }

  static void add(ChunkRows& rows, Edge edge) {
    rows.edges.push_back(edge);
    rows.self_loops += edge.from == edge.to ? 1 : 0;
    rows.largest = std::max({rows.largest, edge.from, edge.to});
  }

  NodeId known_number(NodeId number, std::size_t line, std::size_t column) const {
    const auto node = known_.table->find_number(number);
    if (!node) unknown(std::to_string(number), line, column);
    return *node;
  }

  [[noreturn]] void unknown(std::string_view name, std::size_t line, std::size_t column) const {
    throw LineFault{
        .line = line,
        .column = column,
        .fault = {.what = fmt::format("no node is named {}", in_quotes(name)),
                  .expected = fmt::format("one of the {} listed", counted(known_.table->size(), "node"))}};
  }

  void expect_index(NodeId id, std::size_t line, std::size_t column) const {
    if (id < *known_.count) return;
    throw LineFault{
        .line = line,
        .column = column,
        .fault = {.what = fmt::format("node {}", id), .expected = fmt::format("0 to {}", *known_.count - 1)}};
  }

  char separator_;
  Meaning meaning_;
  const KnownNodes& known_;
};

// Rows whose ids are names, met one after the other: nodes are numbered as they come, and sorted at the end.
class NamedRows {
 public:
  explicit NamedRows(char separator) : separator_(separator) {}

  // Takes over rows that were read as numbers.
  void adopt(Blocks& blocks) {
    for (auto& block : blocks) {
      for (Edge& edge : block) {
        edge = {table_.intern(fmt::format_int(edge.from).c_str()),
                table_.intern(fmt::format_int(edge.to).c_str())};
      }
    }
  }

  std::vector<Edge> parse(const TextChunk& chunk) {
    std::vector<Edge> edges;
    for_each_line(chunk, [&](std::size_t index, std::string_view line) {
      if (is_blank(line) || is_comment(line)) return;
      const auto& fields = splitter_.split(line, separator_, index);
      if (fields.size() < 2 || fields[0].empty() || fields[1].empty()) {
        throw LineFault{.line = index, .fault = {.what = "lacks an id", .expected = "two ids"}};
      }
      const NodeId from = table_.intern(fields[0]);
      edges.push_back({from, table_.intern(fields[1])});
    });
    return edges;
  }

  std::vector<std::string> sort(Blocks& blocks) {
    std::vector<std::string_view> met;
    for (std::size_t i = 0; i < table_.size(); ++i) met.emplace_back(table_.name(static_cast<NodeId>(i)));
    const std::vector<NodeId> order = sorted_order(met);
    std::vector<NodeId> renamed(order.size());
    std::vector<std::string> names;
    names.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      renamed[order[i]] = static_cast<NodeId>(i);
      names.emplace_back(met[order[i]]);
    }
    for (auto& block : blocks) {
      for (Edge& edge : block) edge = {renamed[edge.from], renamed[edge.to]};
    }
    return names;
  }

 private:
  char separator_;
  Fields splitter_;
  NodeTable table_;
};

template <typename Rename>
void rename_all(Blocks& blocks, const Rename& rename) {
  parallel_for(blocks.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) {
      for (Edge& edge : blocks[b]) edge = {rename(edge.from), rename(edge.to)};
    }
  });
}

std::vector<std::string> names_of(const std::vector<NodeId>& ids) {
  std::vector<std::string> names;
  names.reserve(ids.size());
  for (const NodeId id : ids) names.emplace_back(fmt::format_int(id).c_str());
  return names;
}

// Numbers the ids that occur by their order. Returns them, or nothing when they are 0..n-1 already. A bitmap
// where the largest id is in proportion to the rows, else a sorted list: memory follows the rows either way.
std::vector<NodeId> compact(Blocks& blocks, std::size_t rows, NodeId largest) {
  std::vector<NodeId> ids;
  if (largest / 64 > rows + 1024) {
    ids.reserve(2 * rows);
    for (const auto& block : blocks) {
      for (const Edge& edge : block) {
        ids.push_back(edge.from);
        ids.push_back(edge.to);
      }
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    rename_all(blocks, [&](NodeId id) {
      return static_cast<NodeId>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
    });
    return ids;
  }
  std::vector<std::uint64_t> met(largest / 64 + 1);
  // Threads share the bitmap; a bit is written only when it is not set yet, which soon is rare.
  const auto meet = [&](NodeId id) {
    const std::atomic_ref word(met[id / 64]);
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  };
  parallel_for(blocks.size(), 1, [&](std::size_t b, std::size_t) {
    for (const Edge& edge : blocks[b]) {
      meet(edge.from);
      meet(edge.to);
    }
  });
  std::vector<NodeId> before(met.size());
  NodeId count = 0;
  for (std::size_t w = 0; w < met.size(); ++w) {
    before[w] = count;
    count += static_cast<NodeId>(std::popcount(met[w]));
  }
  if (count == std::size_t{largest} + 1) return ids;
  ids.reserve(count);
  for (std::size_t w = 0; w < met.size(); ++w) {
    for (std::uint64_t bits = met[w]; bits != 0; bits &= bits - 1) {
      ids.push_back(static_cast<NodeId>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
    }
  }
  rename_all(blocks, [&](NodeId id) {
    const std::uint64_t lower = met[id / 64] & ((std::uint64_t{1} << (id % 64)) - 1);
    return before[id / 64] + static_cast<NodeId>(std::popcount(lower));
  });
  return ids;
}

// Where the nodes are known, a first line of two unknown words is a header or a fault; which can't be told.
void expect_known_first_line(const LineReader& reader, const TableLayout& layout, const KnownNodes& known) {
  if (!layout.may_be_header || (known.table == nullptr && !known.count)) return;
  if (known.table != nullptr && (known.table->find(layout.first[0]) || known.table->find(layout.first[1]))) {
    return;
  }
  throw reader.error(
      {.line = layout.first_index,
       .column = 1,
       .fault = {.what = fmt::format("no node is named {}", in_quotes(layout.first[0])),
                 .expected = known.table != nullptr
                                 ? fmt::format("one of the {} listed", counted(known.table->size(), "node"))
                                 : fmt::format("a node index from 0 to {}", *known.count - 1),
                 .remedy = "if this line is a header, say --header yes"}},
      1);
}

// A header's words are no ids, so they do not come again.
bool first_ids_come_again(const Blocks& blocks) {
  const Edge first = blocks.front().front();
  std::size_t rows = 0;
  for (const auto& block : blocks) {
    for (const Edge& edge : block) {
      const bool met =
          edge.from == first.from || edge.from == first.to || edge.to == first.from || edge.to == first.to;
      if (met && ++rows > 1) return true;
    }
  }
  return first.from == first.to;
}

}  // namespace

EdgeRows read_edge_rows(const Source& source, const ReadOptions& options, const KnownNodes& known) {
  LineReader reader(source);
  const TableLayout layout = find_layout(reader, options, HeaderRule::edges);
  expect_known_first_line(reader, layout, known);
  reader.drop_lines(layout.skip);
  const Meaning meaning = known.table != nullptr                                   ? Meaning::table
                          : known.count.has_value() || options.ids == Ids::indices ? Meaning::indices
                                                                                   : Meaning::numbers;
  EdgeRows result;
  result.header = layout.header;
  result.ignored_columns = layout.columns > 2 ? layout.columns - 2 : 0;
  Blocks blocks;
  NodeId largest = 0;
  std::optional<NamedRows> named;
  const ChunkParser parse_chunk(layout.separator, meaning, known);
  reader.parse<ChunkRows>(
      [&](const TextChunk& chunk) { return named ? ChunkRows{} : parse_chunk(chunk); },
      [&](ChunkRows&& rows, const TextChunk& chunk, std::size_t) {
        if (rows.names_needed && !named) {
          named.emplace(layout.separator);
          named->adopt(blocks);
        }
        if (named) {
          rows.edges = named->parse(chunk);
          rows.self_loops = static_cast<std::size_t>(std::count_if(
              rows.edges.begin(), rows.edges.end(), [](const Edge& e) { return e.from == e.to; }));
        }
        result.rows += rows.edges.size();
        result.self_loops += rows.self_loops;
        largest = std::max(largest, rows.largest);
        if (!rows.edges.empty()) blocks.push_back(std::move(rows.edges));
      });

  if (meaning == Meaning::table) {
    result.nodes = known.table->size();
  } else if (known.count) {
    result.nodes = *known.count;
  } else if (result.rows == 0) {
    throw DataError({.what = "has no edges, and nothing else says what nodes there are",
                     .where = source.name(),
                     .remedy = "give a nodes file, or the number of nodes"});
  } else if (meaning == Meaning::indices) {
    result.nodes = std::size_t{largest} + 1;
    expect_plausible_nodes(result.nodes, result.rows, 0, source.name());
  } else if (named) {
    result.names = named->sort(blocks);
    result.nodes = result.names.size();
  } else {
    const std::vector<NodeId> ids = compact(blocks, result.rows, largest);
    result.nodes = ids.empty() ? std::size_t{largest} + 1 : ids.size();
    result.names = names_of(ids);
  }
  const bool doubtful = layout.may_be_header && named && !first_ids_come_again(blocks);
  if (layout.header || doubtful) {
    result.first_line = {.file = source.name(), .text = layout.first_line, .header = layout.header};
  }
  for (auto& block : blocks) result.edges.add_block(std::move(block));
  return result;
}

}  // namespace privet::graph
