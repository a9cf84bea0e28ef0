#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "privet/accounting/conversion.hpp"
#include "privet/base/sha256.hpp"
#include "privet/core/memberships.hpp"
#include "privet/graph/graph.hpp"

namespace privet::privacy {

/// What a server asks every client: nothing in it depends on anybody's list. A client answers with
///
///   bits     each bit of its list that is asked for, flipped with probability 1 / (1 + e^bits_epsilon)
///   degrees  how many of those neighbours are in each cluster (in memberships), plus discrete Laplace noise
///            of degrees_epsilon
///
/// where an epsilon of 0 means that the part is not asked for. One bit of one list costs bits_epsilon +
/// degrees_epsilon (Xie et al. 2025, Theorem 1).
struct LocalQuery {
  std::size_t nodes = 0;
  double bits_epsilon = 0;
  double degrees_epsilon = 0;
  /// Both ends of a pair tell their bit and count each other; or one of the two does: that of the lower rank,
  /// of equal ranks the one that a hash of the pair under the public `pair_key` chooses. Then a relationship
  /// costs what one bit costs.
  PairReports asked = PairReports::one_end;
  std::uint64_t pair_key = 0;
  std::vector<std::uint8_t> ranks = {};  ///< one for each node, or none: all equal
  std::size_t clusters = 0;
  std::vector<std::uint32_t> memberships = {};  ///< nodes x clusters, in steps

  [[nodiscard]] std::span<const std::uint32_t> memberships_of(graph::NodeId node) const {
    return std::span(memberships).subspan(node * clusters, clusters);
  }
  bool operator==(const LocalQuery&) const = default;
};

/// InvalidArgument unless degrees can be counted by so many clusters.
void require_clusters(std::size_t clusters);

/// InvalidArgument unless every number is in range and every node's memberships add up to one.
void check(const LocalQuery& query);

/// Two queries are the same if and only if their digests are: what a client remembers its answers by.
Digest digest(const LocalQuery& query);

/// What decides which end of a pair is asked: queries with the same pairing never ask different ones.
Digest pairing(const LocalQuery& query);

/// Whether `own` is asked about its bit for `other`. Of two different nodes one or both are.
bool asks(const LocalQuery& query, graph::NodeId own, graph::NodeId other);

/// Upper bounds on what an answer costs.
double cost_of_bit(const LocalQuery& query);
double cost_of_relationship(const LocalQuery& query);

/// What a client counts before noise: for each cluster the memberships, in steps, of the neighbours that
/// `own` is asked about. `neighbors` ascends without repeats. The L1 norm moves by kMembershipSteps with one
/// neighbour.
std::vector<std::int64_t> degree_steps(const std::vector<graph::NodeId>& neighbors, const LocalQuery& query,
                                       graph::NodeId own);

}  // namespace privet::privacy
