#include "privet/proof/ledger/state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/base/json_field.hpp"
#include "privet/base/timestamp.hpp"
#include "privet/proof/fingerprint.hpp"

namespace privet::privacy {

void LedgerState::refuse(const LedgerEntry& entry, const std::string& what) const {
  throw DataError({.what = fmt::format("entry {} {}", entry.sequence, what),
                   .where = where_,
                   .remedy = "the ledger was damaged or edited; nothing is spent from it as it stands"});
}

const UnitBudget* LedgerState::budget(const std::string& unit) const noexcept {
  const auto found = std::find_if(budgets_.begin(), budgets_.end(),
                                  [&](const UnitBudget& budget) { return budget.unit == unit; });
  return found == budgets_.end() ? nullptr : &*found;
}

UnitBudget* LedgerState::find(const std::string& unit) noexcept {
  return const_cast<UnitBudget*>(budget(unit));
}

bool LedgerState::knows_data(const std::string& fingerprint) const noexcept {
  return std::find(data_.begin(), data_.end(), fingerprint) != data_.end();
}

void LedgerState::apply(const LedgerEntry& entry) {
  if (entry.sequence != head_.sequence + 1) {
    refuse(entry, fmt::format("follows entry {}: entries are missing between them", head_.sequence));
  }
  if (entry.hash != chained_hash(head_.hash, entry)) refuse(entry, "does not match its hash");
  if (!is_utc_timestamp(entry.recorded)) refuse(entry, "has no valid time");
  if (!is_cost(entry.cost)) refuse(entry, "has an amount out of range");
  if ((entry.kind == LedgerEntryKind::kOpen) != (entry.sequence == 1)) {
    refuse(entry, "opens a ledger in the wrong place");
  }
  switch (entry.kind) {
    case LedgerEntryKind::kOpen:
      apply_open(entry);
      break;
    case LedgerEntryKind::kBudget:
      apply_budget(entry);
      break;
    case LedgerEntryKind::kData:
      apply_data(entry);
      break;
    case LedgerEntryKind::kReserve:
      apply_reserve(entry);
      break;
    case LedgerEntryKind::kCommit:
      apply_commit(entry);
      break;
  }
  head_ = {entry.sequence, entry.hash};
}

void LedgerState::apply_open(const LedgerEntry& entry) {
  const Json body = parse_strict_json(entry.body, where_);
  key_digest_ = JsonField(body, where_).at("key_digest").text();
  created_ = entry.recorded;
}

void LedgerState::apply_budget(const LedgerEntry& entry) {
  if (entry.unit.empty()) refuse(entry, "sets a budget for no unit");
  if (UnitBudget* known = find(entry.unit)) {
    known->cap = entry.cost;
  } else {
    budgets_.push_back({.unit = entry.unit, .cap = entry.cost, .spent = {}});
  }
}

void LedgerState::apply_data(const LedgerEntry& entry) {
  if (!is_blinded_fingerprint(entry.data)) refuse(entry, "has no fingerprint of data");
  if (knows_data(entry.data)) refuse(entry, "repeats the data of an earlier one");
  data_.push_back(entry.data);
}

void LedgerState::apply_reserve(const LedgerEntry& entry) {
  UnitBudget* account = find(entry.unit);
  if (account == nullptr) refuse(entry, "spends in a unit without budget");
  if (!knows_data(entry.data)) refuse(entry, "spends on data that the ledger is not for");
  if (!fits(entry.cost, account->left())) refuse(entry, "spends more than was left");
  account->spent = plus(account->spent, entry.cost);
  ++account->releases;
  ++account->uncommitted;
  pending_.emplace(entry.sequence, entry.unit);
}

void LedgerState::apply_commit(const LedgerEntry& entry) {
  const auto pending = pending_.find(entry.reservation);
  if (pending == pending_.end() || pending->second != entry.unit) {
    refuse(entry, "commits what was not reserved");
  }
  --find(entry.unit)->uncommitted;
  pending_.erase(pending);
}

}  // namespace privet::privacy
