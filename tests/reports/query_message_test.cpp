#include "privet/reports/query_message.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"

namespace privet::privacy {
namespace {

constexpr std::size_t kHeader = 26;  // before the numbers

// Nodes 0 and 2 wholly in a cluster, 1 and 3 in parts of several.
LocalQuery mixed_query() {
  constexpr std::uint32_t kAll = kMembershipSteps;
  return {.nodes = 4,
          .bits_epsilon = 1.25,
          .degrees_epsilon = 0.1,
          .asked = PairReports::both_ends,
          .pair_key = 0xfedcba9876543210U,
          .clusters = 3,
          .memberships = {kAll, 0, 0, 1, kAll - 3, 2, 0, 0, kAll, kAll / 2, kAll / 2, 0}};
}

TEST(QueryMessage, ComesBackAsItWasSent) {
  const std::vector<std::int32_t> labels = {0, 1, 0, 0, 1};
  for (const LocalQuery& query : {mixed_query(), LocalQuery{.nodes = 7, .bits_epsilon = 27},
                                  LocalQuery{.nodes = 5,
                                  .degrees_epsilon = 2,
                                  .asked = PairReports::one_end,
                                  .pair_key = 3,
                                  .clusters = 2,
                                  .memberships = hard_memberships(labels, 2)},
                                  LocalQuery{.nodes = 5,
                                  .degrees_epsilon = 2,
                                  .pair_key = 3,
                                  .ranks = {0, 1, 255, 1, 0},
                                  .clusters = 2,
                                  .memberships = hard_memberships(labels, 2)},
                                  LocalQuery{.nodes = 3, .bits_epsilon = 1, .ranks = {2, 1, 0}},
                                  LocalQuery{.nodes = 2,
                                  .degrees_epsilon = 1,
                                  .clusters = 1,
                                  .memberships = {kMembershipSteps, kMembershipSteps}}}) {
    const LocalQuery back = decode_query(encode(query));
    EXPECT_EQ(back, query);
    EXPECT_EQ(digest(back), digest(query));
  }
}

TEST(QueryMessage, IsCompact) {
  LocalQuery query{.nodes = 10'000, .bits_epsilon = 1, .degrees_epsilon = 1, .clusters = 18};
  query.memberships = hard_memberships(std::vector<std::int32_t>(10'000, 17), 18);
  EXPECT_LE(encode(query).size(), 10'000 + kHeader + 4);
  EXPECT_THROW((void)encode(LocalQuery{}), InvalidArgument);
}

TEST(QueryMessage, RefusesBytesThatAreNotOne) {
  const std::vector<std::byte> good = encode(mixed_query());
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW((void)decode_query(std::span(good).first(length)), DataError) << length;
  const auto refused_with = [&](std::size_t at, std::initializer_list<int> values) {
    std::vector<std::byte> bytes = good;
    bytes.resize(std::max(bytes.size(), at + values.size()));
    for (const int value : values) bytes[at++] = static_cast<std::byte>(value);
    EXPECT_THROW((void)decode_query(bytes), DataError) << at;
  };
  refused_with(good.size(), {0});
  refused_with(0, {2});
  refused_with(1, {0});
  refused_with(1, {3});
  refused_with(8, {0xf8, 0xff});            // an epsilon that is no number
  refused_with(9, {0xbf});                  // one below 0
  refused_with(kHeader + 2, {4});           // a cluster that there is not
  refused_with(kHeader + 2, {0x81, 0x00});  // not the shortest form
}

// A node wholly in one cluster has a form of its own, wherever the cluster is.
TEST(QueryMessage, RefusesWholeNodesWrittenOut) {
  const LocalQuery query{
      .nodes = 1, .degrees_epsilon = 1, .clusters = 2, .memberships = {kMembershipSteps, 0}};
  std::vector<std::byte> bytes = encode(query);
  bytes.pop_back();
  std::vector<std::byte> first = bytes;
  for (const int byte : {0x00, 0x80, 0x80, 0x40}) first.push_back(static_cast<std::byte>(byte));  // 2^20
  EXPECT_THROW((void)decode_query(first), DataError);
  std::vector<std::byte> last = bytes;
  for (const int byte : {0x00, 0x00}) last.push_back(static_cast<std::byte>(byte));
  EXPECT_THROW((void)decode_query(last), DataError);
}

// A short message does not make a client ask for memory: many nodes, many clusters, or both.
TEST(QueryMessage, RefusesMoreThanAClientHolds) {
  std::vector<std::byte> bytes = encode(mixed_query());
  bytes.resize(kHeader);
  for (const int byte : {0xff, 0xff, 0xff, 0xff, 0x07, 0x01}) bytes.push_back(static_cast<std::byte>(byte));
  EXPECT_THROW((void)decode_query(bytes), DataError);
  bytes.resize(kHeader);
  for (const int byte : {0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x01})
    bytes.push_back(static_cast<std::byte>(byte));
  EXPECT_THROW((void)decode_query(bytes), DataError);
}

// Bytes changed at random either are refused or are the one encoding of what they decode to.
TEST(QueryMessage, EveryQueryHasOneEncoding) {
  const std::vector<std::byte> good = encode(mixed_query());
  SeededStream stream(1);
  int decoded = 0;
  for (int trial = 0; trial < 50'000; ++trial) {
    std::vector<std::byte> bytes = good;
    for (std::uint64_t changes = 1 + stream.below(2); changes > 0; --changes)
      bytes[stream.below(bytes.size())] = static_cast<std::byte>(stream.below(256));
    if (stream.below(4) == 0) bytes.resize(1 + stream.below(bytes.size()));
    try {
      const LocalQuery query = decode_query(bytes);
      EXPECT_EQ(encode(query), bytes);
      ++decoded;
    } catch (const DataError&) {
    }
  }
  EXPECT_GT(decoded, 1000);
}

}  // namespace
}  // namespace privet::privacy
