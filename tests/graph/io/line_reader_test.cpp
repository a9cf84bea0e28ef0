#include "privet/graph/io/line_reader.hpp"

#include <gtest/gtest.h>

#include "graph/io/archives.hpp"

namespace privet::graph {
namespace {

using Lines = std::vector<std::string>;

// Every line with its number, as taken in order.
std::vector<std::pair<std::size_t, std::string>> numbered(LineReader& reader) {
  std::vector<std::pair<std::size_t, std::string>> all;
  reader.parse<Lines>(
      [](const TextChunk& chunk) {
        Lines lines;
        for_each_line(chunk, [&](std::size_t, std::string_view line) { lines.emplace_back(line); });
        return lines;
      },
      [&](Lines&& lines, const TextChunk& chunk, std::size_t first) {
        EXPECT_EQ(lines.size(), chunk.lines);
        for (std::string& line : lines) all.emplace_back(first++, std::move(line));
      });
  return all;
}

TEST(LineReader, NumbersLinesAcrossBlocks) {
  std::string text;
  for (std::size_t i = 0; i < 400'000; ++i)
    text += "line " + std::to_string(i) + (i % 3 == 0 ? "\r\n" : "\n");
  text += "the last, without an end";
  for (const bool packed : {false, true}) {
    const std::string bytes = packed ? testing::gzipped(text) : text;
    LineReader reader(Source::memory("text", bytes));
    const auto lines = numbered(reader);
    ASSERT_EQ(lines.size(), 400'001u);
    for (std::size_t i = 0; i < 400'000; ++i) {
      ASSERT_EQ(lines[i].first, i + 1);
      ASSERT_EQ(lines[i].second, "line " + std::to_string(i));
    }
    EXPECT_EQ(lines.back().second, "the last, without an end");
  }
}

TEST(LineReader, TakesLinesLongerThanABlock) {
  const std::string text = "a\n" + std::string(std::size_t{10} << 20, 'x') + "\nb\n";
  LineReader reader(Source::memory("text", text));
  const auto lines = numbered(reader);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].second.size(), std::size_t{10} << 20);
  EXPECT_EQ(lines[2], (std::pair<std::size_t, std::string>{3, "b"}));
}

// A gzip file of a few kilobytes can hold a line of any length; it must not be gathered whole.
TEST(LineReader, RefusesEndlessLines) {
  const std::string packed = testing::gzipped(std::string(std::size_t{80} << 20, 'x'));
  EXPECT_FAILS_WITH(DataError, "a line is longer than 64 MiB", LineReader(Source::memory("text", packed)));
}

TEST(LineReader, TakesAnyEndOfTheText) {
  for (const auto& [text, count] : {std::pair{"", 0u}, std::pair{"\n", 1u}, std::pair{"a", 1u},
                                    std::pair{"a\n\n", 2u}, std::pair{"\xef\xbb\xbf", 1u}}) {
    LineReader reader(Source::memory("text", text));
    EXPECT_EQ(numbered(reader).size(), count) << text;
  }
  // Around the sizes of the buffers.
  for (const std::size_t size :
       {(1u << 16) - 1, 1u << 16, (1u << 16) + 1, (1u << 22) - 1, 1u << 22, (1u << 22) + 1}) {
    const std::string text = std::string(size - 1, 'y') + "\n";
    LineReader reader(Source::memory("text", text));
    const auto lines = numbered(reader);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].second.size(), size - 1);
  }
}

TEST(LineReader, DropsLinesAndKeepsCounting) {
  LineReader reader(Source::memory("text", "# a\nhead\nx\ny\n"));
  reader.drop_lines(2);
  const auto lines = numbered(reader);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], (std::pair<std::size_t, std::string>{3, "x"}));
}

TEST(LineReader, TellsTheFirstFault) {
  std::string text;
  for (std::size_t i = 0; i < 500'000; ++i) text += i == 400'000 || i == 450'000 ? "bad\n" : "0123456789\n";
  LineReader reader(Source::memory("text", text));
  EXPECT_FAILS_WITH(DataError, "text line 400001 column 2: is bad",
                    (reader.parse<int>(
                         [](const TextChunk& chunk) {
                           for_each_line(chunk, [](std::size_t index, std::string_view line) {
                             if (line == "bad") {
                               throw LineFault{.line = index, .column = 2, .fault = {.what = "is bad"}};
                             }
                           });
                           return 0;
                         },
                         [](int&&, const TextChunk&, std::size_t) {}),
                     0));
}

}  // namespace
}  // namespace privet::graph
