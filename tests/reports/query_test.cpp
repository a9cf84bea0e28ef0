#include "privet/reports/query.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"

namespace privet::privacy {
namespace {

using graph::NodeId;

tensor::Matrix random_clusters(std::size_t nodes, std::size_t clusters, std::uint64_t seed) {
  SeededStream stream(seed);
  tensor::Matrix rows(nodes, clusters);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t a = 0; a < clusters; ++a)
      rows(i, a) = stream.uniform() < 0.3 ? 0.0F : static_cast<float>(stream.uniform());
    rows(i, i % clusters) += 0.01F;
  }
  return rows;
}

LocalQuery query_of(std::size_t nodes, std::size_t clusters, PairReports asked) {
  return {.nodes = nodes,
          .bits_epsilon = 1,
          .degrees_epsilon = 0.5,
          .asked = asked,
          .pair_key = 77,
          .clusters = clusters,
          .memberships = memberships_of(random_clusters(nodes, clusters, 5))};
}

TEST(LocalQuery, MembershipsAddUpToOne) {
  for (const std::size_t clusters : {1U, 2U, 7U, 40U}) {
    const LocalQuery query = query_of(200, clusters, PairReports::one_end);
    EXPECT_NO_THROW(check(query));
    const tensor::Matrix given = random_clusters(200, clusters, 5);
    for (NodeId i = 0; i < 200; ++i) {
      double sum = 0;
      for (const float one : given.row(i)) sum += static_cast<double>(one);
      for (std::size_t a = 0; a < clusters; ++a) {
        EXPECT_NEAR(query.memberships_of(i)[a] / static_cast<double>(kMembershipSteps),
                    static_cast<double>(given(i, a)) / sum, 1e-6 * static_cast<double>(clusters));
      }
    }
  }
  tensor::Matrix bad(1, 2);
  EXPECT_THROW((void)memberships_of(bad), InvalidArgument);
  bad(0, 0) = -1;
  EXPECT_THROW((void)memberships_of(bad), InvalidArgument);
  bad(0, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW((void)memberships_of(bad), InvalidArgument);
}

TEST(LocalQuery, HardMembershipsAreWhole) {
  const std::vector<std::int32_t> labels = {2, 0, 1};
  const std::vector<std::uint32_t> all = hard_memberships(labels, 3);
  EXPECT_EQ(all[2], kMembershipSteps);
  EXPECT_EQ(all[3], kMembershipSteps);
  EXPECT_EQ(all[7], kMembershipSteps);
  EXPECT_THROW((void)hard_memberships(labels, 2), InvalidArgument);
}

// Every list of five possible neighbours against every list that differs in one bit, for every user, with
// soft and hard clusters and both ways of asking: the degrees move by at most one membership, and by exactly
// that where the pair is asked about.
TEST(LocalQuery, OneBitMovesTheDegreesByOneMembership) {
  constexpr NodeId kNodes = 6;
  std::int64_t largest = 0;
  for (const PairReports asked : {PairReports::both_ends, PairReports::one_end}) {
    for (const std::size_t clusters : {1U, 3U}) {
      const LocalQuery query = query_of(kNodes, clusters, asked);
      for (NodeId own = 0; own < kNodes; ++own) {
        for (unsigned list = 0; list < 1U << kNodes; ++list) {
          const auto named = [&](unsigned bits) {
            std::vector<NodeId> nodes;
            for (NodeId j = 0; j < kNodes; ++j) {
              if (j != own && (bits >> j & 1U) != 0) nodes.push_back(j);
            }
            return nodes;
          };
          const std::vector<std::int64_t> before = degree_steps(named(list), query, own);
          for (NodeId j = 0; j < kNodes; ++j) {
            const std::vector<std::int64_t> after = degree_steps(named(list ^ 1U << j), query, own);
            std::int64_t moved = 0;
            for (std::size_t a = 0; a < clusters; ++a) moved += std::abs(after[a] - before[a]);
            EXPECT_EQ(moved, asks(query, own, j) ? kMembershipSteps : 0);
            largest = std::max(largest, moved);
          }
        }
      }
    }
  }
  EXPECT_EQ(largest, kMembershipSteps);
}

TEST(LocalQuery, AsksOneEndOfEveryPairOrBoth) {
  LocalQuery query{.nodes = 400, .bits_epsilon = 1, .asked = PairReports::one_end, .pair_key = 3};
  std::size_t lower = 0;
  for (NodeId i = 0; i < 400; ++i) {
    EXPECT_FALSE(asks(query, i, i));
    std::size_t own = 0;
    for (NodeId j = 0; j < 400; ++j) {
      if (i == j) continue;
      EXPECT_NE(asks(query, i, j), asks(query, j, i));
      own += asks(query, i, j) ? 1U : 0U;
      lower += i < j && asks(query, i, j) ? 1U : 0U;
    }
    // Six standard deviations of 399 fair coins.
    EXPECT_NEAR(static_cast<double>(own), 199.5, 60);
  }
  EXPECT_NEAR(static_cast<double>(lower), 39900, 6 * std::sqrt(79800 / 4.0));
  const LocalQuery before = query;
  query.pair_key = 4;
  std::size_t other = 0;
  for (NodeId j = 1; j < 400; ++j) other += asks(query, 0, j) != asks(before, 0, j) ? 1U : 0U;
  EXPECT_GT(other, 100U);
  query.asked = PairReports::both_ends;
  EXPECT_TRUE(asks(query, 0, 1) && asks(query, 1, 0));
}

TEST(LocalQuery, AsksTheEndOfTheLowerRank) {
  LocalQuery query{.nodes = 60, .bits_epsilon = 1, .asked = PairReports::one_end, .pair_key = 3};
  const LocalQuery by_hash = query;
  for (NodeId i = 0; i < 60; ++i) query.ranks.push_back(static_cast<std::uint8_t>(i % 3));
  EXPECT_NO_THROW(check(query));
  for (NodeId i = 0; i < 60; ++i) {
    for (NodeId j = 0; j < 60; ++j) {
      if (i == j) continue;
      EXPECT_NE(asks(query, i, j), asks(query, j, i));
      EXPECT_EQ(asks(query, i, j), i % 3 != j % 3 ? i % 3 < j % 3 : asks(by_hash, i, j));
    }
  }
  EXPECT_NE(pairing(query), pairing(by_hash));
  LocalQuery other = query;
  other.bits_epsilon = 2;
  EXPECT_EQ(pairing(query), pairing(other));
  EXPECT_NE(digest(query), digest(other));
  other = query;
  other.ranks.back() += 1;
  EXPECT_NE(pairing(query), pairing(other));
  EXPECT_NE(digest(query), digest(other));
}

TEST(LocalQuery, HasBothCosts) {
  LocalQuery query = query_of(10, 2, PairReports::both_ends);
  EXPECT_DOUBLE_EQ(cost_of_bit(query), 1.5);
  EXPECT_DOUBLE_EQ(cost_of_relationship(query), 3);
  query.asked = PairReports::one_end;
  EXPECT_DOUBLE_EQ(cost_of_relationship(query), 1.5);
}

TEST(LocalQuery, RefusesWhatIsNotSound) {
  const LocalQuery good = query_of(10, 2, PairReports::one_end);
  const auto refused = [&](auto change) {
    LocalQuery query = good;
    change(query);
    EXPECT_THROW(check(query), InvalidArgument);
    EXPECT_NE(digest(query), digest(good));
  };
  refused([](LocalQuery& query) { query.memberships[0] += 1; });
  refused([](LocalQuery& query) { query.memberships.pop_back(); });
  refused([](LocalQuery& query) { query.bits_epsilon = -1; });
  refused([](LocalQuery& query) { query.bits_epsilon = std::numeric_limits<double>::infinity(); });
  refused([](LocalQuery& query) { query.degrees_epsilon = 0; });
  refused([](LocalQuery& query) { query.nodes = 0; });
  refused([](LocalQuery& query) { query.clusters = 0; });
  refused([](LocalQuery& query) { query.ranks.assign(9, 0); });
  refused([](LocalQuery& query) {
    query.ranks.assign(10, 0);
    query.asked = PairReports::both_ends;
  });
}

TEST(LocalQuery, EveryDifferenceIsAnotherDigest) {
  const LocalQuery good = query_of(10, 2, PairReports::one_end);
  std::vector<LocalQuery> others(4, good);
  others[0].pair_key += 1;
  others[1].asked = PairReports::both_ends;
  others[2].bits_epsilon = 1.0000001;
  others[3].degrees_epsilon = 0.6;
  for (const LocalQuery& other : others) EXPECT_NE(digest(other), digest(good));
  EXPECT_EQ(digest(query_of(10, 2, PairReports::one_end)), digest(good));
}

}  // namespace
}  // namespace privet::privacy
