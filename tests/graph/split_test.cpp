#include "privet/graph/split.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "privet/base/error.hpp"

namespace privet::graph {
namespace {

Dataset labeled(std::size_t nodes) {
  Dataset d;
  d.name = "d";
  d.graph = Graph(nodes, {}, Direction::undirected);
  d.labels.resize(nodes);
  for (std::size_t i = 0; i < nodes; ++i) d.labels[i] = static_cast<std::int32_t>(i % 3);
  d.classes = 3;
  return d;
}

std::string fault_of(const Dataset& d, const char* text) {
  SeededStream stream(1);
  try {
    make_split(d, text, stream);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Split, SharesOfTheLabeledNodes) {
  Dataset d = labeled(1000);
  for (std::size_t i = 900; i < 1000; ++i) d.labels[i] = kUnlabeled;
  SeededStream stream(1);
  const Split split = make_split(d, "75/10/15", stream);
  EXPECT_EQ(split.name, "75/10/15");
  EXPECT_EQ(split.count(Role::train), 675u);
  EXPECT_EQ(split.count(Role::validation), 90u);
  EXPECT_EQ(split.count(Role::test), 135u);
  for (std::size_t i = 900; i < 1000; ++i) EXPECT_EQ(split.roles[i], Role::none);
}

TEST(Split, SharesNeedNotUseEveryNode) {
  SeededStream stream(1);
  const Split split = make_split(labeled(1000), "2.5/2.5/90", stream);
  EXPECT_EQ(split.count(Role::train), 25u);
  EXPECT_EQ(split.count(Role::none), 50u);
}

TEST(Split, SameSeedSameSplitAndAnotherSeedAnother) {
  SeededStream a(1);
  SeededStream b(1);
  SeededStream c(2);
  EXPECT_EQ(make_split(labeled(100), "50/25/25", a), make_split(labeled(100), "50/25/25", b));
  EXPECT_NE(make_split(labeled(100), "50/25/25", c), make_split(labeled(100), "50/25/25", b));
}

TEST(Split, StoredSplitsTakeTurnsOverTheRuns) {
  Dataset d = labeled(6);
  for (const char* name : {"a", "b", "c"}) {
    d.splits.push_back({.name = name, .roles = std::vector<Role>(6, Role::train)});
    d.splits.back().roles[d.splits.size()] = Role::test;
  }
  EXPECT_EQ(stored_split_of_run(d, "file:each", 1), "file:a");
  EXPECT_EQ(stored_split_of_run(d, "file:each", 2), "file:b");
  EXPECT_EQ(stored_split_of_run(d, "file:each", 4), "file:a");
  EXPECT_EQ(stored_split_of_run(d, "file:each", 0), "file:c");
  EXPECT_EQ(stored_split_of_run(d, "75/10/15", 2), "75/10/15");
}

TEST(Split, WithoutASeedAStoredSplitIsDrawn) {
  Dataset d = labeled(6);
  EXPECT_NE(fault_of(d, "file:each").find("stores no split"), std::string::npos);
  for (const char* name : {"a", "b", "c"}) {
    d.splits.push_back({.name = name, .roles = std::vector<Role>(6, Role::train)});
    d.splits.back().roles[d.splits.size()] = Role::test;
  }
  std::array<int, 6> tests{};
  SeededStream stream(1);
  for (int i = 0; i < 100; ++i) ++tests[make_split(d, "file:each", stream).nodes(Role::test).front()];
  for (const std::size_t node : {1u, 2u, 3u}) EXPECT_GT(tests[node], 10);
}

TEST(Split, CountsPerClass) {
  SeededStream stream(1);
  const Dataset d = labeled(300);
  const Split split = make_split(d, "per-class:20/50/100", stream);
  std::vector<int> per_class(3);
  for (const NodeId i : split.nodes(Role::train)) ++per_class[static_cast<std::size_t>(d.labels[i])];
  EXPECT_EQ(per_class, (std::vector<int>{20, 20, 20}));
  EXPECT_EQ(split.count(Role::validation), 50u);
  EXPECT_EQ(split.count(Role::test), 100u);
}

TEST(Split, StoredOnesByName) {
  Dataset d = labeled(3);
  d.splits = {{"public", {Role::train, Role::validation, Role::test}},
              {"0", {Role::test, Role::test, Role::train}}};
  SeededStream stream(1);
  EXPECT_EQ(make_split(d, "planetoid", stream).roles, d.splits[0].roles);
  EXPECT_EQ(make_split(d, "file:0", stream).roles, d.splits[1].roles);
  EXPECT_EQ(fault_of(d, "file:1"), "split: 'd' has no stored split '1'; did you mean '0'?");
  EXPECT_EQ(fault_of(labeled(3), "planetoid"),
            "split: 'd' has no stored split 'public'; it stores none; use shares such as 75/10/15");
}

TEST(Split, FaultsSayWhatWasExpected) {
  EXPECT_EQ(fault_of(labeled(10), "80/10/20"),
            "split: shares 80/10/20 (expected three shares in percent that add up to at most 100)");
  EXPECT_EQ(
      fault_of(labeled(10), "80/20"),
      "split: '80/20' (expected TRAIN/VALIDATION/TEST in percent, per-class:A/B/C, planetoid or file:NAME)");
  EXPECT_EQ(fault_of(labeled(10), "per-class:5/1/1"),
            "split: class 0 has 4 labeled nodes (expected at least 5)");
  EXPECT_EQ(fault_of(labeled(10), "per-class:3/1/9"),
            "split: 1 nodes are left for validation and test (expected at least 10)");
  Dataset no_labels = labeled(3);
  no_labels.labels.clear();
  EXPECT_EQ(fault_of(no_labels, "75/10/15"), "split: 'd' has no labels to split");
}

// Chi-square with 23 degrees of freedom over the 24 orders; 71.0 is exceeded with probability 1e-6.
TEST(Shuffle, EveryOrderEquallyLikely) {
  SeededStream stream(5);
  std::vector<double> counts(256);
  constexpr double kDraws = 24'000;
  for (int k = 0; k < kDraws; ++k) {
    std::vector<NodeId> order = {0, 1, 2, 3};
    shuffle(order, stream);
    ++counts[order[0] + 4 * order[1] + 16 * order[2] + 64 * order[3]];
  }
  double chi_square = 0;
  int seen = 0;
  for (const double count : counts) {
    if (count == 0) continue;
    ++seen;
    chi_square += (count - 1000) * (count - 1000) / 1000;
  }
  EXPECT_EQ(seen, 24);
  EXPECT_LT(chi_square, 71.0);
}

}  // namespace
}  // namespace privet::graph
