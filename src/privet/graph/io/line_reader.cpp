#include "privet/graph/io/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace privet::graph {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 22;
constexpr std::size_t kChunk = std::size_t{1} << 19;
constexpr std::size_t kMaxLine = std::size_t{1} << 26;

}  // namespace

LineReader::LineReader(const Source& source) : name_(source.name()), stream_(source) {
  read_block(block_);
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (first_block().substr(0, kByteOrderMark.size()) == kByteOrderMark) begin_ = kByteOrderMark.size();
}

void LineReader::read_block(std::vector<char>& block) {
  block.clear();
  if (ended_) return;
  std::swap(block, tail_);
  tail_.clear();
  std::size_t searched = 0;
  for (;;) {
    const std::size_t have = block.size();
    block.resize(std::max(have + kBlock / 4, kBlock));
    const std::size_t got = stream_.read(std::span(block).subspan(have));
    const bool more = got == block.size() - have;
    block.resize(have + got);
    if (!more) {
      // A short read of a gzip stream or a pipe may not be its end; the next one says.
      char one = 0;
      if (stream_.read({&one, 1}) == 0) {
        ended_ = true;
        if (!block.empty() && block.back() != '\n') block.push_back('\n');
        return;
      }
      block.push_back(one);
    }
    const auto* last =
        static_cast<const char*>(memrchr(block.data() + searched, '\n', block.size() - searched));
    if (last != nullptr) {
      tail_.assign(last + 1, static_cast<const char*>(block.data() + block.size()));
      block.resize(static_cast<std::size_t>(last - block.data()) + 1);
      return;
    }
    searched = block.size();
    if (block.size() > kMaxLine) {
      throw DataError({.what = fmt::format("a line is longer than {} MiB", kMaxLine >> 20), .where = name_});
    }
  }
}

void LineReader::drop_lines(std::size_t count) {
  for (; count > 0 && begin_ < block_.size(); --count) {
    begin_ += first_block().find('\n') + 1;
    ++line_;
  }
  // Comments at the top may fill the whole first block.
  if (begin_ == block_.size()) {
    read_block(block_);
    begin_ = 0;
  }
}

void LineReader::cut_chunks() {
  chunks_.clear();
  const char* at = block_.data() + begin_;
  const char* const end = block_.data() + block_.size();
  while (at < end) {
    const char* cut = end;
    if (static_cast<std::size_t>(end - at) > kChunk) {
      const auto* newline = static_cast<const char*>(
          std::memchr(at + kChunk, '\n', static_cast<std::size_t>(end - at) - kChunk));
      if (newline != nullptr) cut = newline + 1;
    }
    chunks_.push_back(
        {.begin = at, .end = cut, .lines = static_cast<std::size_t>(std::count(at, cut, '\n'))});
    at = cut;
  }
}

DataError LineReader::error(const LineFault& found, std::size_t first_line) const {
  Fault fault = found.fault;
  fault.where = fmt::format("{} line {}", name_, first_line + found.line);
  if (found.column > 0) fault.where += fmt::format(" column {}", found.column);
  return DataError(std::move(fault));
}

}  // namespace privet::graph
