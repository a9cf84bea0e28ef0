// What verify_ledger() finds, and what it can't: docs/privacy/ledger.md makes these promises.

#include <gtest/gtest.h>

#include <fstream>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/random.hpp"
#include "privet/proof/ledger/sqlite.hpp"
#include "privet/proof/ledger_report.hpp"
#include "proof/sample_ledger.hpp"
#include "proof/scratch_folder.hpp"

namespace privet::privacy {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the samples, not GoogleTest's

class LedgerTampering : public ::testing::Test {
 protected:
  LedgerTampering() { view_ = sample_ledger(file()).view(); }

  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "ledger.sqlite"; }

  /// Edits the ledger as somebody would who knows SQLite: without the triggers, which are put back after.
  void edit(const std::string& sql) const {
    sqlite::Database database(file(), sqlite::Database::Mode::kExisting);
    std::vector<std::string> triggers;
    sqlite::Statement rows = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'");
    while (rows.step()) triggers.push_back(rows.text(0));
    database.run("DROP TRIGGER entries_never_change; DROP TRIGGER entries_never_go");
    database.run(sql.c_str());
    for (const std::string& trigger : triggers) database.run(trigger.c_str());
  }

  /// The fault that verify and open both find in an edited copy of the ledger; "none" if neither does.
  [[nodiscard]] std::string found_after(const std::string& sql) const {
    const ScratchFolder aside;
    std::filesystem::copy_file(file(), aside.path() / "ledger");
    edit(sql);
    std::string fault = "none";
    try {
      verify_ledger(file());
    } catch (const DataError& error) {
      fault = error.fault().what;
    }
    if (fault == "none") {
      EXPECT_NO_THROW(Ledger::open(file()));
    } else {
      EXPECT_THROW(Ledger::open(file()), DataError) << sql;
    }
    std::filesystem::copy_file(aside.path() / "ledger", file(),
                               std::filesystem::copy_options::overwrite_existing);
    return fault;
  }

  /// Without waiting for the disk, which would take most of the test's time.
  void overwrite(const std::string& bytes) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
  }

  LedgerView view_;

 private:
  ScratchFolder folder_;
};

TEST_F(LedgerTampering, AnHonestLedgerVerifies) {
  const LedgerView view = verify_ledger(file());
  EXPECT_EQ(to_text(ledger_json(view)), to_text(ledger_json(view_)));
  std::vector<LedgerAnchor> anchors;
  for (const LedgerEntry& entry : view.entries) anchors.push_back({entry.sequence, entry.hash});
  EXPECT_NO_THROW(verify_ledger(file(), anchors));
}

TEST_F(LedgerTampering, TheHarnessItselfChangesNothing) { EXPECT_EQ(found_after("SELECT 1"), "none"); }

TEST_F(LedgerTampering, TriggersStopPlainEdits) {
  sqlite::Database database(file(), sqlite::Database::Mode::kExisting);
  EXPECT_THROW(database.run("UPDATE entries SET micro_epsilon = 0"), DataError);
  EXPECT_THROW(database.run("DELETE FROM entries"), DataError);
}

TEST_F(LedgerTampering, AnyChangedFieldOfAnyEntryIsFound) {
  for (const LedgerEntry& entry : view_.entries) {
    for (const char* change :
         {"micro_epsilon = micro_epsilon + 1", "atto_delta = atto_delta + 1", "reservation = reservation + 1",
          "unit = unit || 'x'", "data = data || 'a'", "recorded = '2025-03-01T12:00:01Z'",
          "body = body || ' '", "hash = replace(hash, substr(hash, 1, 1), 'g')", "hash = upper(hash) || 'A'",
          "kind = 'budget' || kind", "kind = CASE kind WHEN 'commit' THEN 'reserve' ELSE 'commit' END",
          "sequence = sequence + 1000", "sequence = -sequence"}) {
      const std::string sql =
          "UPDATE entries SET " + std::string(change) + " WHERE sequence = " + std::to_string(entry.sequence);
      EXPECT_NE(found_after(sql), "none") << sql;
    }
  }
}

TEST_F(LedgerTampering, RemovedAddedAndSwappedEntriesAreFound) {
  const std::string last = std::to_string(view_.entries.size());
  for (std::size_t i = 1; i <= view_.entries.size(); ++i) {
    EXPECT_NE(found_after("DELETE FROM entries WHERE sequence = " + std::to_string(i)), "none") << i;
  }
  EXPECT_EQ(found_after("DELETE FROM entries WHERE sequence = " + last),
            "ends at entry 11 but notes 12 as its last");
  EXPECT_EQ(found_after("DELETE FROM entries WHERE sequence = 6"),
            "entry 7 follows entry 5: entries are missing between them");
  EXPECT_NE(found_after("DELETE FROM entries"), "none");
  EXPECT_NE(found_after("UPDATE entries SET sequence = -5 WHERE sequence = 5;"
                        "UPDATE entries SET sequence = 5 WHERE sequence = 4;"
                        "UPDATE entries SET sequence = 4 WHERE sequence = -5"),
            "none");
  EXPECT_NE(
      found_after("INSERT INTO entries SELECT sequence + 10, kind, recorded, unit, data, micro_epsilon, "
                  "atto_delta, reservation, body, hash FROM entries WHERE sequence = 4"),
      "none");
}

TEST_F(LedgerTampering, TheHeadTheKeyTheTablesAndTheHeaderAreCovered) {
  EXPECT_NE(found_after("UPDATE head SET sequence = sequence - 1"), "none");
  EXPECT_NE(found_after("UPDATE head SET hash = replace(hash, '0', '1')"), "none");
  EXPECT_NE(found_after("DELETE FROM head"), "none");
  EXPECT_EQ(found_after("UPDATE key SET blinding = substr(blinding, 2) || '0'"),
            "does not hold the blinding key that it was made with");
  EXPECT_NE(found_after("DELETE FROM key"), "none");
  const std::string changed =
      "is not a ledger, or was tampered with: its tables or triggers are not those of one";
  EXPECT_EQ(found_after("CREATE TABLE extra (a)"), changed);
  EXPECT_EQ(found_after("CREATE TRIGGER refund AFTER INSERT ON entries BEGIN SELECT 1; END"), changed);
  EXPECT_EQ(found_after("PRAGMA application_id = 1"), "is not a Privet ledger");
  EXPECT_EQ(found_after("PRAGMA user_version = 2"), "has ledger format 2");
}

/// A forger who rewrites the end with proper hashes is found by whoever kept an anchor, and by nobody else.
TEST_F(LedgerTampering, AnchorsFindWhatTheChainAloneCant) {
  const LedgerAnchor last = view_.head;
  const LedgerEntry& before = view_.entries[view_.entries.size() - 2];
  edit("DELETE FROM entries WHERE sequence = " + std::to_string(last.sequence) +
       "; UPDATE head SET sequence = " + std::to_string(before.sequence) + ", hash = '" + before.hash + "'");
  EXPECT_NO_THROW(verify_ledger(file()));
  EXPECT_NO_THROW(verify_ledger(file(), std::vector{LedgerAnchor{before.sequence, before.hash}}));
  EXPECT_THROW(verify_ledger(file(), std::vector{last}), DataError);

  Ledger::open(file()).reserve(request(0.1, 0));
  EXPECT_THROW(verify_ledger(file(), std::vector{last}), DataError);
}

/// The same for a write-ahead log that lost its end: SQLite takes the rest for whole.
TEST_F(LedgerTampering, AnchorsFindALogThatLostItsEnd) {
  const ScratchFolder aside;
  const std::filesystem::path copy = aside.path() / "ledger.sqlite";
  Ledger writer = Ledger::open(file());
  const Reservation kept = writer.reserve(request(0.25, 0));
  const std::uintmax_t log_before = std::filesystem::file_size(file().string() + "-wal");
  const Reservation lost = writer.reserve(request(0.25, 0));
  std::filesystem::copy_file(file(), copy);
  std::filesystem::copy_file(file().string() + "-wal", copy.string() + "-wal");
  ASSERT_GT(std::filesystem::file_size(copy.string() + "-wal"), log_before);
  std::filesystem::resize_file(copy.string() + "-wal", log_before);

  EXPECT_EQ(verify_ledger(copy).head, kept.anchor);
  EXPECT_NO_THROW(verify_ledger(copy, std::vector{kept.anchor}));
  EXPECT_THROW(verify_ledger(copy, std::vector{lost.anchor}), DataError);
  EXPECT_NO_THROW(verify_ledger(file(), std::vector{kept.anchor, lost.anchor}));
}

/// Who may only read finds as much as who may write.
TEST_F(LedgerTampering, AReadOnlyLedgerIsCheckedAsStrictly) {
  const auto set_mode = [&](unsigned mode) {
    std::filesystem::permissions(file(), static_cast<std::filesystem::perms>(mode));
  };
  set_mode(0444);
  EXPECT_NO_THROW(verify_ledger(file(), std::vector{view_.head}));
  EXPECT_THROW(verify_ledger(file(), std::vector{LedgerAnchor{13, view_.head.hash}}), DataError);
  for (const char* sql :
       {"UPDATE entries SET micro_epsilon = 0 WHERE sequence = 4", "UPDATE head SET sequence = 3",
        "CREATE TABLE extra (a)", "UPDATE key SET blinding = substr(blinding, 2) || '0'"}) {
    const std::string before = read_text(file(), 1 << 20);
    set_mode(0600);
    edit(sql);
    set_mode(0444);
    EXPECT_THROW(verify_ledger(file()), DataError) << sql;
    EXPECT_THROW(read_ledger(file()), DataError) << sql;
    set_mode(0600);
    overwrite(before);
    set_mode(0444);
  }
  EXPECT_NO_THROW(verify_ledger(file(), std::vector{view_.head}));
}

TEST_F(LedgerTampering, SpendingFromATamperedLedgerIsRefused) {
  Ledger open_before = Ledger::open(file());
  edit("UPDATE entries SET micro_epsilon = 0 WHERE sequence = 4");
  EXPECT_THROW(Ledger::open(file()), DataError);
  edit("UPDATE head SET sequence = sequence + 1");
  EXPECT_THROW(open_before.reserve(request(0.1, 0)), DataError);
}

TEST_F(LedgerTampering, ACutOffFileIsFound) {
  const std::string whole = read_text(file(), 1 << 20);
  for (std::size_t length = 0; length < whole.size(); length += 509) {
    overwrite(whole.substr(0, length));
    EXPECT_THROW(verify_ledger(file()), DataError) << length;
  }
}

/// A flipped bit anywhere in the file is either found or changed nothing that the ledger says (free space,
/// counters of SQLite's own).
TEST_F(LedgerTampering, NoFlippedBitGoesUnseen) {
  const std::string whole = read_text(file(), 1 << 20);
  const std::string expected = to_text(ledger_json(view_));
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] != 0) used.push_back(i);
  }
  SeededStream stream(11);
  constexpr int kFlips = 1500;
  int found = 0;
  for (int i = 0; i < kFlips; ++i) {
    // Three of four where something is written, the others anywhere.
    const std::size_t at = i % 4 == 0 ? stream.below(whole.size()) : used[stream.below(used.size())];
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (1 << stream.below(8)));
    overwrite(changed);
    try {
      ASSERT_EQ(to_text(ledger_json(verify_ledger(file()))), expected) << "byte " << at;
    } catch (const DataError&) {
      ++found;
    } catch (const IoError&) {  // the header then asks for an SQLite that does not exist
      ++found;
    }
    for (const char* suffix : {"-wal", "-shm", "-journal"}) {
      std::filesystem::remove(file().string() + suffix);
    }
  }
  EXPECT_GT(found, kFlips / 2);
}

}  // namespace
}  // namespace privet::privacy
