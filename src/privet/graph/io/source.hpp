#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace privet::graph {

/// Where a reader's bytes come from: a file, or memory that outlives the reader. Every reader takes one, so
/// that what is tested and fuzzed on bytes is what runs on files.
class Source {
 public:
  Source(std::filesystem::path path);  // NOLINT(google-explicit-constructor)
  Source(const char* path);            // NOLINT(google-explicit-constructor)
  Source(const std::string& path);     // NOLINT(google-explicit-constructor)
  static Source memory(std::string name, std::string_view bytes);

  /// What errors call it: the path, or the name given.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool in_memory() const noexcept { return in_memory_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::span<const char> bytes() const noexcept { return bytes_; }

 private:
  Source() = default;
  std::string name_;
  std::filesystem::path path_;
  std::span<const char> bytes_;
  bool in_memory_ = false;
};

/// The bytes of a source from front to back. Gzip is recognised by its first two bytes and undone on the way;
/// a damaged or truncated stream is a DataError, and so is a source named .gz that is none.
class ByteStream {
 public:
  explicit ByteStream(const Source& source);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Fills `buffer` as far as the source reaches and returns how far that was; 0 at the end.
  std::size_t read(std::span<char> buffer);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The bytes of a source at any position. Only regular files and memory have that.
class RandomAccess {
 public:
  explicit RandomAccess(const Source& source);
  ~RandomAccess();
  RandomAccess(const RandomAccess&) = delete;
  RandomAccess& operator=(const RandomAccess&) = delete;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Fills `buffer` from `position` as far as the source reaches and returns how far that was.
  std::size_t read_at(std::uint64_t position, std::span<char> buffer) const;

 private:
  Source source_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace privet::graph
