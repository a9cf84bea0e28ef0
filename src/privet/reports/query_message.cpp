#include "privet/reports/query_message.hpp"

#include <algorithm>
#include <bit>

#include "privet/base/error.hpp"
#include "privet/reports/wire.hpp"

namespace privet::privacy {
namespace {

constexpr std::byte kVersion{1};
// Who is asked about a pair.
constexpr std::byte kOneEnd{1};
constexpr std::byte kBothEnds{2};
constexpr std::byte kLowerRank{3};

std::byte ends_of(const LocalQuery& query) {
  if (query.asked == PairReports::both_ends) return kBothEnds;
  return query.ranks.empty() ? kOneEnd : kLowerRank;
}

void read_row(WireReader& reader, std::span<std::uint32_t> row) {
  const std::uint64_t cluster = reader.number();
  if (cluster > row.size()) reader.refuse("a cluster is out of range");
  if (cluster > 0) {
    row[cluster - 1] = kMembershipSteps;
    return;
  }
  std::uint64_t left = kMembershipSteps;
  for (std::size_t a = 0; a + 1 < row.size(); ++a) {
    const std::uint64_t steps = reader.number();
    if (steps > left || steps == kMembershipSteps) reader.refuse("memberships that are no parts of one");
    row[a] = static_cast<std::uint32_t>(steps);
    left -= steps;
  }
  if (left == kMembershipSteps) reader.refuse("memberships that are no parts of one");
  row.back() = static_cast<std::uint32_t>(left);
}

}  // namespace

std::vector<std::byte> encode(const LocalQuery& query) {
  check(query);
  std::vector<std::byte> bytes;
  bytes.push_back(kVersion);
  bytes.push_back(ends_of(query));
  put_word(std::bit_cast<std::uint64_t>(query.bits_epsilon), bytes);
  put_word(std::bit_cast<std::uint64_t>(query.degrees_epsilon), bytes);
  put_word(query.pair_key, bytes);
  put_number(query.nodes, bytes);
  put_number(query.clusters, bytes);
  for (const std::uint8_t rank : query.ranks) bytes.push_back(std::byte{rank});
  if (query.clusters == 0) return bytes;
  for (std::size_t i = 0; i < query.nodes; ++i) {
    const std::span<const std::uint32_t> row = query.memberships_of(static_cast<graph::NodeId>(i));
    const auto whole = std::ranges::find(row, kMembershipSteps);
    if (whole != row.end()) {
      put_number(static_cast<std::uint64_t>(whole - row.begin()) + 1, bytes);
      continue;
    }
    put_number(0, bytes);
    for (const std::uint32_t steps : row.first(row.size() - 1)) put_number(steps, bytes);
  }
  return bytes;
}

LocalQuery decode_query(std::span<const std::byte> bytes) {
  WireReader reader(bytes, "local query");
  if (reader.take(1).front() != kVersion) reader.refuse("another version of the format");
  const std::byte ends = reader.take(1).front();
  if (ends != kOneEnd && ends != kBothEnds && ends != kLowerRank)
    reader.refuse("neither one end of a pair nor both");
  LocalQuery query;
  query.asked = ends == kBothEnds ? PairReports::both_ends : PairReports::one_end;
  query.bits_epsilon = std::bit_cast<double>(reader.word());
  query.degrees_epsilon = std::bit_cast<double>(reader.word());
  query.pair_key = reader.word();
  query.nodes = reader.number();
  query.clusters = reader.number();
  if (ends == kLowerRank) {
    if (query.nodes == 0 || query.nodes > reader.left()) reader.refuse("bytes are missing");
    for (const std::byte rank : reader.take(query.nodes))
      query.ranks.push_back(std::to_integer<std::uint8_t>(rank));
  }
  if (query.clusters > 0) {
    // Before memory is asked for.
    if (query.nodes > reader.left()) reader.refuse("bytes are missing");
    if (query.nodes > kMostMemberships / query.clusters) reader.refuse("too many memberships");
    query.memberships.resize(query.nodes * query.clusters);
    for (std::size_t i = 0; i < query.nodes; ++i)
      read_row(reader, std::span(query.memberships).subspan(i * query.clusters, query.clusters));
  }
  if (reader.left() > 0) reader.refuse("bytes behind the end");
  try {
    check(query);
  } catch (const InvalidArgument& error) {
    reader.refuse(error.what());
  }
  return query;
}

}  // namespace privet::privacy
