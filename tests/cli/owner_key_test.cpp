#include "privet/cli/owner_key.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace privet::cli {
namespace {

namespace fs = std::filesystem;

class OwnerKey : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "privet-owner-key-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    ::unsetenv("PRIVET_KEY");
    fs::remove_all(folder_);
  }

  fs::path folder_;
};

TEST_F(OwnerKey, IsMadeOnceForTheUserAlone) {
  const fs::path file = folder_ / "state" / "owner.key";
  ::setenv("PRIVET_KEY", file.c_str(), 1);
  const privacy::BlindingKey first = owner_key();
  EXPECT_EQ(owner_key(), first);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()), 1);
}

// Programs that start together (a script runs several comparisons at once) are handed the same key, and none
// of them finds it half made.
TEST_F(OwnerKey, OfSeveralFirstUsesAtOnceIsOne) {
  constexpr int kPrograms = 8;
  for (int round = 0; round < 100; ++round) {
    ::setenv("PRIVET_KEY", (folder_ / std::to_string(round)).c_str(), 1);
    std::array<int, 2> start{};
    std::array<int, 2> answers{};
    ASSERT_EQ(::pipe(start.data()), 0);
    ASSERT_EQ(::pipe(answers.data()), 0);
    for (int i = 0; i < kPrograms; ++i) {
      const pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child != 0) continue;
      ::close(start[1]);
      char nothing = 0;
      (void)!::read(start[0], &nothing, 1);  // returns when everybody is there
      try {
        const privacy::BlindingKey key = owner_key();
        ::_exit(::write(answers[1], key.data(), key.size()) == static_cast<ssize_t>(key.size()) ? 0 : 1);
      } catch (...) {
        ::_exit(2);
      }
    }
    ::close(start[0]);
    ::close(start[1]);
    ::close(answers[1]);
    std::set<privacy::BlindingKey> keys;
    privacy::BlindingKey key;
    int told = 0;
    while (::read(answers[0], key.data(), key.size()) == static_cast<ssize_t>(key.size())) {
      keys.insert(key);
      ++told;
    }
    ::close(answers[0]);
    for (int i = 0; i < kPrograms; ++i) ::wait(nullptr);
    ASSERT_EQ(told, kPrograms) << "in round " << round;
    ASSERT_EQ(keys.size(), 1u) << "in round " << round;
  }
}

}  // namespace
}  // namespace privet::cli
