#include "privet/reports/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

constexpr std::size_t kMostClusters = 4096;

[[noreturn]] void refuse(std::string what, std::string expected) {
  throw InvalidArgument({.what = std::move(what), .where = "local query", .expected = std::move(expected)});
}

void check_epsilon(double epsilon, double most, const char* which) {
  // Not -0 either, which would be a second form of the same question.
  if ((epsilon == 0 && !std::signbit(epsilon)) || (epsilon >= 0x1p-20 && epsilon <= most)) return;
  refuse(fmt::format("epsilon {} of the {}", epsilon, which), fmt::format("0, or from 2^-20 to {}", most));
}

// The finaliser of SplitMix64: pairs fall to either end evenly. Nothing private depends on its strength.
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31U);
}

}  // namespace

void require_clusters(std::size_t clusters) {
  if (clusters > 0 && clusters <= kMostClusters) return;
  refuse(fmt::format("{} clusters", clusters),
         fmt::format("from 1 to {} where degrees are asked for", kMostClusters));
}

void check(const LocalQuery& query) {
  if (query.nodes == 0 || query.nodes > graph::kMaxNodes) {
    refuse(fmt::format("{} nodes", query.nodes), fmt::format("from 1 to {}", graph::kMaxNodes));
  }
  check_epsilon(query.bits_epsilon, 27, "bits");
  check_epsilon(query.degrees_epsilon, 0x1p20, "degrees");
  if (query.bits_epsilon == 0 && query.degrees_epsilon == 0)
    refuse("nothing is asked for", "bits or degrees");
  if (query.degrees_epsilon > 0) {
    require_clusters(query.clusters);
  } else if (query.clusters > 0) {
    refuse(fmt::format("{} clusters", query.clusters), "none where no degrees are asked for");
  }
  if (query.memberships.size() != query.nodes * query.clusters) {
    refuse(fmt::format("{} memberships", query.memberships.size()), "one for each node and cluster");
  }
  if (!query.ranks.empty() && (query.asked == PairReports::both_ends || query.ranks.size() != query.nodes)) {
    refuse(fmt::format("{} ranks", query.ranks.size()),
           "one for each node or none, and none where both ends are asked");
  }
  if (query.clusters == 0) return;
  for (std::size_t i = 0; i < query.nodes; ++i) {
    std::uint64_t sum = 0;
    for (const std::uint32_t one : query.memberships_of(static_cast<graph::NodeId>(i))) sum += one;
    if (sum != kMembershipSteps) refuse(fmt::format("memberships of node {}", i), "steps of one membership");
  }
}

Digest digest(const LocalQuery& query) {
  Sha256 hash;
  hash.update("privet local query 1");
  hash.update(std::uint64_t{query.nodes});
  hash.update(std::bit_cast<std::uint64_t>(query.bits_epsilon));
  hash.update(std::bit_cast<std::uint64_t>(query.degrees_epsilon));
  hash.update(std::uint64_t{query.asked == PairReports::both_ends ? 2U : 1U});
  hash.update(query.pair_key);
  hash.update(std::uint64_t{query.clusters});
  hash.update(std::as_bytes(std::span(query.memberships)));
  hash.update(std::as_bytes(std::span(query.ranks)));
  return hash.finish();
}

Digest pairing(const LocalQuery& query) {
  Sha256 hash;
  hash.update("privet local pairing 1");
  hash.update(query.pair_key);
  hash.update(std::as_bytes(std::span(query.ranks)));
  return hash.finish();
}

bool asks(const LocalQuery& query, graph::NodeId own, graph::NodeId other) {
  if (own == other) return false;
  if (query.asked == PairReports::both_ends) return true;
  if (!query.ranks.empty() && query.ranks[own] != query.ranks[other])
    return query.ranks[own] < query.ranks[other];
  const auto [low, high] = std::minmax(own, other);
  const bool lower_end = (mixed(mixed(std::uint64_t{low} << 32U | high) ^ query.pair_key) & 1U) != 0;
  return lower_end == (own == low);
}

double cost_of_bit(const LocalQuery& query) { return query.bits_epsilon + query.degrees_epsilon; }

double cost_of_relationship(const LocalQuery& query) {
  return relationship_epsilon(cost_of_bit(query), query.asked);
}

std::vector<std::int64_t> degree_steps(const std::vector<graph::NodeId>& neighbors, const LocalQuery& query,
                                       graph::NodeId own) {
  std::vector<std::int64_t> sums(query.clusters);
  for (const graph::NodeId other : neighbors) {
    if (other >= query.nodes || !asks(query, own, other)) continue;
    const std::span<const std::uint32_t> steps = query.memberships_of(other);
    for (std::size_t a = 0; a < steps.size(); ++a) sums[a] += steps[a];
  }
  return sums;
}

}  // namespace privet::privacy
