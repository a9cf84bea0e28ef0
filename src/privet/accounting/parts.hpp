#pragma once

#include "privet/accounting/event.hpp"

namespace privet::privacy {

/// Calls visit(leaf, times) for every event of the tree that is neither a composition nor a repetition, with
/// the number of times that it happens (a double, since repetitions multiply). Parts that never happen are
/// skipped.
template <typename Visit>
void for_each_leaf(const Event& event, const Visit& visit, double times = 1) {
  if (const auto* composition = std::get_if<ComposedEvent>(&event.kind())) {
    for (const Event& part : composition->parts) for_each_leaf(part, visit, times);
  } else if (const auto* repetition = std::get_if<RepeatedEvent>(&event.kind())) {
    if (repetition->times > 0)
      for_each_leaf(*repetition->part, visit, times * static_cast<double>(repetition->times));
  } else {
    visit(event, times);
  }
}

/// Whether `holds` is true of every leaf.
template <typename Predicate>
bool all_leaves(const Event& event, const Predicate& holds) {
  bool all = true;
  for_each_leaf(event, [&](const Event& leaf, double) { all = all && holds(leaf); });
  return all;
}

}  // namespace privet::privacy
