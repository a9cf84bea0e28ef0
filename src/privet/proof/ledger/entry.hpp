#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "privet/proof/ledger/cost.hpp"

namespace privet::privacy {

/// What an entry of a ledger records.
enum class LedgerEntryKind {
  kOpen,     ///< the first entry: format of the ledger, digest of its blinding key
  kBudget,   ///< a cap for one unit of protection, first or anew
  kData,     ///< a version of the data set that this ledger is for
  kReserve,  ///< privacy spent, written before anything is released
  kCommit,   ///< the release of an earlier reservation took place
};

std::string_view name(LedgerEntryKind kind) noexcept;
/// A DataError for a text that names none.
LedgerEntryKind ledger_entry_kind(std::string_view text, const std::string& where);

/// One row of a ledger. Fields that a kind has no use for are empty or 0.
struct LedgerEntry {
  std::uint64_t sequence = 0;  ///< 1, 2, 3, ... without gaps
  LedgerEntryKind kind = LedgerEntryKind::kOpen;
  std::string recorded;           ///< when, as the writer of the entry said
  std::string unit;               ///< budget, reserve, commit
  std::string data;               ///< blinded fingerprint: data, reserve
  Cost cost;                      ///< budget: the cap; reserve: what it takes
  std::uint64_t reservation = 0;  ///< commit: the sequence of its reservation
  std::string body;               ///< a JSON object with the rest, see docs/privacy/ledger.md
  std::string hash;               ///< chained_hash() of all the above
};

/// What the first entry is chained to.
inline constexpr std::string_view kLedgerGenesis =
    "0000000000000000000000000000000000000000000000000000000000000000";

/// SHA-256 over the hash of the entry before and every field of this one but its own hash, each text
/// preceded by its length so that no two entries hash the same bytes.
std::string chained_hash(std::string_view previous, const LedgerEntry& entry);

}  // namespace privet::privacy
