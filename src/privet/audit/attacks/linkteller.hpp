#pragma once

#include <string>
#include <vector>

#include "privet/audit/attacks/attack_result.hpp"
#include "privet/audit/attacks/influence.hpp"
#include "privet/audit/attacks/pairs.hpp"
#include "privet/audit/attacks/target.hpp"

namespace privet::audit {

/// LinkTeller (Wu, Long, Zhang and Li 2022): who moves the answers for whom is joined to them.
///
/// It asks about a network that computes at query time. Of a model that answers from a node's own features,
/// or from sums that were noised once and kept, nobody's features move anybody else's answer: the attack then
/// says that there is no path, and no area under a curve. That is not evidence of privacy: such a model may
/// have leaked every edge into what it keeps.

/// How influences were come by.
struct Influences {
  bool path = false;  ///< whether features of one node move the answers for another at all
  /// "derivative", or "difference quotient" for networks whose derivative is not known here.
  std::string how = {};
  std::vector<graph::NodeId> sources = {};  ///< ascending
  std::vector<InfluenceRow> rows = {};      ///< one for each source

  /// Of u, a source, on v.
  [[nodiscard]] double of(graph::NodeId u, graph::NodeId v) const;
};

/// Of these sources on everybody, asked on the graph that the method released if it did, and otherwise on
/// its own. Without a network to look into, answers are asked for changed features.
Influences measure_influences(const Target& target, std::vector<graph::NodeId> sources);

/// Three scores of a pair (u, v), u drawn first: "published" is the influence of v on u alone, as
/// LinkTeller's code has it; "forward" that of u on v; "both" the larger of the two. Without a path one
/// result without an area.
std::vector<AttackResult> linkteller(const Target& target, const std::vector<CandidatePair>& pairs);

}  // namespace privet::audit
