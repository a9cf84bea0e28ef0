#include "privet/cli/plan_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/cli/toml.hpp"

namespace privet::cli {
namespace {

std::string text_of(const toml::node& node, const std::string& where) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  throw InvalidArgument({.what = "neither a text nor a number", .where = where});
}

PlannedMechanism mechanism_of(const toml::table& table, const std::string& where) {
  PlannedMechanism mechanism;
  const toml::node* kind = table.get("kind");
  if (kind == nullptr) throw InvalidArgument({.what = "kind is missing", .where = where});
  mechanism.options.kind = text_of(*kind, where + " kind");
  bool weighted = false;
  OptionTable options = privacy::mechanism_table(mechanism.options);
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    if (name == "kind") continue;
    const std::string text = text_of(value, where + " " + name);
    if (name == "weight") {
      weighted = true;
      mechanism.weight = parse_number(text, where + " weight");
      if (!(mechanism.weight > 0) || !std::isfinite(mechanism.weight)) {
        throw InvalidArgument({.what = text, .where = where + " weight", .expected = "a positive number"});
      }
    } else {
      options.set(name, text);
    }
  }
  mechanism.free = privacy::mechanism_noise(mechanism.options) == privacy::MechanismOptions::kNoNumber;
  if (weighted && !mechanism.free) {
    throw InvalidArgument(
        {.what = "a weight beside given noise", .where = where, .expected = "one of the two"});
  }
  return mechanism;
}

}  // namespace

std::vector<PlannedMechanism> read_plan(const std::filesystem::path& file) {
  const std::string text = read_text(file, 1 << 20);
  toml::table document;
  try {
    document = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw DataError({.what = fmt::format("line {}: {}", error.source().begin.line, error.description()),
                     .where = file.string()});
  }
  std::vector<PlannedMechanism> plan;
  for (const auto& [key, value] : document) {
    const toml::array* mechanisms = value.as_array();
    if (key.str() != "mechanism" || mechanisms == nullptr) {
      throw DataError({.what = fmt::format("'{}'", std::string(key.str())),
                       .where = file.string(),
                       .expected = "tables headed [[mechanism]] only"});
    }
    for (const toml::node& entry : *mechanisms) {
      const toml::table* table = entry.as_table();
      const std::string where = fmt::format("{} mechanism {}", file.string(), plan.size() + 1);
      if (table == nullptr) throw DataError({.what = "not a table", .where = where});
      try {
        plan.push_back(mechanism_of(*table, where));
      } catch (const InvalidArgument& error) {
        if (error.fault().where.starts_with(where)) throw;
        throw InvalidArgument({.what = error.what(), .where = where});
      }
    }
  }
  if (plan.empty()) throw DataError({.what = "no [[mechanism]] in it", .where = file.string()});
  return plan;
}

}  // namespace privet::cli
