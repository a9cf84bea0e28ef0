#include "privet/reports/report.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"

namespace privet::privacy {
namespace {

LocalQuery small_query() {
  const std::vector<std::int32_t> labels = {0, 1, 0, 1, 0, 1, 0, 1};
  return {.nodes = 8,
          .bits_epsilon = 1,
          .degrees_epsilon = 1,
          .asked = PairReports::both_ends,
          .clusters = 2,
          .memberships = hard_memberships(labels, 2)};
}

TEST(LocalReport, ComesBackAsItWasSent) {
  const LocalQuery query = small_query();
  const Digest which = digest(query);
  for (const LocalReport& report :
       {LocalReport{
            .own = 3, .query = which, .degrees = {-5, std::int64_t{1} << 51}, .ones = {0, 1, 2, 4, 7}},
        LocalReport{.own = 7, .query = which, .degrees = {0, -(std::int64_t{1} << 51)}, .ones = {}}}) {
    EXPECT_EQ(decode(encode(report), query, which), report);
  }
}

TEST(LocalReport, IsCompact) {
  LocalQuery query{.nodes = 100'000, .bits_epsilon = 3, .asked = PairReports::both_ends};
  LocalReport report{.own = 0, .query = digest(query)};
  for (graph::NodeId one = 5; one < 100'000; one += 20) report.ones.push_back(one);
  EXPECT_LE(encode(report).size(), report.ones.size() + 40);
  EXPECT_EQ(decode(encode(report), query, report.query), report);
}

TEST(LocalReport, RefusesBytesThatAreNotOne) {
  const LocalQuery query = small_query();
  const Digest which = digest(query);
  const LocalReport report{.own = 3, .query = which, .degrees = {300, -2}, .ones = {0, 5}};
  const std::vector<std::byte> good = encode(report);
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW((void)decode(std::span(good).first(length), query, which), DataError) << length;
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{0});
  EXPECT_THROW((void)decode(longer, query, which), DataError);
  const auto refused = [&](const LocalReport& other) {
    EXPECT_THROW((void)decode(encode(other), query, which), DataError);
  };
  refused({.own = 8, .query = which, .degrees = {0, 0}});
  refused({.own = 3, .query = {}, .degrees = {0, 0}});
  refused({.own = 3, .query = which, .degrees = {0, 0}, .ones = {3}});
  refused({.own = 3, .query = which, .degrees = {0, 0}, .ones = {8}});
  // 5 written in two bytes is 5 too, but not its only form.
  std::vector<std::byte> padded = good;
  padded.back() = std::byte{0x84};
  padded.push_back(std::byte{0});
  EXPECT_THROW((void)decode(padded, query, which), DataError);
  LocalQuery one_end = query;
  one_end.asked = PairReports::one_end;
  const graph::NodeId unasked = asks(one_end, 3, 5) ? 5 : 3;
  const graph::NodeId about = unasked == 3 ? 5 : 3;
  const Digest other = digest(one_end);
  EXPECT_THROW((void)decode(encode({.own = unasked, .query = other, .degrees = {0, 0}, .ones = {about}}),
                            one_end, other),
               DataError);
}

// Bytes changed at random either are refused or are the one encoding of what they decode to.
TEST(LocalReport, EveryReportHasOneEncoding) {
  const LocalQuery query = small_query();
  const Digest which = digest(query);
  const std::vector<std::byte> good =
      encode({.own = 3, .query = which, .degrees = {300, -2}, .ones = {0, 2, 5, 7}});
  SeededStream stream(1);
  int decoded = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::vector<std::byte> bytes = good;
    for (std::uint64_t changes = 1 + stream.below(2); changes > 0; --changes)
      bytes[33 + stream.below(bytes.size() - 33)] = static_cast<std::byte>(stream.below(256));
    if (stream.below(4) == 0) bytes.resize(33 + stream.below(bytes.size() - 32));
    try {
      const LocalReport report = decode(bytes, query, which);
      EXPECT_EQ(encode(report), bytes);
      ++decoded;
    } catch (const DataError&) {
    }
  }
  EXPECT_GT(decoded, 100);
}

}  // namespace
}  // namespace privet::privacy
