#include "privet/base/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"

namespace privet {

std::uint64_t parse_integer(std::string_view text, const std::string& where) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InvalidArgument(
        {.what = fmt::format("'{}' is not a whole number", text), .where = where, .expected = "digits"});
  }
  return value;
}

double parse_number(std::string_view text, const std::string& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || std::isnan(value)) {
    throw InvalidArgument({.what = fmt::format("'{}' is not a number", text), .where = where});
  }
  return value;
}

std::string OptionTable::where(std::string_view name) const {
  return fmt::format("{} option {}", owner_, name);
}

void OptionTable::push(Option option) {
  option.initial = option.current();
  options_.push_back(std::move(option));
}

void OptionTable::add(std::string name, std::uint64_t& target, std::string description, std::uint64_t least,
                      std::uint64_t most) {
  const std::string range = fmt::format("{} to {}", least, most);
  push({.name = name,
        .type = "integer",
        .initial = {},
        .range = range,
        .description = std::move(description),
        .assign =
            [&target, least, most, range, where = where(name)](std::string_view text) {
              const std::uint64_t value = parse_integer(text, where);
              if (value < least || value > most) {
                throw InvalidArgument(
                    {.what = fmt::format("{} is out of range", value), .where = where, .expected = range});
              }
              target = value;
            },
        .current = [&target] { return fmt::format("{}", target); }});
}

void OptionTable::add(std::string name, double& target, std::string description, double least, double most) {
  const std::string range = fmt::format("{:g} to {:g}", least, most);
  push({.name = name,
        .type = "number",
        .initial = {},
        .range = range,
        .description = std::move(description),
        .assign =
            [&target, least, most, range, where = where(name)](std::string_view text) {
              const double value = parse_number(text, where);
              if (!(value >= least && value <= most)) {
                throw InvalidArgument(
                    {.what = fmt::format("{} is out of range", value), .where = where, .expected = range});
              }
              target = value;
            },
        .current = [&target] { return fmt::format("{}", target); }});
}

void OptionTable::add(std::string name, bool& target, std::string description) {
  push({.name = name,
        .type = "yes/no",
        .initial = {},
        .range = {},
        .description = std::move(description),
        .assign =
            [&target, where = where(name)](std::string_view text) {
              if (text == "yes" || text == "true" || text == "1") {
                target = true;
              } else if (text == "no" || text == "false" || text == "0") {
                target = false;
              } else {
                throw InvalidArgument(
                    {.what = fmt::format("'{}'", text), .where = where, .expected = "yes or no"});
              }
            },
        .current = [&target] { return std::string(target ? "yes" : "no"); }});
}

void OptionTable::add(std::string name, std::string& target, std::string description,
                      std::vector<std::string> choices) {
  push({.name = name,
        .type = "text",
        .initial = {},
        .range = choices.empty() ? "" : fmt::format("one of {}", fmt::join(choices, ", ")),
        .description = std::move(description),
        .assign =
            [&target, choices, where = where(name)](std::string_view text) {
              if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
                throw InvalidArgument({.what = fmt::format("no choice '{}'", text),
                                       .where = where,
                                       .remedy = suggestion(text, choices)});
              }
              target = std::string(text);
            },
        .current = [&target] { return target; }});
}

void OptionTable::set(std::string_view name, std::string_view text) {
  for (const Option& option : options_) {
    if (option.name == name) return option.assign(text);
  }
  std::vector<std::string> names;
  for (const Option& option : options_) names.push_back(option.name);
  throw InvalidArgument(
      {.what = fmt::format("no option '{}'", name), .where = owner_, .remedy = suggestion(name, names)});
}

void OptionTable::set_assignment(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw InvalidArgument(
        {.what = fmt::format("'{}'", assignment), .where = owner_ + " options", .expected = "name=value"});
  }
  set(assignment.substr(0, equals), assignment.substr(equals + 1));
}

}  // namespace privet
