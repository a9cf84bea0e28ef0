#include "privet/graph/io/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace privet::graph {
namespace {

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_usual_name(std::string_view field, HeaderRule rule) {
  // Words alone: a node may well be called "a" or "u".
  static constexpr std::array<std::string_view, 17> kEdgeNames = {
      "source", "target", "from",   "to",  "src", "dst",  "dest", "destination", "node1",
      "node2",  "node_1", "node_2", "id1", "id2", "id_1", "id_2", "sink"};
  static constexpr std::array<std::string_view, 12> kTableNames = {"id",      "node",  "node_id", "nodeid",
                                                                   "node id", "name",  "index",   "user",
                                                                   "user_id", "label", "labels",  "class"};
  std::string lower(field);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (rule == HeaderRule::edges)
    return std::find(kEdgeNames.begin(), kEdgeNames.end(), lower) != kEdgeNames.end();
  return std::find(kTableNames.begin(), kTableNames.end(), lower) != kTableNames.end();
}

bool looks_like_header(const std::vector<std::string>& first, const std::vector<std::string>& second,
                       HeaderRule rule) {
  if (first.empty()) return false;
  if (rule == HeaderRule::edges) {
    if (first.size() < 2) return false;
    if (is_usual_name(first[0], rule) && is_usual_name(first[1], rule)) return true;
    return second.size() >= 2 && !parse_integer(first[0]) && !parse_integer(first[1]) &&
           parse_integer(second[0]) && parse_integer(second[1]);
  }
  if (is_usual_name(first[0], rule)) return true;
  const bool no_number =
      std::none_of(first.begin(), first.end(), [](const auto& f) { return !!parse_number(f); });
  const bool numbers = second.size() >= 2 && std::all_of(second.begin() + 1, second.end(),
                                                         [](const auto& f) { return !!parse_number(f); });
  return no_number && numbers;
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
  std::size_t first_index = 0;
  for (std::size_t at = 0; at < text.size() && found < 2; ++index) {
    const std::size_t end = text.find('\n', at);
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (is_blank(line) || is_comment(line)) continue;
    if (found == 0) {
      first_index = index;
      if (layout.separator == kAnySeparator) layout.separator = find_separator(line);
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
  layout.header = options.header == Header::yes ||
                  (options.header == Header::automatic && looks_like_header(lines[0], lines[1], rule));
  if (layout.header && found > 0) {
    layout.names = lines[0];
    layout.skip = first_index + 1;
  }
  return layout;
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

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? fmt::format("'{}'", text) : fmt::format("'{}...'", text.substr(0, kMost));
}

}  // namespace privet::graph
