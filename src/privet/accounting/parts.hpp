#pragma once

#include "privet/accounting/event.hpp"

namespace privet::privacy {

/// Calls visit(row, times) for every event of the tree that is neither a composition nor a repetition, with
/// the number of times that it happens (a double, since repetitions multiply). Parts that never happen are
/// skipped.
template <typename Visit>
void for_each_leaf(const Event& event, const Visit& visit, double times = 1) {
  std::visit(
      [&]<typename Kind>(const Kind& kind) {
        if constexpr (std::is_same_v<Kind, ComposedEvent>) {
          for (const Event& part : kind.parts) for_each_leaf(part, visit, times);
        } else if constexpr (std::is_same_v<Kind, RepeatedEvent>) {
          if (kind.times > 0) for_each_leaf(*kind.part, visit, times * static_cast<double>(kind.times));
        } else {
          visit(kind, times);
        }
      },
      event.kind());
}

/// Whether `holds` is true of every leaf.
template <typename Predicate>
bool all_leaves(const Event& event, const Predicate& holds) {
  bool all = true;
  for_each_leaf(event, [&](const EventRow auto& row, double) { all = all && holds(row); });
  return all;
}

/// Whether nothing is released at all.
inline bool releases_nothing(const Event& event) {
  return all_leaves(event, [](const EventRow auto&) { return false; });
}

}  // namespace privet::privacy
