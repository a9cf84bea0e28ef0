#pragma once

#include <map>
#include <string>
#include <vector>

#include "privet/proof/ledger/anchor.hpp"
#include "privet/proof/ledger/entry.hpp"

namespace privet::privacy {

/// How one unit of protection stands.
struct UnitBudget {
  std::string unit;
  Cost cap;
  Cost spent;                     ///< every reservation, committed or not
  std::uint64_t releases = 0;     ///< reservations
  std::uint64_t uncommitted = 0;  ///< of these, whose release was never confirmed: they count as spent
  [[nodiscard]] Cost left() const noexcept { return what_is_left(cap, spent); }
};

/// What the entries of a ledger add up to. Entries go in one by one, in order, and each is checked against
/// all before it: hash chain, numbering, caps, what a commit refers to. There is no other way to a balance,
/// so none is ever taken from entries that were tampered with.
class LedgerState {
 public:
  /// `where` names the ledger in messages.
  explicit LedgerState(std::string where) : where_(std::move(where)) {}

  /// A DataError names the entry that does not follow from those before it; the state then stays as it was.
  void apply(const LedgerEntry& entry);

  /// The last entry; sequence 0 before the first.
  [[nodiscard]] const LedgerAnchor& head() const noexcept { return head_; }
  [[nodiscard]] const std::string& created() const noexcept { return created_; }
  /// Units in the order in which they first got a budget.
  [[nodiscard]] const std::vector<UnitBudget>& budgets() const noexcept { return budgets_; }
  /// The budget of a unit, or null.
  [[nodiscard]] const UnitBudget* budget(const std::string& unit) const noexcept;
  /// Blinded fingerprints of the versions of the data set, in order.
  [[nodiscard]] const std::vector<std::string>& data() const noexcept { return data_; }
  [[nodiscard]] bool knows_data(const std::string& fingerprint) const noexcept;
  /// Whether the entry is a reservation without commit.
  [[nodiscard]] bool is_pending(std::uint64_t sequence) const noexcept { return pending_.contains(sequence); }
  /// SHA-256 of the blinding key, as the first entry has it.
  [[nodiscard]] const std::string& key_digest() const noexcept { return key_digest_; }

 private:
  [[noreturn]] void refuse(const LedgerEntry& entry, const std::string& what) const;
  void apply_open(const LedgerEntry& entry);
  void apply_budget(const LedgerEntry& entry);
  void apply_data(const LedgerEntry& entry);
  void apply_reserve(const LedgerEntry& entry);
  void apply_commit(const LedgerEntry& entry);
  UnitBudget* find(const std::string& unit) noexcept;

  std::string where_;
  LedgerAnchor head_{.sequence = 0, .hash = std::string(kLedgerGenesis)};
  std::string created_;
  std::string key_digest_;
  std::vector<UnitBudget> budgets_;
  std::vector<std::string> data_;
  std::map<std::uint64_t, std::string> pending_;  // reservation -> unit
};

}  // namespace privet::privacy
