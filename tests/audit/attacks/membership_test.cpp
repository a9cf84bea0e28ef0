#include "privet/audit/attacks/membership.hpp"

#include <gtest/gtest.h>

#include <set>

#include "audit/attacks/worlds.hpp"
#include "privet/methods/plain/gcn.hpp"

namespace privet::audit {
namespace {

TEST(MembershipTest, CohortsShareNobody) {
  const graph::Dataset data = alike_neighbors();
  SeededStream stream(1);
  const auto [target, shadow] = draw_cohorts(data, stream);
  std::set<graph::NodeId> seen;
  for (const Cohort* cohort : {&target, &shadow}) {
    EXPECT_EQ(cohort->members.size(), cohort->others.size());
    for (const auto* part : {&cohort->members, &cohort->others}) {
      for (const graph::NodeId node : *part) EXPECT_TRUE(seen.insert(node).second);
    }
  }
  EXPECT_GT(target.members.size(), 40U);
}

TEST(MembershipTest, ThePublishedNumberIsBalancedAccuracyByBatches) {
  // First batch: 1 of 2 members and 2 of 2 others are guessed right; the second has one kind only.
  const std::vector<bool> guesses = {true, false, false, false, true, true};
  const std::vector<bool> truth = {true, true, false, false, true, true};
  EXPECT_NEAR(published_auroc(guesses, truth, 4), 0.75, 1e-12);
}

// Few people, features that say little and long training: members' posteriors are sharp.
TEST(MembershipTest, AnOverfittedNetworkTellsItsMembers) {
  const graph::Dataset data = alike_neighbors(400, 0.1);
  methods::Gcn gcn;
  OptionTable table = gcn.options();
  table.set("epochs", "150");
  table.set("dropout", "0");
  table.set("weight_decay", "0");
  const SeededStream root(3);
  const std::vector<AttackResult> results = gmia(gcn, open_request(data), data, 3, root);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].variant, "clean");
  EXPECT_GT(results[0].roc->low, 0.5);
  EXPECT_NE(results[1].note.find("for comparison only"), std::string::npos);
}

}  // namespace
}  // namespace privet::audit
