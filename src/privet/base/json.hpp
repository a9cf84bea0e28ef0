#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace privet {

/// JSON as Privet writes and reads it: objects keep the order in which their keys were set, so that the same
/// result is the same text. Only sources that build or read documents include this header; it is a heavy one.
using Json = nlohmann::ordered_json;

/// The document as text, two spaces to a level, ending in a newline. Not-a-number and infinities become null.
std::string to_text(const Json& document);

/// The document on one line, for .jsonl files.
std::string to_line(const Json& document);

/// Parses a document; a fault names `where`, line and column.
Json parse_json(std::string_view text, const std::string& where);

/// Reads and parses a file of at most `max_bytes`.
Json read_json(const std::filesystem::path& file, std::size_t max_bytes = 64u << 20);

}  // namespace privet
