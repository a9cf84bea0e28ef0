#pragma once

#include "privet/core/mechanisms/top_entries.hpp"
#include "privet/learn/audit_sampler.hpp"

namespace privet::methods {

/// Whether a noisy entry is above 0, by the mechanism's own code, where there is an edge in the first world
/// and none in the second: 1 or 0, and 0 is e^epsilon times likelier without the edge. Every entry has noise
/// of its own, so one release of a complete graph, or of one without edges, with room for all of its entries
/// gives a draw for each of them. Whatever is made of the noisy matrix afterwards, the largest entries,
/// eigenpairs or a network, can't show more than the noisy matrix itself.
AuditSampler top_entries_sampler(const privacy::TopEntries& entries);

}  // namespace privet::methods
