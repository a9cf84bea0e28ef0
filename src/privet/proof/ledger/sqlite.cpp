#include "privet/proof/ledger/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <stdexcept>

#include "privet/base/error.hpp"

namespace privet::privacy::sqlite {
namespace {

constexpr int kBusyMilliseconds = 10'000;

int open_flags(Database::Mode mode) {
  switch (mode) {
    case Database::Mode::kExisting:
      return SQLITE_OPEN_READWRITE;
    case Database::Mode::kCreate:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Database::Mode::kMemory:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
    case Database::Mode::kReadOnly:
      return SQLITE_OPEN_READONLY;
    case Database::Mode::kImmutable:
      return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  }
  throw std::logic_error("unknown mode");
}

/// The absolute path as a URI: every byte that could mean something else there is escaped.
std::string immutable_uri(const std::filesystem::path& file) {
  std::string uri = "file://";
  for (const char c : std::filesystem::absolute(file).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return uri + "?immutable=1";
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Database::Database(const std::filesystem::path& file, Mode mode)
    : name_(mode == Mode::kMemory ? "memory" : file.string()) {
  const std::string address = mode == Mode::kImmutable ? immutable_uri(file) : name_;
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(address.c_str(), &handle, open_flags(mode) | SQLITE_OPEN_EXRESCODE, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  // A file from elsewhere must not run code of its own: no functions from its schema, no writes to it.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

void Database::fail(int code) const {
  const std::string reason =
      handle_ ? std::string(sqlite3_errmsg(handle_.get())) : std::string(sqlite3_errstr(code));
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      throw DataError({.what = "is not a ledger",
                       .where = name_,
                       .expected = "a file that 'privet ledger init' has made"});
    case SQLITE_CORRUPT:
      throw DataError({.what = "is damaged: " + reason, .where = name_});
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_SCHEMA:
      throw DataError({.what = "does not have the expected tables: " + reason, .where = name_});
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw IoError({.what = "is in use by another process",
                     .where = name_,
                     .remedy = "try again when that one is done"});
    default:
      throw IoError({.what = reason, .where = name_});
  }
}

void Database::run(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

Statement Database::prepare(const char* sql) { return {*this, sql}; }

std::int64_t Database::number(const char* sql) {
  Statement statement = prepare(sql);
  if (!statement.step()) throw DataError({.what = "lacks a row that it must have", .where = name_});
  return statement.number(0);
}

std::string Database::text(const char* sql) {
  Statement statement = prepare(sql);
  if (!statement.step()) throw DataError({.what = "lacks a row that it must have", .where = name_});
  return statement.text(0);
}

Statement::Statement(Database& database, const char* sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.handle_.get(), sql, -1, &statement, nullptr);
  handle_.reset(statement);
  if (code != SQLITE_OK) database.fail(code);
}

void Statement::bind(int parameter, std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_.get(), parameter + 1, value);
  if (code != SQLITE_OK) database_->fail(code);
}

void Statement::bind(int parameter, std::string_view text) {
  const int code = sqlite3_bind_text64(handle_.get(), parameter + 1, text.data(), text.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) database_->fail(code);
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail(code);
  return false;
}

void Statement::run() {
  step();
  sqlite3_reset(handle_.get());
}

void Statement::wrong_type(int column) const {
  throw DataError({.what = fmt::format("is damaged: '{}' holds a value of the wrong type",
                                       sqlite3_column_name(handle_.get(), column)),
                   .where = database_->name()});
}

std::int64_t Statement::number(int column) {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_INTEGER) wrong_type(column);
  return sqlite3_column_int64(handle_.get(), column);
}

std::string Statement::text(int column) {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_TEXT) wrong_type(column);
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  if (bytes == nullptr) database_->fail(SQLITE_NOMEM);
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

Transaction::Transaction(Database& database, Kind kind) : database_(&database) {
  database.run(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_->run("ROLLBACK");
  } catch (const Error&) {  // SQLite rolled back already, or the connection is gone and rolls back with it
    open_ = false;
  }
}

void Transaction::commit() {
  database_->run("COMMIT");
  open_ = false;
}

}  // namespace privet::privacy::sqlite
