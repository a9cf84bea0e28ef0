#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "privet/reports/query.hpp"

namespace privet::privacy {

/// On the wire: a version, who is asked about a pair (1: one end, 2: both, 3: the end of the lower rank), the
/// two epsilons and the pair key in eight bytes each, then numbers of 7 bits per byte (wire.hpp): nodes and
/// clusters, the ranks (where there are any, a byte for each node), and for each node either 1 + the cluster
/// that it is wholly in, or 0 and its memberships in steps but for the last, which follows. So a node wholly
/// in one cluster takes a byte or two.
///
/// The query is one that `check` accepts.
std::vector<std::byte> encode(const LocalQuery& query);

/// What a client makes of bytes from a server it does not trust: a query that `check` accepts, or a
/// DataError, also for bytes that are cut off or too many, numbers not written in their shortest form, nodes
/// wholly in one cluster written out, and more memberships than kMostMemberships. Every query has exactly one
/// encoding.
LocalQuery decode_query(std::span<const std::byte> bytes);

/// Half a GiB in memory: a byte of a message may stand for a whole row.
inline constexpr std::size_t kMostMemberships = std::size_t{1} << 27;

}  // namespace privet::privacy
