#include "privet/graph/io/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace privet::graph {
namespace {

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// The two ends of an edge. Words alone: a node may well be called "a" or "u".
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kEnds = {{{"source", "target"},
                                                                                  {"source", "destination"},
                                                                                  {"source", "dest"},
                                                                                  {"source", "sink"},
                                                                                  {"from", "to"},
                                                                                  {"src", "dst"},
                                                                                  {"src", "dest"},
                                                                                  {"node1", "node2"},
                                                                                  {"node_1", "node_2"},
                                                                                  {"id1", "id2"},
                                                                                  {"id_1", "id_2"}}};

bool names_an_end(std::string_view field) {
  const std::string lower = lower_case(field);
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](const auto& ends) { return lower == ends.first || lower == ends.second; });
}

// The columns that a header names as the two ends of an edge.
std::optional<std::pair<std::size_t, std::size_t>> find_ends(const std::vector<std::string>& names) {
  std::vector<std::string> lower;
  for (const std::string& name : names) lower.push_back(lower_case(name));
  for (const auto& [from, to] : kEnds) {
    const auto first = std::find(lower.begin(), lower.end(), from);
    const auto second = std::find(lower.begin(), lower.end(), to);
    if (first != lower.end() && second != lower.end()) {
      return std::pair(static_cast<std::size_t>(first - lower.begin()),
                       static_cast<std::size_t>(second - lower.begin()));
    }
  }
  return std::nullopt;
}

// Reading the first two columns all the same would make a wrong graph without a word.
void expect_ends_first(const LineReader& reader, const TableLayout& layout, Direction direction) {
  if (layout.columns >= 2 && names_an_end(layout.first[0]) && names_an_end(layout.first[1])) {
    const auto ends = find_ends({layout.first[0], layout.first[1]});
    if (!ends || ends->first == 0 || direction == Direction::undirected) return;
  }
  const auto ends = find_ends(layout.first);
  if (!ends || (ends->first == 0 && ends->second == 1)) return;
  throw reader.error(
      {.line = layout.first_index,
       .fault = {.what = fmt::format(
                     "the header names {} and {} in columns {} and {}", in_quotes(layout.first[ends->first]),
                     in_quotes(layout.first[ends->second]), ends->first + 1, ends->second + 1),
                 .expected = "the two ends of an edge in columns 1 and 2",
                 .remedy = "put these columns first, or give them other names"}},
      1);
}

bool looks_like_edge_header(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  if (first.size() < 2) return false;
  if ((names_an_end(first[0]) && names_an_end(first[1])) || find_ends(first)) return true;
  return second.size() >= 2 && !parse_integer(first[0]) && !parse_integer(first[1]) &&
         parse_integer(second[0]) && parse_integer(second[1]);
}

// Data frames write no name over their index, and number columns that have no names.
bool looks_like_frame_header(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  if (first.size() < 2 || !first[0].empty() || second.empty() || second[0].empty()) return false;
  bool names = true;
  bool numbers = true;
  for (std::size_t i = 1; i < first.size(); ++i) {
    names = names && !first[i].empty() && !parse_number(first[i]);
    numbers = numbers && first[i] == std::to_string(i - 1);
  }
  return names || numbers;
}

bool looks_like_table_header(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  if (first.empty()) return false;
  if (first[0].empty()) return looks_like_frame_header(first, second);
  const std::string name = lower_case(first[0]);
  if (is_id_name(name) || name == "label" || name == "labels" || name == "class") return true;
  // An empty field is no name of a column, but may be a missing label.
  const bool names =
      std::none_of(first.begin(), first.end(), [](const auto& f) { return f.empty() || parse_number(f); });
  const bool numbers = second.size() >= 2 && std::all_of(second.begin() + 1, second.end(),
                                                         [](const auto& f) { return !!parse_number(f); });
  return names && numbers;
}

// Whether the first column holds whole numbers (or any numbers) alone, but for its first line.
bool only_first_is_no_number(std::string_view text, char separator, bool whole) {
  std::size_t row = 0;
  bool found = true;
  visit_rows(text, separator, [&](const auto& fields) {
    found = row++ == 0 ? !parse_number(fields[0])
                       : (whole ? !!parse_integer(fields[0]) : !!parse_number(fields[0]));
    return found;
  });
  return found && row >= 2;
}

// Whether a row that is read as data could be the names of columns.
bool may_be_names(const std::vector<std::string>& first, HeaderRule rule) {
  if (first.empty() || parse_number(first[0])) return false;
  if (rule == HeaderRule::edges) return first.size() >= 2 && !parse_number(first[1]);
  if (rule == HeaderRule::table) return first.size() < 2 || (!first[1].empty() && !parse_number(first[1]));
  // Behind the first, a column's name can only be a number here, and no two columns share one.
  std::vector<std::string> others(first.begin() + 1, first.end());
  std::sort(others.begin(), others.end());
  return std::all_of(others.begin(), others.end(), [](const auto& f) { return !!parse_integer(f); }) &&
         std::adjacent_find(others.begin(), others.end()) == others.end();
}

char find_separator(std::string_view line) {
  for (const char separator : {'\t', ',', ';'}) {
    if (line.find(separator) != std::string_view::npos) return separator;
  }
  return ' ';
}

}  // namespace

bool is_blank(std::string_view line) noexcept { return std::all_of(line.begin(), line.end(), is_space); }

bool is_comment(std::string_view line) noexcept {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && (line[first] == '#' || line[first] == '%');
}

const std::vector<std::string_view>& Fields::split(std::string_view line, char separator, std::size_t index) {
  fields_.clear();
  unquoted_.clear();
  const bool runs = separator == ' ';
  const auto is_separator = [&](char c) { return runs ? is_space(c) : c == separator; };
  std::size_t at = 0;
  const auto skip_spaces = [&] {
    while (at < line.size() && is_space(line[at]) && (runs || line[at] != separator)) ++at;
  };
  if (runs) line = trimmed(line);
  for (;;) {
    skip_spaces();
    if (at < line.size() && line[at] == '"') {
      std::string text;
      for (++at;; ++at) {
        if (at >= line.size()) {
          throw LineFault{
              .line = index, .column = fields_.size() + 1, .fault = {.what = "a quote does not end"}};
        }
        if (line[at] == '"') {
          if (at + 1 >= line.size() || line[at + 1] != '"') break;
          ++at;
        }
        text += line[at];
      }
      ++at;
      skip_spaces();
      if (at < line.size() && !is_separator(line[at]) && !(runs && is_space(line[at - 1]))) {
        throw LineFault{
            .line = index, .column = fields_.size() + 1, .fault = {.what = "text follows a quote"}};
      }
      unquoted_.push_back(std::move(text));
      fields_.push_back(unquoted_.back());
    } else {
      const std::size_t begin = at;
      while (at < line.size() && !is_separator(line[at])) ++at;
      fields_.push_back(trimmed(line.substr(begin, at - begin)));
    }
    if (runs) skip_spaces();
    if (at >= line.size()) return fields_;
    if (!runs) ++at;
  }
}

TableLayout find_layout(const LineReader& reader, const ReadOptions& options, HeaderRule rule) {
  TableLayout layout;
  layout.separator = options.separator;
  const std::string_view text = reader.first_block();
  Fields splitter;
  std::vector<std::string> lines[2];
  std::size_t found = 0;
  std::size_t index = 0;
  for (std::size_t at = 0; at < text.size() && found < 2; ++index) {
    const std::size_t end = text.find('\n', at);
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at = end + 1;
    if (is_blank(line) || is_comment(line)) continue;
    if (found == 0) {
      layout.first_index = index;
      layout.first_line = trimmed(line);
      if (layout.separator == kAnySeparator) layout.separator = find_separator(trimmed(line));
    }
    try {
      const auto& fields = splitter.split(line, layout.separator, index);
      lines[found].assign(fields.begin(), fields.end());
    } catch (const LineFault& fault) {
      throw reader.error(fault, 1);
    }
    ++found;
  }
  if (layout.separator == kAnySeparator) layout.separator = ',';
  layout.columns = lines[0].size();
  layout.header = options.header == Header::yes;
  if (options.header == Header::automatic) {
    layout.header = rule == HeaderRule::edges ? looks_like_edge_header(lines[0], lines[1])
                                              : looks_like_table_header(lines[0], lines[1]);
    if (!layout.header && rule != HeaderRule::edges) {
      layout.header_by_ids = only_first_is_no_number(text, layout.separator, rule == HeaderRule::table);
      layout.header = layout.header_by_ids;
    }
    layout.may_be_header = !layout.header && may_be_names(lines[0], rule);
  }
  layout.first = std::move(lines[0]);
  layout.header = layout.header && found > 0;
  if (layout.header) {
    layout.skip = layout.first_index + 1;
    if (rule == HeaderRule::edges) expect_ends_first(reader, layout, options.direction);
  }
  return layout;
}

bool is_id_name(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "", "id", "node", "node_id", "nodeid", "node id", "name", "index", "user", "user_id"};
  return std::find(kNames.begin(), kNames.end(), lower_case(name)) != kNames.end();
}

void visit_rows(std::string_view text, char separator,
                const std::function<bool(const std::vector<std::string_view>&)>& visit) {
  Fields splitter;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    if (is_blank(line) || is_comment(line)) continue;
    if (line.back() == '\r') line.remove_suffix(1);
    try {
      if (!visit(splitter.split(line, separator, 0))) return;
    } catch (const LineFault&) {
      return;
    }
  }
}

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  const std::string_view digits = text.front() == '-' ? text.substr(1) : text;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  if (text == "-0") return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty() || text.front() == '+') return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc{}) return value;
  if (error != std::errc::result_out_of_range) return std::nullopt;
  // Too large or too small for a double; strtod tells which.
  return std::strtod(std::string(text).c_str(), nullptr);
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? fmt::format("'{}'", text) : fmt::format("'{}...'", text.substr(0, kMost));
}

}  // namespace privet::graph
