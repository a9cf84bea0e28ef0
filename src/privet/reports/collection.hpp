#pragma once

#include <cstddef>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/graph/graph.hpp"
#include "privet/reports/client.hpp"

namespace privet::privacy {

/// Encoded reports, one per client.
using LocalMessages = std::vector<std::vector<std::byte>>;

/// Runs one client per row of the graph in this process and returns what they send; a collector across a
/// network gets the same bytes.
///
///   unit         local-edge: one bit of one list
///   sensitivity  that of one client (client.hpp); clients hold different bits, so all of them together cost
///                what one does
///   loss         bits_epsilon + degrees_epsilon; the log gets one release for each part
///
/// The number of nodes is public: of a graph of another size, or one that failed, every list is empty.
LocalMessages collect(const Secret<graph::Graph>& graph, const LocalQuestion& question, ReleaseLog& log,
                      RandomStream& stream);

/// What `collect` releases.
Event collection_event(const LocalQuestion& question);

}  // namespace privet::privacy
