#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/simulation.hpp"
#include "privet/reports/client.hpp"
#include "privet/reports/report.hpp"

/// Two lists that differ in one bit, and how often reports of each show it.
namespace privet::privacy::testing {

struct WorstPair {
  TwoWorlds bit;      ///< the bit is told as 1
  TwoWorlds degrees;  ///< the count of its cluster is not below what it is with the neighbour
  TwoWorlds both;
};

/// User 0 of three, in clusters of one node each, with neighbour 1 or without; neighbour 2 in both worlds.
inline WorstPair draw_worst_pair(double bits_epsilon, double degrees_epsilon, std::uint64_t draws) {
  const std::vector<std::int32_t> clusters = {0, 1, 2};
  const LocalQuestion question({.nodes = 3,
                                .bits_epsilon = bits_epsilon,
                                .degrees_epsilon = degrees_epsilon,
                                .asked = PairReports::both_ends,
                                .clusters = 3,
                                .memberships = hard_memberships(clusters, 3)});
  WorstPair seen;
  const SeededStream stream(11);
  for (const bool joined : {true, false}) {
    const std::unique_ptr<RandomStream> world = stream.fork("world", joined ? 1 : 0);
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
      std::vector<graph::NodeId> list = {2};
      if (joined) list.push_back(1);
      LocalClient client(0, Secret<std::vector<graph::NodeId>>(std::move(list)),
                         Epsilon(bits_epsilon + degrees_epsilon), world->fork("client", draw));
      const LocalReport report = decode(client.answer(question), question.query(), question.query_digest());
      const bool bit = std::ranges::binary_search(report.ones, graph::NodeId{1});
      const bool degrees = report.degrees[1] >= kMembershipSteps;
      const auto count = [&](TwoWorlds& of, bool hit) {
        of.draws = draws;
        (joined ? of.likely : of.unlikely) += hit ? 1U : 0U;
      };
      count(seen.bit, bit);
      count(seen.degrees, degrees);
      count(seen.both, bit && degrees);
    }
  }
  return seen;
}

}  // namespace privet::privacy::testing
