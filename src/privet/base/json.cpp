#include "privet/base/json.hpp"

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"

namespace privet {

std::string to_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_line(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json parse_json(std::string_view text, const std::string& where) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t i = 0; i + 1 < error.byte && i < text.size(); ++i) {
      if (text[i] == '\n') {
        ++line;
        column = 1;
      } else {
        ++column;
      }
    }
    throw DataError(
        {.what = "not valid JSON at line " + std::to_string(line) + ", column " + std::to_string(column),
         .where = where});
  } catch (const nlohmann::json::exception&) {
    throw DataError({.what = "a number beyond what a double holds", .where = where});
  }
}

Json read_json(const std::filesystem::path& file, std::size_t max_bytes) {
  return parse_json(read_text(file, max_bytes), file.string());
}

}  // namespace privet
