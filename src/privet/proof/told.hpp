#pragma once

#include <string_view>

namespace privet::privacy {

/// How the words for a release of local reports end where only one end of a pair tells of it: then an
/// undirected edge costs what one bit does.
inline constexpr std::string_view kToldByOneEnd = "told by one end of a pair";
/// What that rests on, among the assumptions.
inline constexpr std::string_view kSameQuery =
    "every client gets this same query, so that only one end of an undirected edge is asked about it";

}  // namespace privet::privacy
