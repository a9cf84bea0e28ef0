#include "privet/accounting/mechanism_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"

namespace privet::privacy {
namespace {

constexpr double kMost = 1e300;
constexpr std::uint64_t kMany = 1'000'000'000'000;

[[noreturn]] void missing(const MechanismOptions& o, const std::string& name) {
  throw InvalidArgument({.what = fmt::format("{} is missing", name), .where = o.kind});
}

}  // namespace

bool MechanismOptions::has(const std::string& name) const {
  const auto number = numbers_.find(name);
  if (number != numbers_.end()) return number->second != kNoNumber;
  const auto count = counts_.find(name);
  return count != counts_.end() && count->second != kNoCount;
}

double MechanismOptions::given(const std::string& name) const {
  if (!has(name)) missing(*this, name);
  return numbers_.at(name);
}

std::uint64_t MechanismOptions::given_count(const std::string& name) const {
  if (!has(name)) missing(*this, name);
  return counts_.at(name);
}

void add_noise_option(OptionTable& table, MechanismOptions& o, const std::string& name,
                      std::string description) {
  table.add(name, o.number(name), std::move(description), 1e-300, kMost);
}

void add_count_option(OptionTable& table, MechanismOptions& o, const std::string& name,
                      std::string description, std::uint64_t least) {
  table.add(name, o.count(name), std::move(description), least, kMany);
}

void add_epsilon_option(OptionTable& table, MechanismOptions& o) {
  table.add("epsilon_each", o.number("epsilon_each"), "epsilon of one answer", 1e-300, 1e6);
}

const std::vector<MechanismKind>& mechanism_kinds() {
  static const std::vector<MechanismKind> kinds = [] {
    std::vector<MechanismKind> list;
    EventKinds::for_each([&]<typename Row>() {
      if (const MechanismKind* kind = Row::written()) list.push_back(*kind);
    });
    return list;
  }();
  return kinds;
}

const MechanismKind& find_mechanism_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const MechanismKind& kind : mechanism_kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw InvalidArgument(
      {.what = fmt::format("no mechanism '{}'", name), .where = "kind", .remedy = suggestion(name, names)});
}

OptionTable mechanism_table(MechanismOptions& o) {
  const MechanismKind& kind = find_mechanism_kind(o.kind);
  OptionTable table(kind.name);
  kind.add_options(table, o);
  table.add(kind.counts_steps ? "steps" : "times", o.times,
            kind.counts_steps ? "number of steps" : "how often the mechanism runs (once, where not given)", 1,
            kMany);
  return table;
}

Event mechanism_event(const MechanismOptions& o) {
  const MechanismKind& kind = find_mechanism_kind(o.kind);
  const bool given = o.times != MechanismOptions::kNoCount;
  if (kind.counts_steps && !given) missing(o, "steps");
  return repeated(kind.event(o), given ? o.times : 1);
}

double& mechanism_noise(MechanismOptions& o) { return o.number(find_mechanism_kind(o.kind).noise); }

bool more_noise_is_more_private(const MechanismOptions& o) {
  return find_mechanism_kind(o.kind).more_is_more_private;
}

}  // namespace privet::privacy
