#pragma once

#include "privet/learn/audit_sampler.hpp"
#include "privet/reports/query.hpp"

namespace privet::methods {

/// One client's answers to a query with these epsilons, by the client's own code: in the first world it has
/// the one neighbour that it is asked about, wholly in the one cluster that is counted; in the second it has
/// none. Everybody else's bits have the same noise in both worlds and are left out. The draws are the
/// log-likelihood ratios of the answers.
AuditSampler local_report_sampler(double bits_epsilon, double degrees_epsilon);

}  // namespace privet::methods
