#include "privet/cli/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace privet::cli {
namespace {

// Terminal columns of UTF-8 text, counting one per code point.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool is_numeric(const std::string& cell) {
  return !cell.empty() &&
         (std::isdigit(static_cast<unsigned char>(cell.front())) != 0 || cell.front() == '-' ||
          cell.front() == '+') &&
         std::none_of(cell.begin(), cell.end(), [](char c) { return c == ' '; });
}

}  // namespace

std::string table_text(const Table& table) {
  std::size_t columns = table.header.size();
  for (const auto& row : table.rows) columns = std::max(columns, row.size());
  std::vector<std::size_t> width(columns, 0);
  std::vector<bool> right(columns, true);
  for (const auto& row : table.rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      width[j] = std::max(width[j], width_of(row[j]));
      if (!row[j].empty() && !is_numeric(row[j])) right[j] = false;
    }
  }
  for (std::size_t j = 0; j < table.header.size(); ++j)
    width[j] = std::max(width[j], width_of(table.header[j]));
  if (columns > 0) right[0] = false;

  std::string text;
  const auto put = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string pad(width[j] - width_of(row[j]), ' ');
      line += (j > 0 ? "  " : "") + (right[j] ? pad + row[j] : row[j] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  if (!table.header.empty()) put(table.header);
  for (const auto& row : table.rows) put(row);
  return text;
}

std::string with_thousands(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

}  // namespace privet::cli
