#pragma once

#include "privet/learn/audit_sampler.hpp"
#include "privet/methods/caribou/caribou_plan.hpp"

namespace privet::methods {

/// The last state of all hops on the two graphs, with the noise of the plan; in paper rigor with that of each
/// graph's own degrees. Any rows of norm 1 may come up: all alike, the ends of the changed entries against
/// each other or against everybody else, whatever moves the state furthest without noise. A person who is
/// replaced turns its row round, one who is gone has none, and the person's own row of the state is not
/// looked at.
///
/// The draws are the state along the direction in which it moves without noise. Where the scale of the noise
/// differs between the worlds they are the mean square of the state. The plan must have a unit of protection
/// (std::logic_error).
AuditSampler caribou_sampler(const CaribouPlan& plan, const Request& request,
                             const privacy::PublicFacts& facts, const AuditPair& pair);

}  // namespace privet::methods
