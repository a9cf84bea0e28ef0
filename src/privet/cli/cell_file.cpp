#include "privet/cli/cell_file.hpp"

#include <fmt/format.h>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/suggest.hpp"
#include "privet/cli/cell_options.hpp"
#include "privet/cli/toml.hpp"

namespace privet::cli {
namespace {

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file.string()) {}

  void read(const toml::table& table, methods::Cell& cell, CellFile& whole, bool top,
            bool& epsilon_given) const {
    static const std::vector<std::string> known = {
        "method",     "preset",    "data",           "prepare", "split", "unit",
        "epsilon",    "delta",     "rigor",          "runs",    "seed",  "evaluate",
        "options",    "published", "published_ci95", "title",   "cell",  "reproduce_published_defects",
        "if_present", "metrics"};
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (name == "cell" && top) continue;
      if (name == "title" && top) {
        whole.title = text(node, name);
      } else if (name == "options") {
        const toml::table* options = node.as_table();
        if (options == nullptr) fault(node, name, "a table of options");
        for (const auto& [option, value] : *options)
          cell.assignments.push_back(
              fmt::format("{}={}", option.str(), any(value, std::string(option.str()))));
      } else if (name == "method") {
        cell.method = text(node, name);
      } else if (name == "preset") {
        cell.preset = text(node, name);
      } else if (name == "data") {
        cell.data = text(node, name);
      } else if (name == "prepare") {
        cell.prepare = text(node, name);
      } else if (name == "split") {
        cell.split = text(node, name);
      } else if (name == "unit") {
        cell.unit = privacy::Unit::parse(text(node, name)).text();
      } else if (name == "rigor") {
        CellOptions one;
        one.rigor = text(node, name);
        one.apply(cell);
      } else if (name == "epsilon") {
        cell.epsilon = parse_epsilon(any(node, name));
        epsilon_given = true;
      } else if (name == "delta") {
        CellOptions one;
        one.delta = any(node, name);
        one.apply(cell);
      } else if (name == "runs") {
        cell.runs = whole_number(node, name);
      } else if (name == "seed") {
        cell.seed = whole_number(node, name);
      } else if (name == "evaluate") {
        cell.evaluate = yes(node, name);
      } else if (name == "metrics") {
        cell.class_accuracy = parse_metrics(text(node, name));
      } else if (name == "reproduce_published_defects") {
        cell.published_defects = yes(node, name);
      } else if (name == "if_present") {
        whole.if_present.resize(whole.cells.size() + 1);
        whole.if_present[whole.cells.size()] = yes(node, name);
      } else if (name == "published") {
        cell.published = number(node, name);
      } else if (name == "published_ci95") {
        cell.published_ci95 = number(node, name);
      } else {
        throw InvalidArgument({.what = fmt::format("no key '{}'", name),
                               .where = where(node),
                               .remedy = suggestion(name, known)});
      }
    }
  }

 private:
  [[nodiscard]] std::string where(const toml::node& node) const {
    return fmt::format("{}, line {}", file_, node.source().begin.line);
  }
  [[noreturn]] void fault(const toml::node& node, const std::string& key, const char* expected) const {
    throw DataError(
        {.what = fmt::format("'{}' is something else", key), .where = where(node), .expected = expected});
  }
  [[nodiscard]] std::string text(const toml::node& node, const std::string& key) const {
    if (const auto value = node.value_exact<std::string>()) return *value;
    fault(node, key, "a text in quotes");
  }
  [[nodiscard]] std::string any(const toml::node& node, const std::string& key) const {
    if (const auto value = node.value_exact<std::string>()) return *value;
    if (const auto value = node.value_exact<std::int64_t>()) return fmt::format("{}", *value);
    if (const auto value = node.value_exact<double>()) return fmt::format("{}", *value);
    if (const auto value = node.value_exact<bool>()) return *value ? "yes" : "no";
    fault(node, key, "a text, a number or true/false");
  }
  [[nodiscard]] double number(const toml::node& node, const std::string& key) const {
    if (const auto value = node.value<double>()) return *value;
    fault(node, key, "a number");
  }
  [[nodiscard]] std::uint64_t whole_number(const toml::node& node, const std::string& key) const {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < 0) fault(node, key, "a whole number");
    return static_cast<std::uint64_t>(*value);
  }
  [[nodiscard]] bool yes(const toml::node& node, const std::string& key) const {
    if (const auto value = node.value_exact<bool>()) return *value;
    fault(node, key, "true or false");
  }

  std::string file_;
};

}  // namespace

CellFile read_cell_file(const std::filesystem::path& file) {
  constexpr std::size_t kMostBytes = 4U << 20;
  toml::table document;
  try {
    document = toml::parse(read_text(file, kMostBytes));
  } catch (const toml::parse_error& error) {
    throw DataError({.what = fmt::format("line {}: {}", error.source().begin.line, error.description()),
                     .where = file.string()});
  }
  CellFile whole;
  const Reader reader(file);
  methods::Cell common;
  bool given_at_the_top = false;
  reader.read(document, common, whole, true, given_at_the_top);
  const bool any_may_be_absent = !whole.if_present.empty() && whole.if_present.front();
  const toml::array* cells = document["cell"].as_array();
  if (cells == nullptr) {
    whole.cells.push_back(common);
    whole.epsilon_given.push_back(given_at_the_top);
    whole.if_present.resize(1);
    return whole;
  }
  for (const toml::node& node : *cells) {
    const toml::table* table = node.as_table();
    if (table == nullptr)
      throw DataError({.what = "a cell that is no table", .where = file.string(), .expected = "[[cell]]"});
    methods::Cell cell = common;
    bool given = given_at_the_top;
    whole.if_present.resize(whole.cells.size() + 1);
    whole.if_present.back() = any_may_be_absent;
    reader.read(*table, cell, whole, false, given);
    whole.cells.push_back(std::move(cell));
    whole.epsilon_given.push_back(given);
  }
  return whole;
}

}  // namespace privet::cli
