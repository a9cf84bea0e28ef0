#include "privet/graph/io/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace privet::graph {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 22;
constexpr std::size_t kFirst = std::size_t{1} << 16;
constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr std::size_t kMaxLine = std::size_t{1} << 26;

}  // namespace

LineReader::LineReader(const Source& source) : name_(source.name()), stream_(source) {
  read_block(block_);
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (first_block().substr(0, kByteOrderMark.size()) == kByteOrderMark) begin_ = kByteOrderMark.size();
}

void LineReader::Block::reserve(std::size_t wanted) {
  if (wanted <= capacity) return;
  auto larger = std::make_unique_for_overwrite<char[]>(wanted);
  std::copy_n(data.get(), size, larger.get());
  data = std::move(larger);
  capacity = wanted;
}

void LineReader::read_block(Block& block) {
  block.size = 0;
  if (ended_) return;
  // One more for the newline that the last line may lack; little at first, for most files are small.
  block.reserve(std::max(kFirst, tail_.size()) + 1);
  std::copy(tail_.begin(), tail_.end(), block.data.get());
  block.size = tail_.size();
  tail_.clear();
  for (;;) {
    const std::size_t searched = block.size;
    const std::size_t room = block.capacity - 1 - block.size;
    const std::size_t got = stream_.read({block.data.get() + block.size, room});
    block.size += got;
    if (got < room) {
      ended_ = true;
      if (block.size > 0 && block.data[block.size - 1] != '\n') block.data[block.size++] = '\n';
      return;
    }
    if (block.size < kBlock) {
      block.reserve(kBlock + 1);
      continue;
    }
    const char* const unsearched = block.data.get() + searched;
    const auto* last = static_cast<const char*>(memrchr(unsearched, '\n', block.size - searched));
    if (last != nullptr) {
      tail_.assign(last + 1, static_cast<const char*>(block.data.get() + block.size));
      block.size = static_cast<std::size_t>(last - block.data.get()) + 1;
      return;
    }
    block.reserve(2 * block.capacity);
    if (block.size > kMaxLine) {
      throw DataError({.what = fmt::format("a line is longer than {} MiB", kMaxLine >> 20), .where = name_});
    }
  }
}

void LineReader::drop_lines(std::size_t count) {
  for (; count > 0 && begin_ < block_.size; --count) {
    begin_ += first_block().find('\n') + 1;
    ++line_;
  }
  // Comments at the top may fill the whole first block.
  if (begin_ == block_.size) {
    read_block(block_);
    begin_ = 0;
  }
}

void LineReader::cut_chunks() {
  chunks_.clear();
  const char* at = block_.data.get() + begin_;
  const char* const end = block_.data.get() + block_.size;
  while (at < end) {
    const char* cut = end;
    if (static_cast<std::size_t>(end - at) > kChunk) {
      const std::size_t rest = static_cast<std::size_t>(end - at) - kChunk;
      const auto* newline = static_cast<const char*>(std::memchr(at + kChunk, '\n', rest));
      if (newline != nullptr) cut = newline + 1;
    }
    chunks_.push_back({.begin = at, .end = cut, .lines = 0});
    at = cut;
  }
}

std::size_t LineReader::count_lines(const TextChunk& chunk) {
  // Sums of at most 255 ones fit a byte, and bytes are what a vector unit adds most of at once.
  std::size_t lines = 0;
  for (const char* at = chunk.begin; at < chunk.end;) {
    const std::size_t piece = std::min<std::size_t>(240, static_cast<std::size_t>(chunk.end - at));
    std::uint8_t found = 0;
    for (std::size_t i = 0; i < piece; ++i)
      found = static_cast<std::uint8_t>(found + (at[i] == '\n' ? 1 : 0));
    lines += found;
    at += piece;
  }
  return lines;
}

DataError LineReader::error(const LineFault& found, std::size_t first_line) const {
  Fault fault = found.fault;
  fault.where = fmt::format("{} line {}", name_, first_line + found.line);
  if (found.column > 0) fault.where += fmt::format(" column {}", found.column);
  return DataError(std::move(fault));
}

}  // namespace privet::graph
