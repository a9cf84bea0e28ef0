#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "privet/proof/fingerprint.hpp"
#include "privet/proof/ledger.hpp"
#include "privet/proof/ledger/sqlite.hpp"

namespace privet::privacy {

/// The file of a ledger: its tables, its header, its key. Knows how entries are laid down and picked up
/// again; what they mean is LedgerState's business. Every reading and writing happens inside a transaction
/// that the caller holds.
class LedgerStore {
 public:
  /// Makes the file, 0600, with its first two entries; it appears under its name whole or not at all.
  static void create(const std::filesystem::path& file, const std::string& when, LedgerEntry budget);

  /// kRead also opens what can't be written: a file without write permission, in a folder without, or on a
  /// read-only medium. Nothing may be appended then.
  enum class Access { kWrite, kRead };

  /// Opens a file and checks that it is a ledger of this format.
  explicit LedgerStore(const std::filesystem::path& file, Access access = Access::kWrite);

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
  /// To be called when all is read: an IoError if somebody wrote meanwhile to a file that was opened without
  /// locks, so that what was read need not belong together.
  void check_undisturbed() const;

  [[nodiscard]] const BlindingKey& key() const noexcept { return key_; }
  [[nodiscard]] const std::string& name() const noexcept { return database_.name(); }

 private:
  /// What shows that a file was written to.
  struct Stamp {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type written;
    bool operator==(const Stamp&) const = default;
  };
  LedgerStore(const std::filesystem::path& file, sqlite::Database::Mode mode);
  static Stamp stamp_of(const std::filesystem::path& file);
  void check_header();
  void read_entries(LedgerState& state, std::vector<LedgerEntry>* keep);

  std::optional<Stamp> stamp_;  // of a file opened without locks; taken before it is opened
  sqlite::Database database_;
  BlindingKey key_{};
};

}  // namespace privet::privacy
