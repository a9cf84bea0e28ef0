#include "privet/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "privet/base/error.hpp"

namespace privet {
namespace {

std::string reason(int error) { return std::error_code(error, std::generic_category()).message(); }

// Names of temporary files in a form that a signal handler can read: fixed storage, a flag that says when a
// name is complete.
struct TemporaryName {
  std::atomic<bool> taken{false};
  std::atomic<bool> complete{false};
  std::array<char, 4096> path{};
};
std::array<TemporaryName, 64> temporary_names;

int remember(const std::string& path) {
  for (std::size_t i = 0; i < temporary_names.size(); ++i) {
    TemporaryName& name = temporary_names[i];
    if (path.size() >= name.path.size() || name.taken.exchange(true)) continue;
    std::memcpy(name.path.data(), path.c_str(), path.size() + 1);
    name.complete = true;
    return static_cast<int>(i);
  }
  return -1;
}

void forget(int slot) {
  if (slot < 0) return;
  temporary_names[static_cast<std::size_t>(slot)].complete = false;
  temporary_names[static_cast<std::size_t>(slot)].taken = false;
}

}  // namespace

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw IoError({.what = "can't open: " + reason(errno), .where = path_.string()});
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      ::close(descriptor_);
      throw IoError({.what = "is a directory", .where = path_.string(), .expected = "a file"});
    }
    if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
  }
#ifdef POSIX_FADV_SEQUENTIAL
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t got = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
    if (got < 0) {
      if (errno == EINTR) continue;
      throw IoError({.what = "can't read: " + reason(errno), .where = path_.string()});
    }
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

OutputFile::OutputFile(std::filesystem::path target) : target_(std::move(target)) {
  std::error_code ignored;
  if (std::filesystem::is_directory(target_, ignored)) {
    throw IoError({.what = "is a directory", .where = target_.string(), .expected = "a file to write"});
  }
  temporary_ = target_.string() + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor < 0) {
    throw IoError({.what = "can't write: " + reason(errno), .where = target_.string()});
  }
  slot_ = remember(temporary_);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor, 0666 & ~mask);
  stream_ = ::fdopen(descriptor, "wb");
  if (stream_ == nullptr) {
    const int error = errno;
    ::close(descriptor);
    discard();
    errno = error;
    fail("write");
  }
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::fail(const char* doing) const {
  throw IoError({.what = fmt::format("can't {}: {}", doing, reason(errno)),
                 .where = target_.string(),
                 .remedy = "nothing was written"});
}

void OutputFile::discard() noexcept {
  if (stream_ != nullptr) std::fclose(stream_);
  stream_ = nullptr;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  forget(std::exchange(slot_, -1));
}

void OutputFile::write(std::string_view bytes) {
  if (bytes.empty()) return;  // an empty view may point nowhere
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) != bytes.size()) fail("write");
  position_ += bytes.size();
}

void OutputFile::seek(std::size_t position) {
  if (::fseeko(stream_, static_cast<off_t>(position), SEEK_SET) != 0) fail("write");
  position_ = position;
}

void OutputFile::commit() {
  if (std::fflush(stream_) != 0 || ::fsync(::fileno(stream_)) != 0) fail("write");
  std::FILE* stream = std::exchange(stream_, nullptr);
  if (std::fclose(stream) != 0) fail("write");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename into place");
  temporary_.clear();
  forget(std::exchange(slot_, -1));
}

void remove_temporary_files() noexcept {
  for (TemporaryName& name : temporary_names) {
    if (name.complete.exchange(false)) ::unlink(name.path.data());
  }
}

std::string read_text(const std::filesystem::path& path, std::size_t max_bytes) {
  InputFile file(path);
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (const std::size_t got = file.read(buffer)) {
    text.append(buffer.data(), got);
    if (text.size() > max_bytes) {
      throw DataError({.what = "file is too large",
                       .where = path.string(),
                       .expected = fmt::format("at most {} bytes", max_bytes)});
    }
  }
  return text;
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void flush_folder(const std::filesystem::path& folder) noexcept {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError({.what = "can't make the folder: " + error.message(), .where = folder.string()});
  if (!std::filesystem::is_directory(folder, error)) {
    throw IoError({.what = "is not a folder", .where = folder.string()});
  }
}

}  // namespace privet
