#include "privet/proof/ledger/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/json.hpp"
#include "privet/base/sha256.hpp"
#include "privet/base/version.hpp"

namespace privet::privacy {
namespace {

constexpr std::int64_t kApplicationId = 0x5072764c;  // "PrvL", in SQLite's file header
constexpr std::int64_t kFormat = 1;

// The triggers stop accidents, not attackers; the chain is for those. The text of the schema is part of the
// format: a file with other tables or triggers is refused.
constexpr const char* kSchema = R"(
CREATE TABLE entries (
  sequence INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  recorded TEXT NOT NULL,
  unit TEXT NOT NULL,
  data TEXT NOT NULL,
  micro_epsilon INTEGER NOT NULL,
  atto_delta INTEGER NOT NULL,
  reservation INTEGER NOT NULL,
  body TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE head (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE key (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  blinding TEXT NOT NULL
) STRICT;
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
)";

std::string schema_of(sqlite::Database& database) {
  sqlite::Statement rows =
      database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name");
  std::string schema;
  while (rows.step()) {
    for (int column = 0; column < 4; ++column) schema += rows.text(column) + "\n";
  }
  return schema;
}

std::string expected_schema() {
  sqlite::Database scratch({}, sqlite::Database::Mode::kMemory);
  scratch.run(kSchema);
  return schema_of(scratch);
}

std::string key_digest(const BlindingKey& key) {
  return to_hex(Sha256().update("privet ledger key").update(blinding_key_text(key)).finish());
}

void use_durable_log(sqlite::Database& database) {
  if (database.text("PRAGMA journal_mode = WAL") != "wal") {
    throw IoError({.what = "the file system does not allow SQLite's write-ahead log",
                   .where = database.name(),
                   .remedy = "keep the ledger on a local disk"});
  }
  database.run("PRAGMA synchronous = FULL");
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

std::string reason(int error) { return std::system_category().message(error); }

/// SQLite finds its log and its locks by the name of the file: under two names a ledger could be spent twice.
void require_one_name(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t names = std::filesystem::hard_link_count(file, error);
  if (!error && names != 1) {
    throw IoError({.what = fmt::format("has {} names (hard links)", names),
                   .where = file.string(),
                   .expected = "one",
                   .remedy = "remove the others, then run privet ledger verify"});
  }
}

/// A new, empty file beside `target`, 0600, that goes away with what SQLite puts next to it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target) : path_(target.string() + ".XXXXXX") {
    const int descriptor = ::mkostemp(path_.data(), O_CLOEXEC);
    if (descriptor < 0) {
      throw IoError({.what = "can't write: " + reason(errno), .where = target.string()});
    }
    ::close(descriptor);
  }
  ~TemporaryFile() {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) ::unlink((path_ + suffix).c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Gives the file a second name, which no other file has had until now.
  void publish(const std::filesystem::path& target) const {
    if (::link(path_.c_str(), target.c_str()) != 0) {
      throw IoError({.what = errno == EEXIST ? "is there already" : "can't make: " + reason(errno),
                     .where = target.string(),
                     .expected = "a new file"});
    }
    flush_folder(folder_of(target));
  }

 private:
  std::string path_;
};

std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::filesystem::path existing(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    throw IoError({.what = "there is no such file", .where = file.string(), .expected = "a ledger"});
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw IoError({.what = "is not a file", .where = file.string(), .expected = "a ledger"});
  }
  return file;
}

/// Whether there is more to the ledger than the file itself. An empty log says no more than that somebody has
/// the ledger open.
bool has_log(const std::filesystem::path& file) {
  std::error_code missing;
  for (const char* suffix : {"-wal", "-journal"}) {
    const std::uintmax_t size = std::filesystem::file_size(file.string() + suffix, missing);
    if (!missing && size > 0) return true;
  }
  return false;
}

/// Whether SQLite could write: it needs the file, and its folder for the log. A file that nobody may write is
/// left alone also by those whom no permission stops.
bool is_writable(const std::filesystem::path& file) {
  using std::filesystem::perms;
  constexpr perms kAnyWrite = perms::owner_write | perms::group_write | perms::others_write;
  return (std::filesystem::status(file).permissions() & kAnyWrite) != perms::none &&
         ::access(file.c_str(), W_OK) == 0 && ::access(folder_of(file).c_str(), W_OK) == 0;
}

/// Without a log the file is the whole ledger, and can be read without locks. With one only SQLite knows what
/// counts; it then needs to read the log and its index as well.
sqlite::Database::Mode mode_for(const std::filesystem::path& file, LedgerStore::Access access) {
  if (is_writable(file)) return sqlite::Database::Mode::kExisting;
  if (access == LedgerStore::Access::kWrite) {  // SQLite would open it for reading alone, and say nothing
    throw IoError({.what = "can't be written",
                   .where = file.string(),
                   .expected = "a ledger that you may write, in a folder that you may write"});
  }
  return has_log(file) ? sqlite::Database::Mode::kReadOnly : sqlite::Database::Mode::kImmutable;
}

}  // namespace

void LedgerStore::create(const std::filesystem::path& file, const std::string& when, LedgerEntry budget) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-journal"}) {
    // A log left behind by a ledger that was deleted would be replayed into the new one.
    const std::filesystem::path name = file.string() + suffix;
    if (std::filesystem::exists(std::filesystem::symlink_status(name, ignored))) {
      throw IoError({.what = "is there already", .where = name.string(), .expected = "a new file"});
    }
  }
  const TemporaryFile temporary(file);
  {
    sqlite::Database database(temporary.path(), sqlite::Database::Mode::kExisting);
    use_durable_log(database);
    database.run(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, kFormat).c_str());
    sqlite::Transaction writing(database, sqlite::Transaction::Kind::kWrite);
    database.run(kSchema);
    const BlindingKey key = make_blinding_key();
    sqlite::Statement insert_key = database.prepare("INSERT INTO key (one, blinding) VALUES (1, ?)");
    insert_key.bind(0, blinding_key_text(key));
    insert_key.run();
    sqlite::Statement insert_head =
        database.prepare("INSERT INTO head (one, sequence, hash) VALUES (1, 0, ?)");
    insert_head.bind(0, kLedgerGenesis);
    insert_head.run();
    writing.commit();

    const Json body{{"privet_version", version()}, {"key_digest", key_digest(key)}};
    LedgerEntry opening;
    opening.kind = LedgerEntryKind::kOpen;
    opening.recorded = when;
    opening.body = body.dump();
    LedgerStore store(temporary.path());
    sqlite::Transaction first = store.begin(sqlite::Transaction::Kind::kWrite);
    LedgerState state(file.string());
    store.append(state, std::move(opening));
    store.append(state, std::move(budget));
    first.commit();
  }
  temporary.publish(file);
}

LedgerStore::LedgerStore(const std::filesystem::path& file, Access access)
    : LedgerStore(file, mode_for(existing(file), access)) {}

LedgerStore::LedgerStore(const std::filesystem::path& file, sqlite::Database::Mode mode)
    : stamp_(mode == sqlite::Database::Mode::kImmutable ? std::optional(stamp_of(file)) : std::nullopt),
      database_(file, mode) {
  try {
    check_header();
  } catch (const IoError& error) {
    if (mode != sqlite::Database::Mode::kReadOnly) throw;
    throw IoError({.what = error.fault().what,
                   .where = name(),
                   .remedy = "it has a log beside it that can't be read here: copy both files to a folder of "
                             "your own and read the copy"});
  }
  if (mode == sqlite::Database::Mode::kExisting) {
    require_one_name(file);
    use_durable_log(database_);
  }
  key_ = blinding_key_from_text(database_.text("SELECT blinding FROM key"), name() + ": key");
}

void LedgerStore::check_header() {
  if (database_.number("PRAGMA application_id") != kApplicationId) {
    throw DataError({.what = "is not a Privet ledger", .where = name()});
  }
  const std::int64_t format = database_.number("PRAGMA user_version");
  if (format != kFormat) {
    throw DataError({.what = fmt::format("has ledger format {}", format),
                     .where = name(),
                     .expected = fmt::format("format {}", kFormat),
                     .remedy = "a newer Privet wrote it; use that one"});
  }
  if (schema_of(database_) != expected_schema()) {
    throw DataError(
        {.what = "is not a ledger, or was tampered with: its tables or triggers are not those of one",
         .where = name()});
  }
}

void LedgerStore::read_entries(LedgerState& state, std::vector<LedgerEntry>* keep) {
  sqlite::Statement rows = database_.prepare(
      "SELECT sequence, kind, recorded, unit, data, micro_epsilon, atto_delta, reservation, body, hash "
      "FROM entries WHERE sequence > ? ORDER BY sequence");
  // From the genesis on every row counts, also one with a number below 1 that must not be there.
  rows.bind(0, state.head().sequence == 0 ? INT64_MIN : as_signed(state.head().sequence));
  while (rows.step()) {
    LedgerEntry entry;
    entry.sequence = static_cast<std::uint64_t>(rows.number(0));
    entry.kind = ledger_entry_kind(rows.text(1), name());
    entry.recorded = rows.text(2);
    entry.unit = rows.text(3);
    entry.data = rows.text(4);
    entry.cost = {rows.number(5), rows.number(6)};
    entry.reservation = static_cast<std::uint64_t>(rows.number(7));
    entry.body = rows.text(8);
    entry.hash = rows.text(9);
    state.apply(entry);
    if (keep != nullptr) keep->push_back(std::move(entry));
  }
  sqlite::Statement head = database_.prepare("SELECT sequence, hash FROM head");
  if (!head.step()) throw DataError({.what = "has lost the note of its last entry", .where = name()});
  const LedgerAnchor noted{static_cast<std::uint64_t>(head.number(0)), head.text(1)};
  if (noted != state.head()) {
    throw DataError({.what = fmt::format("ends at entry {} but notes {} as its last", state.head().sequence,
                                         noted.sequence),
                     .where = name(),
                     .remedy = "entries were removed, or the note was changed"});
  }
}

void LedgerStore::catch_up(LedgerState& state) { read_entries(state, nullptr); }

void LedgerStore::append(LedgerState& state, LedgerEntry entry) {
  entry.sequence = state.head().sequence + 1;
  entry.hash = chained_hash(state.head().hash, entry);
  state.apply(entry);

  sqlite::Statement insert = database_.prepare(
      "INSERT INTO entries (sequence, kind, recorded, unit, data, micro_epsilon, atto_delta, reservation, "
      "body, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(0, as_signed(entry.sequence));
  insert.bind(1, privacy::name(entry.kind));
  insert.bind(2, entry.recorded);
  insert.bind(3, entry.unit);
  insert.bind(4, entry.data);
  insert.bind(5, entry.cost.micro_epsilon);
  insert.bind(6, entry.cost.atto_delta);
  insert.bind(7, as_signed(entry.reservation));
  insert.bind(8, entry.body);
  insert.bind(9, entry.hash);
  insert.run();
  sqlite::Statement note = database_.prepare("UPDATE head SET sequence = ?, hash = ? WHERE one = 1");
  note.bind(0, as_signed(entry.sequence));
  note.bind(1, entry.hash);
  note.run();
}

LedgerView LedgerStore::view() {
  LedgerState state(name());
  LedgerView view;
  read_entries(state, &view.entries);
  check_key(state);
  view.created = state.created();
  view.head = state.head();
  view.budgets = state.budgets();
  view.data = state.data();
  return view;
}

void LedgerStore::check_key(const LedgerState& state) const {
  if (state.key_digest() == key_digest(key_)) return;
  throw DataError({.what = "does not hold the blinding key that it was made with", .where = name()});
}

void LedgerStore::check_structure() {
  const std::string result = database_.text("PRAGMA integrity_check(1)");
  if (result != "ok") throw DataError({.what = "is damaged: " + result, .where = name()});
}

LedgerStore::Stamp LedgerStore::stamp_of(const std::filesystem::path& file) {
  return {.size = std::filesystem::file_size(file), .written = std::filesystem::last_write_time(file)};
}

void LedgerStore::check_undisturbed() const {
  if (!stamp_ || (!has_log(name()) && stamp_of(name()) == *stamp_)) return;
  throw IoError({.what = "was written to while it was read", .where = name(), .remedy = "try again"});
}

}  // namespace privet::privacy
