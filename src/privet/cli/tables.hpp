#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace privet::cli {

/// A table for the terminal: the first column left, the others right unless their cells are words.
struct Table {
  std::vector<std::string> header;  ///< may be empty
  std::vector<std::vector<std::string>> rows;
};

std::string table_text(const Table& table);

/// 12,345,678
std::string with_thousands(std::uint64_t number);

}  // namespace privet::cli
