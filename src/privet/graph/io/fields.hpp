#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "privet/graph/io/line_reader.hpp"
#include "privet/graph/io/read_options.hpp"

namespace privet::graph {

/// Blank lines, and comments: lines whose first character, after spaces, is '#' or '%'.
bool is_blank(std::string_view line) noexcept;
bool is_comment(std::string_view line) noexcept;

/// The fields of one line. A field in double quotes may hold separators, and quotes written twice; it ends on
/// its line. Around fields without quotes spaces are dropped. The separator ' ' stands for any run of spaces
/// and tabs. The fields live until the next split.
class Fields {
 public:
  /// A fault (a quote that does not end, text after a quote) is thrown as LineFault for line `index`.
  const std::vector<std::string_view>& split(std::string_view line, char separator, std::size_t index);

 private:
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;
};

/// How the lines of a table are written.
struct TableLayout {
  char separator = ',';
  bool header = false;
  std::size_t columns = 0;         ///< of the first line
  std::size_t skip = 0;            ///< lines to drop at the top: comments, and the header
  std::vector<std::string> names;  ///< the header's fields, or nothing
};

/// Whether a first line is a header.
enum class HeaderRule {
  edges,  ///< when its first two fields are not whole numbers and those of the next line are, or when both
          ///< are usual names of such columns (source, target, from, to, src, dst, ...)
  table,  ///< when its first field is a usual name of an id or label column (id, node, label, class, ...), or
          ///< when no field is a number and all but the first of the next line are
};

/// Tells the layout from the options and the first lines. Separator: a tab, else a comma, else a semicolon,
/// whichever the first line that is no comment holds; else spaces.
TableLayout find_layout(const LineReader& reader, const ReadOptions& options, HeaderRule rule);

/// A whole number in its one usual spelling: no sign but '-', no leading zeros, 64 bits. So "7" is one and
/// "07" is a name.
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;

/// A decimal number, "nan" and "inf" included; nothing else.
std::optional<double> parse_number(std::string_view text);

/// Text as it may stand in an error: short, and between quotes.
std::string in_quotes(std::string_view text);

}  // namespace privet::graph
