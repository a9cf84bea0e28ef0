#include "privet/proof/ledger/state.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

const std::string kData = "hmac-sha256:" + std::string(64, 'a');

/// Feeds a state with entries that are chained properly, so that only their meaning can be at fault.
class Feeder {
 public:
  LedgerState state{"test"};

  void feed(LedgerEntryKind kind, const std::string& unit = "", Cost cost = {}, std::uint64_t reservation = 0,
            const std::string& data = "") {
    LedgerEntry entry;
    entry.sequence = state.head().sequence + 1;
    entry.kind = kind;
    entry.recorded = "2025-03-01T12:00:00Z";
    entry.unit = unit;
    entry.data = data;
    entry.cost = cost;
    entry.reservation = reservation;
    entry.body = R"({"key_digest":"k"})";
    entry.hash = chained_hash(state.head().hash, entry);
    state.apply(entry);
  }
  void start() {
    feed(LedgerEntryKind::kOpen);
    feed(LedgerEntryKind::kBudget, "edge", {10, 10});
    feed(LedgerEntryKind::kData, "", {}, 0, kData);
  }
  void reserve(const std::string& unit, Cost cost) { feed(LedgerEntryKind::kReserve, unit, cost, 0, kData); }
};

TEST(LedgerState, AddsUpPerUnit) {
  Feeder feeder;
  feeder.start();
  feeder.feed(LedgerEntryKind::kBudget, "node:20", {100, 100});
  feeder.reserve("edge", {4, 1});
  feeder.reserve("node:20", {50, 60});
  feeder.reserve("edge", {6, 9});
  feeder.feed(LedgerEntryKind::kCommit, "edge", {}, 5);
  const UnitBudget* edge = feeder.state.budget("edge");
  ASSERT_NE(edge, nullptr);
  EXPECT_EQ(edge->spent, (Cost{10, 10}));
  EXPECT_EQ(edge->left(), Cost{});
  EXPECT_EQ(edge->releases, 2u);
  EXPECT_EQ(edge->uncommitted, 1u);
  EXPECT_EQ(feeder.state.budget("node:20")->left(), (Cost{50, 40}));
  EXPECT_EQ(feeder.state.budget("node:21"), nullptr);
  EXPECT_FALSE(feeder.state.is_pending(5));
  EXPECT_TRUE(feeder.state.is_pending(7));
}

TEST(LedgerState, RefusesWhatCantHaveHappened) {
  const auto refused = [](auto step) {
    Feeder feeder;
    feeder.start();
    feeder.reserve("edge", {4, 4});
    const LedgerAnchor head = feeder.state.head();
    EXPECT_THROW(step(feeder), DataError);
    EXPECT_EQ(feeder.state.head(), head);
    EXPECT_EQ(feeder.state.budget("edge")->spent, (Cost{4, 4}));
  };
  refused([](Feeder& f) { f.reserve("edge", {7, 0}); });
  refused([](Feeder& f) { f.reserve("edge", {0, 7}); });
  refused([](Feeder& f) { f.reserve("edge", {-1, 0}); });
  refused([](Feeder& f) { f.reserve("node:20", {1, 1}); });
  refused([](Feeder& f) { f.feed(LedgerEntryKind::kReserve, "edge", {1, 1}, 0, "hmac-sha256:other"); });
  refused([](Feeder& f) { f.feed(LedgerEntryKind::kData, "", {}, 0, kData); });
  refused([](Feeder& f) { f.feed(LedgerEntryKind::kData, "", {}, 0, "plain"); });
  refused([](Feeder& f) { f.feed(LedgerEntryKind::kBudget, "", {1, 1}); });
  refused([](Feeder& f) { f.feed(LedgerEntryKind::kCommit, "edge", {}, 3); });
  refused([](Feeder& f) { f.feed(LedgerEntryKind::kCommit, "node:20", {}, 4); });
  refused([](Feeder& f) { f.feed(LedgerEntryKind::kOpen); });
}

TEST(LedgerState, ACommitHappensOnce) {
  Feeder feeder;
  feeder.start();
  feeder.reserve("edge", {4, 4});
  feeder.feed(LedgerEntryKind::kCommit, "edge", {}, 4);
  EXPECT_THROW(feeder.feed(LedgerEntryKind::kCommit, "edge", {}, 4), DataError);
}

TEST(LedgerState, ALoweredCapStopsSpendingButKeepsTheSum) {
  Feeder feeder;
  feeder.start();
  feeder.reserve("edge", {4, 4});
  feeder.feed(LedgerEntryKind::kBudget, "edge", {2, 20});
  EXPECT_EQ(feeder.state.budget("edge")->left(), (Cost{0, 16}));
  EXPECT_THROW(feeder.reserve("edge", {1, 0}), DataError);
  feeder.feed(LedgerEntryKind::kBudget, "edge", {5, 20});
  feeder.reserve("edge", {1, 0});
  EXPECT_EQ(feeder.state.budget("edge")->spent, (Cost{5, 4}));
}

}  // namespace
}  // namespace privet::privacy
