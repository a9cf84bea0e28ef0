#include "privet/base/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace privet {
namespace {

// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return at(a.size(), b.size());
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  // Names longer than this are not typos of ours, and the table is quadratic.
  if (name.size() > 64) return {};
  const std::string lower = lower_case(name);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(lower, lower_case(candidate));
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  if (!best.empty()) return best;
  // An abbreviation, where it can be of one name only.
  const auto begun = [&](const std::string& candidate) {
    return name.size() >= 3 && candidate.starts_with(name);
  };
  if (std::ranges::count_if(candidates, begun) == 1) return *std::ranges::find_if(candidates, begun);
  return {};
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const std::string best = nearest(name, candidates);
  if (!best.empty()) return fmt::format("did you mean '{}'?", best);
  if (candidates.empty()) return {};
  return fmt::format("there is {}", fmt::join(candidates, ", "));
}

}  // namespace privet
