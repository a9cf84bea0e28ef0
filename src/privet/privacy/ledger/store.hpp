#pragma once

#include <filesystem>
#include <string>

#include "privet/privacy/fingerprint.hpp"
#include "privet/privacy/ledger.hpp"
#include "privet/privacy/ledger/sqlite.hpp"

namespace privet::privacy {

/// The file of a ledger: its tables, its header, its key. Knows how entries are laid down and picked up
/// again; what they mean is LedgerState's business. Every reading and writing happens inside a transaction
/// that the caller holds.
class LedgerStore {
 public:
  /// Makes the file, 0600, with its first two entries; it appears under its name whole or not at all.
  static void create(const std::filesystem::path& file, const std::string& when, LedgerEntry budget);

  /// Opens a file and checks that it is a ledger of this format.
  explicit LedgerStore(const std::filesystem::path& file);

  sqlite::Transaction begin(sqlite::Transaction::Kind kind) { return {database_, kind}; }

  /// Applies the entries that came after the state's head, and checks that the file's own note of its last
  /// entry agrees.
  void catch_up(LedgerState& state);
  /// Numbers and chains the entry, applies it to the state and writes it.
  void append(LedgerState& state, LedgerEntry entry);
  /// Every entry, checked from the first.
  LedgerView view();
  /// A DataError unless the key is the one that the first entry names.
  void check_key(const LedgerState& state) const;
  /// SQLite's own check of pages, rows and indexes.
  void check_structure();

  [[nodiscard]] const BlindingKey& key() const noexcept { return key_; }
  [[nodiscard]] const std::string& name() const noexcept { return database_.name(); }

 private:
  void check_header();
  void read_entries(LedgerState& state, std::vector<LedgerEntry>* keep);

  sqlite::Database database_;
  BlindingKey key_{};
};

}  // namespace privet::privacy
