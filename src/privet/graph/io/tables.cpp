#include "privet/graph/io/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/graph/io/fields.hpp"
#include "privet/graph/io/line_reader.hpp"

namespace privet::graph {
namespace {

// The rows of one chunk, and the line that each stands on.
struct Rows {
  std::vector<std::string> ids;
  std::vector<std::string> words;
  std::vector<float> values;
  std::vector<std::size_t> lines;
  std::optional<std::size_t> first_blank;
};

// Calls visit(line index, fields) for every row; keeps the first blank line that stands before a row.
template <typename Visit>
Rows parse_rows(const TextChunk& chunk, char separator, const Visit& visit) {
  Rows rows;
  Fields splitter;
  for_each_line(chunk, [&](std::size_t index, std::string_view line) {
    if (is_blank(line)) {
      if (!rows.first_blank) rows.first_blank = index;
      return;
    }
    if (is_comment(line)) return;
    visit(rows, index, splitter.split(line, separator, index));
    rows.lines.push_back(index);
  });
  return rows;
}

// Remembers a blank line until a row comes after it.
class BlankLines {
 public:
  void see(const Rows& rows, std::size_t first_line) {
    if (first_ && !rows.lines.empty()) fail(rows.lines.front());
    if (!rows.first_blank) return;
    if (!rows.lines.empty() && rows.lines.back() > *rows.first_blank) fail(*rows.first_blank);
    first_ = first_line + *rows.first_blank;
  }

 private:
  [[noreturn]] void fail(std::size_t line) const {
    throw LineFault{.line = line,
                    .fault = {.what = first_ ? fmt::format("a row after the blank line {}", *first_)
                                             : std::string("a blank line between rows"),
                              .expected = "every line to be a row where rows have no id",
                              .remedy = "write -1 for a node without a label"}};
  }
  std::optional<std::size_t> first_;
};

float parse_feature(std::string_view field, std::size_t line, std::size_t column) {
  const auto number = parse_number(field);
  // What rounds to infinity in float32 is refused with what is infinite in the file.
  const float value = number && std::abs(*number) <= std::numeric_limits<float>::max()
                          ? static_cast<float>(*number)
                          : std::numeric_limits<float>::quiet_NaN();
  if (!std::isfinite(value)) {
    throw LineFault{
        .line = line, .column = column, .fault = {.what = in_quotes(field), .expected = "a finite number"}};
  }
  return value;
}

constexpr const char* kHeaderRemedy = "if the first line is a header, say --header yes";

void expect_rows(const std::string& where, std::size_t rows, std::optional<std::size_t> expected,
                 const std::optional<std::string>& missing = std::nullopt) {
  if (rows == 0) throw DataError({.what = "has no rows", .where = where});
  if (expected && rows != *expected) {
    throw DataError(
        {.what = fmt::format("has {}{}", counted(rows, "row"),
                             missing ? fmt::format(", and none for node {}", in_quotes(*missing)) : ""),
         .where = where,
         .expected = fmt::format("{}, one per node", *expected),
         .remedy = missing ? kHeaderRemedy : ""});
  }
}

void expect_id(std::string_view id, std::size_t line) {
  if (!id.empty()) return;
  throw LineFault{.line = line, .column = 1, .fault = {.what = "has an empty id", .expected = "a node's id"}};
}

// A header known by the numbers below it alone is doubtful as soon as one of them is a word.
void expect_number_below_header(const TableLayout& layout, bool is_number, std::string_view field,
                                std::size_t line) {
  if (!layout.header_by_ids || is_number) return;
  throw LineFault{.line = line,
                  .column = 1,
                  .fault = {.what = fmt::format("{} is no number as all before it, so can't tell whether the "
                                                "first line {} is a header",
                                                in_quotes(field), in_quotes(layout.first_line)),
                            .remedy = "say --header yes or no"}};
}

void remember_first_line(const Source& source, const TableLayout& layout, bool doubtful, NodeTables& tables) {
  if (layout.header || doubtful) {
    tables.first_lines.push_back({.file = source.name(), .text = layout.first_line, .header = layout.header});
  }
}

// Ids that stand in another column than the first would be read as something else.
void expect_ids_first(const LineReader& reader, const TableLayout& layout) {
  if (!layout.header || is_id_name(layout.first[0])) return;
  for (std::size_t i = 1; i < layout.first.size(); ++i) {
    if (layout.first[i].empty() || !is_id_name(layout.first[i])) continue;
    throw reader.error(
        {.line = layout.first_index,
         .fault = {.what = fmt::format("the header names {} in column {}", in_quotes(layout.first[i]), i + 1),
                   .expected = "ids in column 1",
                   .remedy = "put this column first, or give it another name"}},
        1);
  }
}

NodeTable read_nodes(const Source& source, const ReadOptions& options, NodeTables& tables) {
  LineReader reader(source);
  const TableLayout layout = find_layout(reader, options, HeaderRule::table);
  expect_ids_first(reader, layout);
  reader.drop_lines(layout.skip);
  NodeTable table;
  reader.parse<Rows>(
      [&](const TextChunk& chunk) {
        return parse_rows(chunk, layout.separator, [&](Rows& rows, std::size_t index, const auto& fields) {
          expect_id(fields[0], index);
          expect_number_below_header(layout, parse_integer(fields[0]).has_value(), fields[0], index);
          rows.ids.emplace_back(fields[0]);
        });
      },
      [&](Rows&& rows, const TextChunk&, std::size_t) {
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
          if (!table.add(rows.ids[i])) {
            throw LineFault{.line = rows.lines[i],
                            .column = 1,
                            .fault = {.what = fmt::format("node {} is there twice", in_quotes(rows.ids[i]))}};
          }
        }
      });
  expect_rows(source.name(), table.size(), std::nullopt);
  table.index_numbers();
  remember_first_line(source, layout, layout.may_be_header, tables);
  return table;
}

// Places rows with ids: by the table that is known, or by making one in the order of the file.
class RowPlaces {
 public:
  /// With `nodes` known but not by name, their names are their indices: what else the ids of this file mean
  /// can't be told. `remedy` is for ids that are none.
  RowPlaces(std::optional<NodeTable>& known, std::optional<std::size_t> nodes, std::string remedy)
      : known_(known), remedy_(std::move(remedy)) {
    if (!known_ && nodes) {
      for (std::size_t i = 0; i < *nodes; ++i) made_.add(std::to_string(i));
      made_.index_numbers();
      known_ = std::move(made_);
    }
    if (known_) seen_.resize(known_->size(), false);
  }

  NodeId place(std::string_view id, std::size_t line) {
    if (!known_) {
      const auto node = made_.add(id);
      if (!node) fail(fmt::format("node {} is there twice", in_quotes(id)), line);
      return *node;
    }
    const auto node = known_->find(id);
    if (!node) fail(fmt::format("no node is named {}", in_quotes(id)), line);
    if (seen_[*node]) fail(fmt::format("node {} is there twice", in_quotes(id)), line);
    seen_[*node] = true;
    return *node;
  }

  /// The first node known before that no row has named.
  [[nodiscard]] std::optional<std::string> missing() const {
    const auto found = std::find(seen_.begin(), seen_.end(), false);
    if (!known_ || found == seen_.end()) return std::nullopt;
    return known_->name(static_cast<NodeId>(found - seen_.begin()));
  }

  /// True when the file made the table.
  bool finish() {
    if (known_) return false;
    made_.index_numbers();
    known_ = std::move(made_);
    return true;
  }

 private:
  [[noreturn]] void fail(std::string what, std::size_t line) const {
    throw LineFault{.line = line, .column = 1, .fault = {.what = std::move(what), .remedy = remedy_}};
  }
  std::optional<NodeTable>& known_;
  std::string remedy_;
  NodeTable made_;
  std::vector<bool> seen_;
};

struct WordLabels {
  std::vector<std::uint32_t> words;  // index into names, one per node
  std::vector<std::string> names;
};

constexpr std::uint32_t kNoWord = 0xffffffff;

WordLabels read_words(const Source& source, const ReadOptions& options, NodeTables& tables) {
  LineReader reader(source);
  const TableLayout layout = find_layout(reader, options, HeaderRule::table);
  reader.drop_lines(layout.skip);
  const bool with_ids = layout.columns >= 2;
  if (layout.columns > 2) {
    throw DataError({.what = fmt::format("has {} columns", layout.columns),
                     .where = source.name(),
                     .expected = "one label a line, or id and label"});
  }
  if (with_ids) expect_ids_first(reader, layout);
  WordLabels labels;
  std::unordered_map<std::string, std::uint32_t> known;
  const bool ids_known = tables.table.has_value();
  std::optional<RowPlaces> places;
  if (with_ids) {
    places.emplace(tables.table, std::nullopt, layout.may_be_header ? kHeaderRemedy : std::string());
  }
  bool first_word_again = false;  // a header's word does not come again
  BlankLines blanks;
  if (with_ids && tables.table) labels.words.resize(tables.table->size(), kNoWord);
  reader.parse<Rows>(
      [&](const TextChunk& chunk) {
        return parse_rows(chunk, layout.separator, [&](Rows& rows, std::size_t index, const auto& fields) {
          if (fields.size() != (with_ids ? 2 : 1)) {
            throw LineFault{.line = index,
                            .fault = {.what = fmt::format("has {} fields", fields.size()),
                                      .expected = with_ids ? "id and label" : "one label"}};
          }
          expect_number_below_header(layout, parse_integer(fields[0]).has_value(), fields[0], index);
          if (with_ids) {
            expect_id(fields[0], index);
            rows.ids.emplace_back(fields[0]);
          }
          rows.words.emplace_back(fields.back());
        });
      },
      [&](Rows&& rows, const TextChunk&, std::size_t first_line) {
        if (!with_ids) blanks.see(rows, first_line);
        for (std::size_t i = 0; i < rows.words.size(); ++i) {
          const auto [word, added] = known.emplace(rows.words[i], static_cast<std::uint32_t>(known.size()));
          if (added) labels.names.push_back(rows.words[i]);
          first_word_again = first_word_again || (!added && word->second == 0);
          const std::size_t node = with_ids ? places->place(rows.ids[i], rows.lines[i]) : labels.words.size();
          if (node == labels.words.size()) labels.words.push_back(kNoWord);
          labels.words[node] = word->second;
        }
      });
  expect_rows(source.name(), labels.words.size(), tables.nodes);
  if (with_ids ? places->finish() : !tables.nodes) tables.origin = NodeOrigin::labels_file;
  remember_first_line(source, layout, layout.may_be_header && !first_word_again && !(with_ids && ids_known),
                      tables);
  tables.nodes = labels.words.size();
  return labels;
}

void read_labels(const Source& source, const ReadOptions& options, NodeTables& tables) {
  const WordLabels found = read_words(source, options, tables);
  bool numbers = true;
  for (const std::string& name : found.names) numbers = numbers && (name.empty() || parse_integer(name));
  std::vector<std::string_view> classes;
  for (const std::string& name : found.names) {
    if (!name.empty() && !(numbers && name == "-1")) classes.push_back(name);
  }
  const std::vector<NodeId> order = sorted_order(classes);
  std::unordered_map<std::string_view, std::int32_t> class_of;
  bool indices = true;
  for (const NodeId position : order) {
    const std::string_view name = classes[position];
    const auto label = static_cast<std::int32_t>(tables.class_names.size());
    class_of.emplace(name, label);
    indices = indices && name == std::to_string(label);
    tables.class_names.emplace_back(name);
  }
  tables.classes = tables.class_names.size();
  if (indices) tables.class_names.clear();
  tables.labels.reserve(found.words.size());
  for (const std::uint32_t word : found.words) {
    const auto label = word == kNoWord ? class_of.end() : class_of.find(found.names[word]);
    tables.labels.push_back(label == class_of.end() ? kUnlabeled : label->second);
  }
}

// Digits, with zeros before them too.
bool could_be_id(std::string_view field) {
  if (field.starts_with('-')) field.remove_prefix(1);
  return !field.empty() &&
         std::all_of(field.begin(), field.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool has_id_column(const LineReader& reader, const TableLayout& layout, const ReadOptions& options,
                   const NodeTables& tables) {
  if (options.feature_ids != IdColumn::automatic) return options.feature_ids == IdColumn::yes;
  if (tables.table) return true;
  if (layout.header && layout.columns >= 2 && is_id_name(layout.first[0])) return true;
  expect_ids_first(reader, layout);
  bool words = false;
  bool maybe = layout.columns >= 2;
  std::unordered_set<std::string> met;
  visit_rows(reader.first_block(), layout.separator, [&](const auto& fields) {
    words = !parse_number(fields[0]);
    maybe = maybe && could_be_id(fields[0]) && met.emplace(fields[0]).second;
    return !words;
  });
  if (words || !maybe || met.empty()) return words;
  throw DataError(
      {.what = fmt::format("can't tell whether the first column{} holds node ids",
                           layout.header ? fmt::format(" {}", in_quotes(layout.first[0])) : std::string()),
       .where = reader.name(),
       .remedy = "say --feature-ids yes or no"});
}

// Rows of numbers as they come, in blocks that are freed while the matrix is filled.
struct NumberBlocks {
  std::vector<std::vector<float>> blocks;
  std::vector<NodeId> places;  // of each row; empty when rows are in order
  std::size_t rows = 0;
  std::size_t columns = 0;

  tensor::Matrix take() {
    tensor::Matrix matrix(rows, columns);
    std::size_t row = 0;
    for (std::vector<float>& block : blocks) {
      for (std::size_t at = 0; at < block.size(); at += columns, ++row) {
        const std::span<float> target = matrix.row(places.empty() ? row : places[row]);
        std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(at), columns, target.begin());
      }
      std::vector<float>().swap(block);
    }
    return matrix;
  }
};

NumberBlocks read_numbers(LineReader& reader, const TableLayout& layout, bool with_ids, RowPlaces* places) {
  NumberBlocks numbers;
  const std::size_t first = with_ids ? 1 : 0;
  if (layout.columns <= first) {
    throw DataError({.what = "has no columns of numbers", .where = reader.name()});
  }
  numbers.columns = layout.columns - first;
  BlankLines blanks;
  reader.parse<Rows>(
      [&](const TextChunk& chunk) {
        return parse_rows(chunk, layout.separator, [&](Rows& rows, std::size_t index, const auto& fields) {
          if (fields.size() != layout.columns) {
            throw LineFault{.line = index,
                            .fault = {.what = fmt::format("has {} fields", fields.size()),
                                      .expected = fmt::format("{} as in the first line", layout.columns)}};
          }
          if (with_ids) {
            expect_id(fields[0], index);
            expect_number_below_header(layout, parse_number(fields[0]).has_value(), fields[0], index);
            rows.ids.emplace_back(fields[0]);
          }
          for (std::size_t j = first; j < fields.size(); ++j) {
            rows.values.push_back(parse_feature(fields[j], index, j + 1));
          }
        });
      },
      [&](Rows&& rows, const TextChunk&, std::size_t first_line) {
        if (!with_ids) blanks.see(rows, first_line);
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
          numbers.places.push_back(places->place(rows.ids[i], rows.lines[i]));
        }
        numbers.rows += rows.lines.size();
        numbers.blocks.push_back(std::move(rows.values));
      });
  return numbers;
}

void read_features(const Source& source, const ReadOptions& options, NodeTables& tables) {
  LineReader reader(source);
  const TableLayout layout = find_layout(reader, options, HeaderRule::features);
  reader.drop_lines(layout.skip);
  const bool with_ids = has_id_column(reader, layout, options, tables);
  const bool nodes_known = tables.nodes.has_value();
  std::optional<RowPlaces> places;
  if (with_ids) {
    std::string remedy = "if the first column is not an id, say --feature-ids no";
    places.emplace(tables.table, tables.nodes,
                   layout.may_be_header ? fmt::format("{}; {}", kHeaderRemedy, remedy) : remedy);
  }
  NumberBlocks numbers = read_numbers(reader, layout, with_ids, with_ids ? &*places : nullptr);
  expect_rows(source.name(), numbers.rows, tables.nodes, with_ids ? places->missing() : std::nullopt);
  if (with_ids ? places->finish() : !nodes_known) tables.origin = NodeOrigin::features_file;
  remember_first_line(source, layout, layout.may_be_header && with_ids && !nodes_known, tables);
  tables.nodes = numbers.rows;
  tables.features = numbers.take();
}

}  // namespace

NodeTables read_node_tables(const ReadOptions& options) {
  NodeTables tables;
  if (options.nodes) {
    tables.table = read_nodes(*options.nodes, options, tables);
    tables.nodes = tables.table->size();
    tables.origin = NodeOrigin::nodes_file;
  }
  if (options.labels) read_labels(*options.labels, options, tables);
  if (options.features) read_features(*options.features, options, tables);
  return tables;
}

tensor::Matrix read_dense_rows(const Source& source, const ReadOptions& options,
                               std::optional<std::size_t> rows) {
  LineReader reader(source);
  const TableLayout layout = find_layout(reader, options, HeaderRule::features);
  reader.drop_lines(layout.skip);
  NumberBlocks numbers = read_numbers(reader, layout, false, nullptr);
  expect_rows(source.name(), numbers.rows, rows);
  return numbers.take();
}

std::vector<std::int64_t> read_integer_rows(const Source& source, std::optional<std::size_t> rows) {
  LineReader reader(source);
  std::vector<std::int64_t> values;
  BlankLines blanks;
  reader.parse<Rows>(
      [&](const TextChunk& chunk) {
        return parse_rows(chunk, ',', [&](Rows& parsed, std::size_t index, const auto& fields) {
          if (fields.size() != 1) {
            throw LineFault{.line = index,
                            .fault = {.what = fmt::format("has {} fields", fields.size()),
                                      .expected = "one whole number",
                                      .remedy = "graphs with several labels per node are not read"}};
          }
          parsed.words.emplace_back(fields[0]);
        });
      },
      [&](Rows&& parsed, const TextChunk&, std::size_t first_line) {
        blanks.see(parsed, first_line);
        for (std::size_t i = 0; i < parsed.words.size(); ++i) {
          const std::string& word = parsed.words[i];
          const auto number = parse_number(word);
          const bool missing = number && std::isnan(*number);
          // OGB writes some whole numbers as "3.0"; beyond 2^53 a double can't tell them apart.
          const bool whole =
              number && std::abs(*number) < 9007199254740992.0 && *number == std::floor(*number);
          if (!missing && !whole) {
            throw LineFault{.line = parsed.lines[i],
                            .fault = {.what = in_quotes(word), .expected = "a whole number"}};
          }
          values.push_back(missing ? -1 : static_cast<std::int64_t>(*number));
        }
      });
  expect_rows(source.name(), values.size(), rows);
  return values;
}

}  // namespace privet::graph
