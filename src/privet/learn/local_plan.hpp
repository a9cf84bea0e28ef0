#pragma once

#include "privet/learn/method.hpp"
#include "privet/reports/query.hpp"

namespace privet::methods {

/// A question of these parts to one client: what everything costs, before any data are there.
privacy::LocalQuery bare_query(double bits_epsilon, double degrees_epsilon, privacy::PairReports asked);

/// What a method plans that learns from the answers to a query like this alone: what they cost, for one bit
/// and for an undirected edge, and what that rests on.
Plan plan_of_query(const privacy::LocalQuery& query);

}  // namespace privet::methods
