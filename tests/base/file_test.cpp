#include "privet/base/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <string>

#include "privet/base/error.hpp"

namespace privet {
namespace fs = std::filesystem;
namespace {

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("privet_files_" + std::to_string(::getpid()) +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::size_t entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_)) ++count;
    return count;
  }
  fs::path folder_;
};

TEST_F(Files, CommitPutsTheWholeFileInPlace) {
  {
    OutputFile file(folder_ / "a");
    file.write("hello ");
    file.write("world");
    EXPECT_FALSE(fs::exists(folder_ / "a"));
    file.commit();
  }
  EXPECT_EQ(read_text(folder_ / "a", 100), "hello world");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, WithoutCommitNothingIsLeftAndTheOldFileStays) {
  write_text(folder_ / "a", "old");
  {
    OutputFile file(folder_ / "a");
    file.write("new");
  }
  EXPECT_EQ(read_text(folder_ / "a", 100), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, AFullDiskIsAnIoErrorAndLeavesNothing) {
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = before;
  small.rlim_cur = 1000;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto write_much = [&] { write_text(folder_ / "a", std::string(100'000, 'x')); };
  EXPECT_THROW(write_much(), IoError);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, TheSignalHandlersSweepRemovesOpenTemporaries) {
  OutputFile file(folder_ / "a");
  EXPECT_EQ(entries(), 1u);
  remove_temporary_files();
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, FaultsNameThePath) {
  const auto message = [](const auto& act) {
    try {
      act();
    } catch (const IoError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_EQ(message([&] { InputFile file(folder_); }),
            folder_.string() + ": is a directory (expected a file)");
  EXPECT_EQ(message([&] { InputFile file(folder_ / "none"); }),
            (folder_ / "none").string() + ": can't open: No such file or directory");
  EXPECT_EQ(message([&] { OutputFile file(folder_); }),
            folder_.string() + ": is a directory (expected a file to write)");
  EXPECT_EQ(message([&] { OutputFile file(folder_ / "none" / "a"); }),
            (folder_ / "none" / "a").string() + ": can't write: No such file or directory");
}

TEST_F(Files, ReadTextRefusesMoreThanItsLimit) {
  write_text(folder_ / "a", std::string(101, 'x'));
  EXPECT_THROW(read_text(folder_ / "a", 100), DataError);
  EXPECT_EQ(read_text(folder_ / "a", 101).size(), 101u);
}

TEST_F(Files, NewFilesHaveTheUsualPermissions) {
  const mode_t mask = ::umask(022);
  write_text(folder_ / "a", "x");
  ::umask(mask);
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), static_cast<fs::perms>(0644));
}

}  // namespace
}  // namespace privet
