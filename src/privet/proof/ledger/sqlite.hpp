#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace privet::privacy::sqlite {

/// The few things that Privet asks of SQLite, and the only place that calls it. A failure is an exception: a
/// damaged file or one that is no database a DataError, everything that the system or another process refuses
/// an IoError; both name the file. SQL is always a literal of ours; values are bound, never pasted in.

class Statement;

/// One connection, for one thread.
class Database {
 public:
  /// kReadOnly takes part in the locking of others and so may need their -shm file. kImmutable neither locks
  /// nor looks at a log beside the file, and needs nothing but the right to read it: whoever asks for it sees
  /// to it that there is no log and that nobody writes meanwhile.
  enum class Mode { kExisting, kCreate, kMemory, kReadOnly, kImmutable };

  /// Opens the file, for reading and writing unless the mode says otherwise; waits up to ten seconds for
  /// others whenever they hold it.
  Database(const std::filesystem::path& file, Mode mode);

  /// Runs SQL that gives no rows.
  void run(const char* sql);
  Statement prepare(const char* sql);
  /// The one number or text that a query gives.
  std::int64_t number(const char* sql);
  std::string text(const char* sql);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };
  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement. Columns and parameters count from 0.
class Statement {
 public:
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, std::string_view text);

  /// Moves to the next row; false when there is none.
  bool step();
  /// Runs a statement that gives no rows, and makes it ready for the next values.
  void run();

  /// A column of the current row; a DataError where it holds another type.
  std::int64_t number(int column);
  std::string text(int column);

 private:
  friend class Database;
  Statement(Database& database, const char* sql);
  [[noreturn]] void wrong_type(int column) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// A transaction, rolled back unless committed. kWrite takes the right to write at once, so that what was
/// read inside still holds when it is written on.
class Transaction {
 public:
  enum class Kind { kRead, kWrite };
  Transaction(Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// On return the changes are on the disk.
  void commit();

 private:
  Database* database_;
  bool open_ = true;
};

}  // namespace privet::privacy::sqlite
