#include "privet/privacy/local/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

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

void check(const LocalQuery& query) {
  if (query.nodes == 0 || query.nodes > graph::kMaxNodes) {
    refuse(fmt::format("{} nodes", query.nodes), fmt::format("from 1 to {}", graph::kMaxNodes));
  }
  check_epsilon(query.bits_epsilon, 27, "bits");
  check_epsilon(query.degrees_epsilon, 0x1p20, "degrees");
  if (query.bits_epsilon == 0 && query.degrees_epsilon == 0)
    refuse("nothing is asked for", "bits or degrees");
  if ((query.degrees_epsilon == 0) != (query.clusters == 0) || query.clusters > kMostClusters) {
    refuse(fmt::format("{} clusters", query.clusters),
           fmt::format("from 1 to {} where degrees are asked for, else none", kMostClusters));
  }
  if (query.memberships.size() != query.nodes * query.clusters) {
    refuse(fmt::format("{} memberships", query.memberships.size()), "one for each node and cluster");
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
  return hash.finish();
}

bool asks(const LocalQuery& query, graph::NodeId own, graph::NodeId other) {
  if (own == other) return false;
  if (query.asked == PairReports::both_ends) return true;
  const auto [low, high] = std::minmax(own, other);
  const bool lower_end = (mixed(mixed(std::uint64_t{low} << 32U | high) ^ query.pair_key) & 1U) != 0;
  return lower_end == (own == low);
}

double cost_of_bit(const LocalQuery& query) { return query.bits_epsilon + query.degrees_epsilon; }

double cost_of_relationship(const LocalQuery& query) {
  return relationship_epsilon(cost_of_bit(query), query.asked);
}

std::vector<std::uint32_t> memberships_of(const tensor::Matrix& clusters) {
  std::vector<std::uint32_t> all(clusters.size());
  for (std::size_t i = 0; i < clusters.rows(); ++i) {
    const std::span<const float> row = clusters.row(i);
    double sum = 0;
    for (const float weight : row) {
      if (!(weight >= 0) || !std::isfinite(weight))
        refuse(fmt::format("{} for node {}", weight, i), "weights");
      sum += static_cast<double>(weight);
    }
    if (!(sum > 0) || !std::isfinite(sum)) refuse(fmt::format("no cluster for node {}", i), "at least one");
    const std::span<std::uint32_t> steps = std::span(all).subspan(i * row.size(), row.size());
    std::uint32_t given = 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
      steps[a] = static_cast<std::uint32_t>(static_cast<double>(row[a]) / sum * (1 - 0x1p-40) *
                                            static_cast<double>(kMembershipSteps));
      given += steps[a];
    }
    *std::ranges::max_element(steps) += kMembershipSteps - given;
  }
  return all;
}

std::vector<std::uint32_t> hard_memberships(std::span<const std::int32_t> clusters, std::size_t count) {
  std::vector<std::uint32_t> all(clusters.size() * count);
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (clusters[i] < 0 || static_cast<std::size_t>(clusters[i]) >= count) {
      refuse(fmt::format("cluster {} of node {}", clusters[i], i), fmt::format("below {}", count));
    }
    all[i * count + static_cast<std::size_t>(clusters[i])] = kMembershipSteps;
  }
  return all;
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
