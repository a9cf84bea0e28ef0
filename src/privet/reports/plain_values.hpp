#pragma once

#include "privet/core/plain_value.hpp"
#include "privet/reports/query.hpp"

/// The types of this room that may be handed to a computation on a Secret: the query, which is public. This
/// file is part of what a privacy review reads.

namespace privet::privacy {

template <>
inline constexpr bool is_plain_value<LocalQuery> = true;

}  // namespace privet::privacy
