#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "privet/base/sha256.hpp"
#include "privet/reports/query.hpp"

namespace privet::privacy {

/// What one client answers to a query: private no more.
struct LocalReport {
  graph::NodeId own = 0;
  Digest query = {};                       ///< which question it answers
  std::vector<std::int64_t> degrees = {};  ///< noisy, in membership steps, one per cluster
  std::vector<graph::NodeId> ones = {};    ///< bits told as 1, ascending

  bool operator==(const LocalReport&) const = default;
};

/// On the wire: a version, the digest, then numbers of 7 bits per byte: own, degrees (zigzag), how many ones,
/// and the gaps between them. A one among many zeros takes a byte or two.
std::vector<std::byte> encode(const LocalReport& report);

/// The report, once it is sure that it answers this query: a DataError for bytes that are cut off or too
/// many, numbers not written in their shortest form, another query's digest, ids out of order or range, bits
/// that were not asked for, degrees beyond 2^52 steps. Every report has exactly one encoding.
LocalReport decode(std::span<const std::byte> bytes, const LocalQuery& query, const Digest& query_digest);

}  // namespace privet::privacy
