#include "privet/proof/ledger/entry.hpp"

#include <array>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/sha256.hpp"

namespace privet::privacy {
namespace {

constexpr std::array<std::pair<LedgerEntryKind, std::string_view>, 5> kNames{{
    {LedgerEntryKind::kOpen, "open"},
    {LedgerEntryKind::kBudget, "budget"},
    {LedgerEntryKind::kData, "data"},
    {LedgerEntryKind::kReserve, "reserve"},
    {LedgerEntryKind::kCommit, "commit"},
}};

}  // namespace

std::string_view name(LedgerEntryKind kind) noexcept {
  for (const auto& [candidate, text] : kNames) {
    if (candidate == kind) return text;
  }
  return "";
}

LedgerEntryKind ledger_entry_kind(std::string_view text, const std::string& where) {
  for (const auto& [kind, candidate] : kNames) {
    if (candidate == text) return kind;
  }
  throw DataError({.what = "has an entry of an unknown kind", .where = where});
}

std::string chained_hash(std::string_view previous, const LedgerEntry& entry) {
  Sha256 hash;
  const auto add = [&hash](std::string_view text) {
    hash.update(std::uint64_t{text.size()});
    hash.update(text);
  };
  add("privet ledger 1");
  add(previous);
  hash.update(entry.sequence);
  add(name(entry.kind));
  add(entry.recorded);
  add(entry.unit);
  add(entry.data);
  hash.update(static_cast<std::uint64_t>(entry.cost.micro_epsilon));
  hash.update(static_cast<std::uint64_t>(entry.cost.atto_delta));
  hash.update(entry.reservation);
  add(entry.body);
  return to_hex(hash.finish());
}

}  // namespace privet::privacy
