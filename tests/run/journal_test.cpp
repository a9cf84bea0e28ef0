#include "privet/run/journal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "proof/scratch_folder.hpp"

namespace privet::methods {
namespace {

using privacy::testing::ScratchFolder;
namespace fs = std::filesystem;

std::string text_of(const fs::path& file) { return read_text(file, 1U << 20); }

void append(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::app) << text; }

TEST(Journal, KeepsWhatWasFinished) {
  const ScratchFolder scratch;
  const fs::path file = scratch.path() / "deep" / "runs.jsonl";
  {
    Journal journal(file);
    EXPECT_FALSE(journal.find("a", 0));
    journal.add("a", 0, {{"accuracy", 0.5}});
    journal.add("a", 1, {{"accuracy", 0.25}});
    journal.add("b", 0, nullptr);
    EXPECT_EQ((*journal.find("a", 0))["accuracy"], 0.5);
  }
  const std::string before = text_of(file);
  const Journal again(file);
  EXPECT_EQ((*again.find("a", 0))["accuracy"], 0.5);
  EXPECT_EQ((*again.find("a", 1))["accuracy"], 0.25);
  EXPECT_TRUE(again.find("b", 0)->is_null());
  EXPECT_FALSE(again.find("a", 2));
  EXPECT_FALSE(again.find("b", 1));
  EXPECT_EQ(text_of(file), before);
}

TEST(Journal, EveryRunIsOneLineOnTheDiskAtOnce) {
  const ScratchFolder scratch;
  const fs::path file = scratch.path() / "runs.jsonl";
  Journal journal(file);
  journal.add("a \"key\"\nof two lines", 7, {{"x", 1}});
  const std::string text = text_of(file);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ((*Journal(file).find("a \"key\"\nof two lines", 7))["x"], 1);
}

// Wherever a crash cuts the last line off, the runs before it are there and the next one fits behind them.
TEST(Journal, DropsALastLineThatWasCutOff) {
  const ScratchFolder scratch;
  const fs::path file = scratch.path() / "runs.jsonl";
  {
    Journal journal(file);
    journal.add("a", 0, {{"x", 1}});
  }
  const std::string first = text_of(file);
  {
    Journal journal(file);
    journal.add("a", 1, {{"x", 2}});
  }
  const std::string both = text_of(file);
  for (std::size_t size = first.size(); size < both.size(); ++size) {
    write_text(file, both.substr(0, size));
    Journal journal(file);
    EXPECT_EQ(text_of(file), first) << size;
    EXPECT_TRUE(journal.find("a", 0));
    EXPECT_FALSE(journal.find("a", 1)) << size;
    journal.add("a", 1, {{"x", 2}});
    EXPECT_EQ(text_of(file), both) << size;
  }
}

TEST(Journal, ADamagedLineIsNamedAndLeftAsItIs) {
  const ScratchFolder scratch;
  for (const char* damaged : {"{\"key\":\"a\",\"run\":0,\"res", "[]", "{}",
                              R"({"key":1,"run":0,"result":{}})", R"({"key":"a","run":-1,"result":{}})",
                              R"({"key":"a","run":0.5,"result":{}})", R"({"key":"a","run":0})"}) {
    const fs::path file = scratch.path() / "runs.jsonl";
    fs::remove(file);
    {
      Journal journal(file);
      journal.add("a", 0, {{"x", 1}});
    }
    append(file, std::string(damaged) + "\n");
    append(file, R"({"key":"a","run":1,"result":{}})"
                 "\n");
    const std::string before = text_of(file);
    try {
      const Journal journal(file);
      ADD_FAILURE() << "read: " << damaged;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(file.string() + ", line 2"), std::string::npos)
          << error.what();
    }
    EXPECT_EQ(text_of(file), before);
  }
}

TEST(Journal, TakesRunsFromSeveralThreads) {
  const ScratchFolder scratch;
  const fs::path file = scratch.path() / "runs.jsonl";
  constexpr std::uint64_t kEach = 20;
  {
    Journal journal(file);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&journal, t] {
        for (std::uint64_t run = 0; run < kEach; ++run)
          journal.add(std::to_string(t), run, {{"text", std::string(500, 'x')}, {"run", run}});
      });
    }
  }
  const Journal again(file);
  for (int t = 0; t < 4; ++t) {
    for (std::uint64_t run = 0; run < kEach; ++run)
      EXPECT_EQ((*again.find(std::to_string(t), run))["run"], run);
  }
}

}  // namespace
}  // namespace privet::methods
