#pragma once

#include <algorithm>
#include <cstdint>

namespace privet::privacy {

/// Which training examples can change between neighbours: `added` are there or not, `replaced` are another
/// one.
struct AffectedExamples {
  std::uint64_t added = 0;
  std::uint64_t replaced = 0;

  [[nodiscard]] constexpr std::uint64_t count() const noexcept { return added + replaced; }

  /// The L2 sensitivity of the sum of all examples, each clipped to norm 1.
  [[nodiscard]] constexpr double clip_norms() const noexcept {
    return static_cast<double>(added) + 2 * static_cast<double>(replaced);
  }

  /// The same change where there are `population` examples. The protected node need not have an example of
  /// its own: one that reaches all of them replaces all, which moves their sum further than replacing all but
  /// one and taking that one away. So replaced examples come first.
  [[nodiscard]] constexpr AffectedExamples among(std::uint64_t population) const noexcept {
    const std::uint64_t most = std::min(replaced, population);
    return {.added = std::min(added, population - most), .replaced = most};
  }

  bool operator==(const AffectedExamples&) const = default;
};

}  // namespace privet::privacy
