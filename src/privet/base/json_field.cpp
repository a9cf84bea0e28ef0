#include "privet/base/json_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "privet/base/error.hpp"

namespace privet {

void JsonField::refuse(std::string what, std::string expected) const {
  throw DataError({.what = std::move(what), .where = path_, .expected = std::move(expected)});
}

JsonField JsonField::child(const Json& value, std::string_view key) const {
  const char* separator = root_ ? (path_.empty() ? "" : ": ") : ".";
  JsonField field(value, fmt::format("{}{}{}", path_, separator, key));
  field.root_ = false;
  return field;
}

const Json* JsonField::member(std::string_view key) const {
  if (!value_->is_object()) refuse(fmt::format("is {}", value_->type_name()), "an object");
  const auto found = value_->find(std::string(key));
  return found == value_->end() ? nullptr : &*found;
}

JsonField JsonField::at(std::string_view key) const {
  const Json* found = member(key);
  if (found == nullptr) child(*value_, key).refuse("is missing");
  return child(*found, key);
}

std::optional<JsonField> JsonField::find(std::string_view key) const {
  const Json* found = member(key);
  if (found == nullptr) return std::nullopt;
  return child(*found, key);
}

void JsonField::allow_only(std::initializer_list<std::string_view> keys) const {
  if (!value_->is_object()) refuse(fmt::format("is {}", value_->type_name()), "an object");
  for (const auto& item : value_->items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
      child(item.value(), item.key()).refuse("is not a known key");
    }
  }
}

std::vector<JsonField> JsonField::elements() const {
  if (!value_->is_array()) refuse(fmt::format("is {}", value_->type_name()), "an array");
  std::vector<JsonField> fields;
  fields.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    JsonField field((*value_)[i], fmt::format("{}[{}]", path_, i));
    field.root_ = false;
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string JsonField::text() const {
  if (!value_->is_string()) refuse(fmt::format("is {}", value_->type_name()), "a string");
  return value_->get<std::string>();
}

std::string JsonField::nonempty_text() const {
  std::string value = text();
  if (value.empty()) refuse("is empty", "a text");
  return value;
}

double JsonField::number() const {
  if (!value_->is_number()) refuse(fmt::format("is {}", value_->type_name()), "a number");
  const auto value = value_->get<double>();
  if (!std::isfinite(value)) refuse("is not finite", "a finite number");
  return value;
}

std::optional<double> JsonField::number_or_null() const {
  if (is_null()) return std::nullopt;
  if (!value_->is_number()) refuse(fmt::format("is {}", value_->type_name()), "a number or null");
  return number();
}

std::uint64_t JsonField::count() const {
  const bool negative = value_->is_number_integer() && !value_->is_number_unsigned() && *value_ < 0;
  if (!value_->is_number_integer() || negative) {
    refuse(fmt::format("is {}", value_->is_number() ? value_->dump() : value_->type_name()),
           "a whole number, at least 0");
  }
  return value_->get<std::uint64_t>();
}

bool JsonField::boolean() const {
  if (!value_->is_boolean()) refuse(fmt::format("is {}", value_->type_name()), "true or false");
  return value_->get<bool>();
}

Json parse_strict_json(std::string_view text, const std::string& where, int max_depth) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > max_depth) {
      throw DataError({.what = "is nested too deeply",
                       .where = where,
                       .expected = fmt::format("at most {} levels", max_depth)});
    }
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw DataError({.what = fmt::format("has the key '{}' twice in one object", parsed.get<std::string>()),
                       .where = where});
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const nlohmann::json::parse_error&) {
    return parse_json(text, where);  // says in which line and column
  } catch (const nlohmann::json::exception&) {
    throw DataError({.what = "has a number out of range", .where = where, .expected = "finite numbers"});
  }
}

}  // namespace privet
