#pragma once

#include <span>
#include <string>
#include <string_view>

namespace privet {

/// The candidate nearest to `name` by edit distance (a swap of neighbours counts one), else the only one that
/// `name` is the beginning of, or "" where none is near enough to be what the user meant.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

/// "did you mean 'x'?" for the nearest candidate, or the list of what there is.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace privet
