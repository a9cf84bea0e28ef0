#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
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
  std::vector<std::string> first;  ///< the fields of the first line
  std::string first_line;          ///< the line itself
  std::size_t first_index = 0;     ///< where it stands, counted from 0
  /// The first line is read as a row, but might as well be a header: nobody said, and it holds words where
  /// they could stand.
  bool may_be_header = false;
  /// The only sign of the header is that the ids below it are whole numbers, as far as the first block goes.
  bool header_by_ids = false;
};

/// Whether a first line is a header.
enum class HeaderRule {
  edges,  ///< when its first two fields are not whole numbers and those of the next line are, or when two
          ///< fields are usual names of such columns (source and target, from and to, src and dst, ...)
  table,  ///< when its first field is a usual name of an id or label column (id, node, label, class, ...)
          ///< or empty before names of columns; when no field is a number and all but the first of the next
          ///< line are; or when its first field is no number and those below it are whole numbers
  features,  ///< as for tables, the first fields below being any numbers
};

/// Whether a column of that name holds node ids: id, node, node_id, nodeid, "node id", name, index, user,
/// user_id in any case, or no name at all, as data frames write their index.
bool is_id_name(std::string_view name);

/// Tells the layout from the options and the first lines. Separator: a tab, else a comma, else a semicolon,
/// whichever the first line that is no comment holds; else spaces. A header that names the two ends of an
/// edge in other columns than the first two is a DataError.
TableLayout find_layout(const LineReader& reader, const ReadOptions& options, HeaderRule rule);

/// Calls visit(fields) for the rows of a text until it returns false. Ends at a faulty line: that is told
/// with its number when the row is read.
void visit_rows(std::string_view text, char separator,
                const std::function<bool(const std::vector<std::string_view>&)>& visit);

/// A whole number in its one usual spelling: no sign but '-', no leading zeros, 64 bits. So "7" is one and
/// "07" is a name.
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;

/// A decimal number, "nan" and "inf" included; nothing else.
std::optional<double> parse_number(std::string_view text);

/// "1 row", "2 rows"; `many` where the plural is not the singular and an s.
std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {});

/// Text as it may stand in an error: short, and between quotes.
std::string in_quotes(std::string_view text);

}  // namespace privet::graph
