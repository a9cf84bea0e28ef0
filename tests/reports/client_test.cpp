#include "privet/reports/client.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"
#include "reports/worst_pair.hpp"

namespace privet::privacy {
namespace {

using graph::NodeId;

LocalQuery query_with(double bits, double degrees, PairReports asked = PairReports::both_ends) {
  const std::vector<std::int32_t> labels = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  return {.nodes = 10,
          .bits_epsilon = bits,
          .degrees_epsilon = degrees,
          .asked = asked,
          .pair_key = 9,
          .clusters = degrees > 0 ? 2U : 0U,
          .memberships = degrees > 0 ? hard_memberships(labels, 2) : std::vector<std::uint32_t>()};
}

LocalClient client_of(std::vector<NodeId> list, double allowance, std::uint64_t seed = 1) {
  return {4, Secret<std::vector<NodeId>>(std::move(list)), Epsilon(allowance),
          std::make_unique<SeededStream>(seed)};
}

// 40,000 reports of each world here, a million in the slow test. Above the stated value only with
// probability 2e-6 for each line.
TEST(LocalClient, CostsWhatItSays) {
  const testing::WorstPair seen = testing::draw_worst_pair(1, 0.5, 40'000);
  EXPECT_LE(testing::measured_epsilon(seen.bit), 1);
  EXPECT_GE(testing::measured_epsilon(seen.bit), 0.9);
  EXPECT_LE(testing::measured_epsilon(seen.degrees), 0.5);
  EXPECT_GE(testing::measured_epsilon(seen.degrees), 0.4);
  EXPECT_LE(testing::measured_epsilon(seen.both), 1.5);
  EXPECT_GE(testing::measured_epsilon(seen.both), 1.35);
}

TEST(LocalClient, RepeatsItself) {
  for (const PairReports asked : {PairReports::both_ends, PairReports::one_end}) {
    LocalClient client = client_of({1, 2, 8}, 2);
    const std::vector<std::byte> first = client.answer(LocalQuestion(query_with(1, 1, asked)));
    for (int again = 0; again < 20; ++again)
      EXPECT_EQ(client.answer(LocalQuestion(query_with(1, 1, asked))), first);
    EXPECT_DOUBLE_EQ(client.spent(), 2);
    EXPECT_EQ(client.log().releases().size(), 2U);
  }
}

TEST(LocalClient, ChargesEveryOtherQueryOrRefusesIt) {
  LocalClient client = client_of({1, 2, 8}, 3);
  const std::vector<std::byte> first = client.answer(LocalQuestion(query_with(1, 1)));
  EXPECT_THROW((void)client.answer(LocalQuestion(query_with(1, 0.5))), BudgetExceeded);
  EXPECT_DOUBLE_EQ(client.spent(), 2);
  const std::vector<std::byte> second = client.answer(LocalQuestion(query_with(1, 0)));
  EXPECT_NE(first, second);
  EXPECT_DOUBLE_EQ(client.spent(), 3);
  EXPECT_THROW((void)client.answer(LocalQuestion(query_with(0.001, 0))), BudgetExceeded);
  // What was answered can still be repeated.
  EXPECT_EQ(client.answer(LocalQuestion(query_with(1, 1))), first);
}

// Two queries within the allowances of both ends must not ask both of them about one pair.
TEST(LocalClient, KeepsToItsFirstPairKey) {
  LocalQuery query = query_with(1, 0, PairReports::one_end);
  LocalClient client = client_of({1, 2, 8}, 10);
  (void)client.answer(LocalQuestion(query));
  query.bits_epsilon = 2;
  (void)client.answer(LocalQuestion(query));
  query.pair_key += 1;
  EXPECT_THROW((void)client.answer(LocalQuestion(query)), Unsound);
  EXPECT_DOUBLE_EQ(client.spent(), 3);
}

TEST(LocalClient, KeepsToItsFirstRanks) {
  LocalQuery query = query_with(1, 0, PairReports::one_end);
  LocalClient client = client_of({1, 2, 8}, 10);
  (void)client.answer(LocalQuestion(query));
  query.ranks.assign(query.nodes, 0);
  query.ranks[8] = 1;
  EXPECT_THROW((void)client.answer(LocalQuestion(query)), Unsound);
  EXPECT_DOUBLE_EQ(client.spent(), 1);
}

// A query that is refused leaves nothing behind: not even the key that later ones must have.
TEST(LocalClient, PinsNoKeyThatWasNotPaidFor) {
  LocalQuery query = query_with(5, 0, PairReports::one_end);
  LocalClient client = client_of({1, 2, 8}, 3);
  EXPECT_THROW((void)client.answer(LocalQuestion(query)), BudgetExceeded);
  query.bits_epsilon = 1;
  query.pair_key += 1;
  EXPECT_NO_THROW((void)client.answer(LocalQuestion(query)));
}

TEST(LocalClient, RefusesTheOtherZero) {
  EXPECT_THROW(LocalQuestion(query_with(1, -0.0, PairReports::one_end)), InvalidArgument);
}

TEST(LocalClient, ItsListIsASet) {
  const LocalQuestion question(query_with(1, 1));
  LocalClient plain = client_of({1, 2, 8}, 2);
  LocalClient mixed = client_of({8, 1, 1, 4, 2, 8}, 2);
  EXPECT_EQ(plain.answer(question), mixed.answer(question));
}

TEST(LocalClient, TellsNothingOfPairsThatOthersAreAskedAbout) {
  const LocalQuery query = query_with(1, 1, PairReports::one_end);
  const LocalQuestion question(query);
  std::vector<NodeId> unasked;
  for (NodeId j = 0; j < 10; ++j) {
    if (j != 4 && !asks(query, 4, j)) unasked.push_back(j);
  }
  ASSERT_FALSE(unasked.empty());
  ASSERT_LT(unasked.size(), 9U);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    LocalClient with = client_of(unasked, 2, seed);
    LocalClient without = client_of({}, 2, seed);
    EXPECT_EQ(with.answer(question), without.answer(question));
  }
}

TEST(LocalClient, AnswersHalfAQuery) {
  LocalClient client = client_of({1, 2, 8}, 2);
  const LocalQuestion bits(query_with(1, 0));
  EXPECT_TRUE(decode(client.answer(bits), bits.query(), bits.query_digest()).degrees.empty());
  const LocalQuestion degrees(query_with(0, 1));
  EXPECT_TRUE(decode(client.answer(degrees), degrees.query(), degrees.query_digest()).ones.empty());
  EXPECT_DOUBLE_EQ(client.spent(), 2);
}

TEST(LocalClient, RefusesAQueryThatDoesNotKnowIt) {
  LocalClient client(10, Secret<std::vector<NodeId>>(std::vector<NodeId>{1}), Epsilon(9),
                     std::make_unique<SeededStream>(1));
  EXPECT_THROW((void)client.answer(LocalQuestion(query_with(1, 1))), InvalidArgument);
  EXPECT_EQ(client.spent(), 0);
}

}  // namespace
}  // namespace privet::privacy
