#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/graph/io/source.hpp"

namespace privet::graph {

/// Some whole lines of a text. The last character is a newline, also when the file's last line has none.
struct TextChunk {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::size_t lines = 0;
};

/// A fault in a line, thrown while a chunk is parsed; LineReader turns it into a DataError that names the
/// file and the line.
struct LineFault {
  std::size_t line = 0;    ///< counted from 0 at the beginning of the chunk
  std::size_t column = 0;  ///< the field, counted from 1; 0 for the whole line
  Fault fault;
};

/// Reads a text (gzip is undone) in blocks that end at line ends, and parses the chunks of a block on all
/// threads while the next block is read. Chunks do not depend on the number of threads, and results are taken
/// in the order of the text.
class LineReader {
 public:
  /// Reads the first block. A line longer than 64 MiB is a DataError.
  explicit LineReader(const Source& source);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// The text of the first block that has not been dropped: whole lines, and nothing when the text is empty.
  [[nodiscard]] std::string_view first_block() const noexcept {
    return {block_.data.get() + begin_, block_.size - begin_};
  }
  /// Leaves out the first `count` lines. Only before parse().
  void drop_lines(std::size_t count);

  /// Calls parse(chunk) for all chunks, and take(result, chunk, first line of the chunk counted from 1) in
  /// order. The chunk's text is valid until take() returns.
  template <typename Result>
  void parse(const std::function<Result(const TextChunk&)>& parse_chunk,
             const std::function<void(Result&&, const TextChunk&, std::size_t first_line)>& take);

  [[nodiscard]] DataError error(const LineFault& fault, std::size_t first_line) const;

 private:
  // Text with room behind it that is never filled in vain.
  struct Block {
    std::unique_ptr<char[]> data;
    std::size_t size = 0;
    std::size_t capacity = 0;
    void reserve(std::size_t wanted);
  };

  void read_block(Block& block);
  void cut_chunks();
  static std::size_t count_lines(const TextChunk& chunk);

  std::string name_;
  ByteStream stream_;
  Block block_;
  Block next_;
  std::string tail_;  // the beginning of a line whose end is in the next block
  bool ended_ = false;
  std::size_t begin_ = 0;
  std::size_t line_ = 1;
  std::vector<TextChunk> chunks_;
};

template <typename Result>
void LineReader::parse(const std::function<Result(const TextChunk&)>& parse_chunk,
                       const std::function<void(Result&&, const TextChunk&, std::size_t)>& take) {
  struct Outcome {
    Result result;
    std::optional<LineFault> fault;
  };
  while (block_.size > begin_) {
    cut_chunks();
    std::vector<Outcome> outcomes(chunks_.size());
    parallel_for(chunks_.size() + 1, 1, [&](std::size_t piece, std::size_t) {
      if (piece == 0) {
        read_block(next_);
        return;
      }
      chunks_[piece - 1].lines = count_lines(chunks_[piece - 1]);
      try {
        outcomes[piece - 1].result = parse_chunk(chunks_[piece - 1]);
      } catch (const LineFault& fault) {
        outcomes[piece - 1].fault = fault;
      }
    });
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      if (outcomes[i].fault) throw error(*outcomes[i].fault, line_);
      try {
        take(std::move(outcomes[i].result), chunks_[i], line_);
      } catch (const LineFault& fault) {
        throw error(fault, line_);
      }
      line_ += chunks_[i].lines;
    }
    std::swap(block_, next_);
    begin_ = 0;
  }
}

/// Calls visit(index of the line in the chunk, line without its end) for every line.
template <typename Visit>
void for_each_line(const TextChunk& chunk, const Visit& visit) {
  std::size_t index = 0;
  for (const char* at = chunk.begin; at < chunk.end; ++index) {
    const char* end = std::find(at, chunk.end, '\n');
    const char* last = end > at && end[-1] == '\r' ? end - 1 : end;
    visit(index, std::string_view(at, static_cast<std::size_t>(last - at)));
    at = end + 1;
  }
}

}  // namespace privet::graph
