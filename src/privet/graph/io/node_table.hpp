#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "privet/graph/graph.hpp"

namespace privet::graph {

/// The nodes of a data set by name, in an order that is fixed before any edge is read.
class NodeTable {
 public:
  /// Appends a name; nothing when it is there already. More than kMaxNodes names are a DataError.
  std::optional<NodeId> add(std::string_view name);
  /// The node of that name, appended if need be.
  NodeId intern(std::string_view name);
  /// Makes lookups by number fast. Call it when the last name has been added.
  void index_numbers();

  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] std::optional<NodeId> find(std::string_view name) const;
  /// Finds the node whose name is that number.
  [[nodiscard]] std::optional<NodeId> find_number(std::uint32_t number) const;
  [[nodiscard]] const std::string& name(NodeId node) const { return names_[node]; }

  /// All names in order; none when every node's name is its own index.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  static constexpr NodeId kNone = 0xffffffff;

  std::deque<std::string> names_;  // never moves a name, so the map can point at them
  std::unordered_map<std::string_view, NodeId> by_name_;
  std::vector<NodeId> by_number_;
};

/// Sorts names for a list that must not depend on the order in which they were met: by value when all are
/// whole numbers, else by their bytes. Returns the old positions in the new order.
std::vector<NodeId> sorted_order(const std::vector<std::string_view>& names);

}  // namespace privet::graph
