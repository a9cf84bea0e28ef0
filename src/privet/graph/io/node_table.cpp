#include "privet/graph/io/node_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "privet/base/error.hpp"
#include "privet/graph/io/fields.hpp"

namespace privet::graph {

std::optional<NodeId> NodeTable::add(std::string_view name) {
  const std::size_t before = size();
  const NodeId node = intern(name);
  return size() > before ? std::optional(node) : std::nullopt;
}

NodeId NodeTable::intern(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  if (names_.size() >= kMaxNodes) {
    throw DataError({.what = "too many nodes", .expected = fmt::format("at most {}", kMaxNodes)});
  }
  const auto node = static_cast<NodeId>(names_.size());
  names_.emplace_back(name);
  by_name_.emplace(names_.back(), node);
  return node;
}

void NodeTable::index_numbers() {
  std::vector<std::pair<std::int64_t, NodeId>> numbers;
  std::int64_t most = -1;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto number = parse_integer(names_[i]);
    if (!number || *number < 0) continue;
    numbers.emplace_back(*number, static_cast<NodeId>(i));
    most = std::max(most, *number);
  }
  // A direct table only where it is not much larger than the names themselves.
  if (most < 0 || static_cast<std::uint64_t>(most) > 1024 + 16 * std::uint64_t{names_.size()}) return;
  by_number_.assign(static_cast<std::size_t>(most) + 1, kNone);
  for (const auto& [number, node] : numbers) by_number_[static_cast<std::size_t>(number)] = node;
}

std::optional<NodeId> NodeTable::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NodeId> NodeTable::find_number(std::uint32_t number) const {
  if (by_number_.empty()) return find(fmt::format_int(number).str());
  if (number >= by_number_.size() || by_number_[number] == kNone) return std::nullopt;
  return by_number_[number];
}

std::vector<std::string> NodeTable::names() const {
  bool indices = true;
  for (std::size_t i = 0; i < names_.size() && indices; ++i) {
    indices = names_[i] == std::string_view(fmt::format_int(i).c_str());
  }
  if (indices) return {};
  return {names_.begin(), names_.end()};
}

std::vector<NodeId> sorted_order(const std::vector<std::string_view>& names) {
  std::vector<NodeId> order(names.size());
  std::iota(order.begin(), order.end(), NodeId{0});
  std::vector<std::int64_t> values;
  values.reserve(names.size());
  for (const std::string_view name : names) {
    const auto value = parse_integer(name);
    if (!value) break;
    values.push_back(*value);
  }
  if (values.size() == names.size()) {
    std::sort(order.begin(), order.end(), [&](NodeId a, NodeId b) { return values[a] < values[b]; });
  } else {
    std::sort(order.begin(), order.end(), [&](NodeId a, NodeId b) { return names[a] < names[b]; });
  }
  return order;
}

}  // namespace privet::graph
