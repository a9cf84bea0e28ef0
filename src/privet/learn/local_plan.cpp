#include "privet/learn/local_plan.hpp"

#include <fmt/format.h>

#include "privet/base/rounding.hpp"
#include "privet/proof/told.hpp"
#include "privet/reports/collection.hpp"

namespace privet::methods {

privacy::LocalQuery bare_query(double bits_epsilon, double degrees_epsilon, privacy::PairReports asked) {
  privacy::LocalQuery query{
      .nodes = 1, .bits_epsilon = bits_epsilon, .degrees_epsilon = degrees_epsilon, .asked = asked};
  if (degrees_epsilon > 0) {
    query.clusters = 1;
    query.memberships = {privacy::kMembershipSteps};
  }
  return query;
}

Plan plan_of_query(const privacy::LocalQuery& query) {
  const privacy::LocalQuestion question(query);
  Plan plan{.event = privacy::collection_event(question)};
  plan.assumptions = {
      "features and labels are public",
      "every client draws its own noise, answers this query once and repeats itself when asked "
      "again"};
  const bool both = query.asked == privacy::PairReports::both_ends;
  plan.other_unit =
      std::pair(privacy::Unit::edge().text(), both ? privacy::repeated(plan.event, 2) : plan.event);
  if (!both) plan.assumptions.emplace_back(privacy::kSameQuery);
  // Pure, hence at any delta.
  plan.bounds = {{"epsilon of one bit, upper bound at delta 0", rounded_up(privacy::cost_of_bit(query))},
                 {"epsilon of an undirected edge, upper bound at delta 0",
                  rounded_up(privacy::cost_of_relationship(query))}};
  return plan;
}

}  // namespace privet::methods
