#pragma once

#include <map>
#include <string>
#include <vector>

#include "privet/audit/neighbors.hpp"
#include "privet/methods/method.hpp"

namespace privet::audit {

/// What an adversary who knows both worlds sees of one released model: a few named numbers, chosen so that
/// the difference between the worlds moves them. Names that one run lacks count as 0.
///
/// The adversary has the model (everything that leaves), knows both data sets, and looks at nothing else.
/// Where the unit leaves the protected person's own row out of the guarantee, that row of every tensor with
/// one row per node is blanked first: seeing it is no violation.
using Observation = std::map<std::string, double>;

/// The numbers:
///
///     sum(E, W)   for tensors E, W of one row per node and equal width: how far the rows of E lean towards
///                 holding the changed entries of A W. 1 where E = A W of the first world, 0 of the second,
///                 whatever constant was added to all rows. "features" may stand for W.
///     row(E)      the inner product of the two ends' rows of E
///     own(k)      logit of the probability that the model gives the person's label of world k, from the
///                 person's features of world k (LiRA's statistic)
///     label(i)    the same of each end of the changed edge, where features and labels are public
Observation observe(const methods::Method& method, methods::Model model, const NeighborPair& pair,
                    const privacy::Unit& unit);

/// sum(E, W) for one pair of matrices; `known` is the graph of the second world.
double lean(const tensor::Matrix& released, const tensor::Matrix& summed, const graph::Graph& known,
            const std::vector<ChangedEntry>& changed, std::optional<graph::NodeId> left_out);

}  // namespace privet::audit
