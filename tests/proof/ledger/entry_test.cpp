#include "privet/proof/ledger/entry.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

LedgerEntry sample() {
  LedgerEntry entry;
  entry.sequence = 3;
  entry.kind = LedgerEntryKind::kReserve;
  entry.recorded = "2025-03-01T12:00:00Z";
  entry.unit = "edge";
  entry.data = "hmac-sha256:aa";
  entry.cost = {1'000'000, 1'000'000'000'000};
  entry.body = "{}";
  return entry;
}

TEST(LedgerEntry, KindsHaveNames) {
  for (const auto kind : {LedgerEntryKind::kOpen, LedgerEntryKind::kBudget, LedgerEntryKind::kData,
                          LedgerEntryKind::kReserve, LedgerEntryKind::kCommit}) {
    EXPECT_EQ(ledger_entry_kind(name(kind), ""), kind);
  }
  EXPECT_THROW(ledger_entry_kind("refund", "ledger"), DataError);
}

TEST(LedgerEntry, HashIsThatOfFormatOne) {
  // python3 -c 'import hashlib, struct
  // t = lambda s: struct.pack("<Q", len(s)) + s.encode(); n = lambda v: struct.pack("<Q", v)
  // print(hashlib.sha256(t("privet ledger 1") + t("0"*64) + n(3) + t("reserve") + t("2025-03-01T12:00:00Z")
  //   + t("edge") + t("hmac-sha256:aa") + n(10**6) + n(10**12) + n(0) + t("{}")).hexdigest())'
  EXPECT_EQ(chained_hash(kLedgerGenesis, sample()),
            "95d3e672df8f79dc39b3480b4d7558cc07d383020425e8c301dbfe8c764d7689");
}

TEST(LedgerEntry, HashCoversEveryFieldAndTheirBorders) {
  std::set<std::string> hashes{chained_hash(kLedgerGenesis, sample()),
                               chained_hash(std::string(63, '0') + "1", sample())};
  const std::vector<std::function<void(LedgerEntry&)>> changes = {
      [](LedgerEntry& e) { e.sequence = 4; },
      [](LedgerEntry& e) { e.kind = LedgerEntryKind::kCommit; },
      [](LedgerEntry& e) { e.recorded = "2025-03-01T12:00:01Z"; },
      [](LedgerEntry& e) { e.unit = "node:20"; },
      [](LedgerEntry& e) { e.data = "hmac-sha256:ab"; },
      [](LedgerEntry& e) { e.cost.micro_epsilon += 1; },
      [](LedgerEntry& e) { e.cost.atto_delta += 1; },
      [](LedgerEntry& e) { e.reservation = 1; },
      [](LedgerEntry& e) { e.body = "{ }"; },
      [](LedgerEntry& e) { e.unit += e.data[0], e.data.erase(0, 1); },
  };
  for (const auto& change : changes) {
    LedgerEntry entry = sample();
    change(entry);
    hashes.insert(chained_hash(kLedgerGenesis, entry));
  }
  EXPECT_EQ(hashes.size(), changes.size() + 2);
}

}  // namespace
}  // namespace privet::privacy
