#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace privet {

/// A regular file open for reading, from front to back. Directories, missing files and missing permissions
/// are an IoError that names the path.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Fills `buffer` as far as the file reaches and returns how far that was; 0 at the end.
  std::size_t read(std::span<char> buffer);
  /// Bytes in the file, or 0 where the system can't say (a pipe).
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
};

/// A file that appears whole or not at all. Bytes go to a temporary name in the same folder; `commit` flushes
/// them to the disk and renames. Destroyed without commit, nothing is left behind; so also when the process
/// is ended by Ctrl-C or SIGTERM and remove_temporary_files() is called from the handler.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path target);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  /// Overwrites bytes already written (archives patch their headers).
  void seek(std::size_t position);
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  void commit();

 private:
  [[noreturn]] void fail(const char* doing) const;
  void discard() noexcept;

  std::filesystem::path target_;
  std::string temporary_;
  int slot_ = -1;
  std::FILE* stream_ = nullptr;
  std::size_t position_ = 0;
};

/// Unlinks the temporary files of every OutputFile that is open. Safe to call from a signal handler.
void remove_temporary_files() noexcept;

std::string read_text(const std::filesystem::path& file, std::size_t max_bytes);
void write_text(const std::filesystem::path& file, std::string_view text);

/// Names that were made in the folder survive a power cut from here on, where the file system can promise
/// that.
void flush_folder(const std::filesystem::path& folder) noexcept;

/// Makes the folder and its parents; an IoError where that is not possible.
void make_folder(const std::filesystem::path& folder);

}  // namespace privet
