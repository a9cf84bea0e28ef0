#include "privet/proof/ledger/sqlite.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "proof/scratch_folder.hpp"

namespace privet::privacy::sqlite {
namespace {

TEST(Sqlite, BindsValuesAndReadsThemBack) {
  Database database({}, Database::Mode::kMemory);
  database.run("CREATE TABLE t (a INTEGER, b TEXT) STRICT");
  Statement insert = database.prepare("INSERT INTO t VALUES (?, ?)");
  const std::string hostile = std::string("'); DROP TABLE t; --\0 end", 25);
  for (std::int64_t i : {INT64_MIN, std::int64_t{0}, INT64_MAX}) {
    insert.bind(0, i);
    insert.bind(1, hostile);
    insert.run();
  }
  Statement rows = database.prepare("SELECT a, b FROM t ORDER BY a");
  for (std::int64_t i : {INT64_MIN, std::int64_t{0}, INT64_MAX}) {
    ASSERT_TRUE(rows.step());
    EXPECT_EQ(rows.number(0), i);
    EXPECT_EQ(rows.text(1), hostile);
    EXPECT_THROW(rows.number(1), DataError);
  }
  EXPECT_FALSE(rows.step());
  EXPECT_EQ(database.number("SELECT count(*) FROM t"), 3);
}

TEST(Sqlite, ATransactionWithoutCommitLeavesNothing) {
  Database database({}, Database::Mode::kMemory);
  database.run("CREATE TABLE t (a INTEGER) STRICT");
  {
    Transaction writing(database, Transaction::Kind::kWrite);
    database.run("INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(database.number("SELECT count(*) FROM t"), 0);
  {
    Transaction writing(database, Transaction::Kind::kWrite);
    database.run("INSERT INTO t VALUES (1)");
    writing.commit();
  }
  EXPECT_EQ(database.number("SELECT count(*) FROM t"), 1);
}

TEST(Sqlite, FaultsHaveTheirKinds) {
  const testing::ScratchFolder folder;
  EXPECT_THROW(Database(folder.path() / "none", Database::Mode::kExisting), IoError);
  write_text(folder.path() / "text", std::string(5000, 'x'));
  Database text(folder.path() / "text", Database::Mode::kExisting);
  EXPECT_THROW(text.number("PRAGMA user_version"), DataError);
  Database memory({}, Database::Mode::kMemory);
  EXPECT_THROW(memory.run("SELECT * FROM nowhere"), DataError);
  EXPECT_THROW(memory.number("SELECT 1 WHERE 0"), DataError);
}

}  // namespace
}  // namespace privet::privacy::sqlite
