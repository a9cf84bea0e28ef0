#include "privet/graph/io/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"

namespace privet::graph {

Source::Source(std::filesystem::path path) : name_(path.string()), path_(std::move(path)) {}
Source::Source(const char* path) : Source(std::filesystem::path(path)) {}
Source::Source(const std::string& path) : Source(std::filesystem::path(path)) {}

Source Source::memory(std::string name, std::string_view bytes) {
  Source source;
  source.name_ = std::move(name);
  source.bytes_ = bytes;
  source.in_memory_ = true;
  return source;
}

struct ByteStream::State {
  explicit State(const Source& from) : source(from) {
    if (!source.in_memory()) file = std::make_unique<InputFile>(source.path());
    input.resize(std::size_t{1} << 17);
    refill();
    compressed = available.size() >= 2 && available[0] == '\x1f' && available[1] == '\x8b';
    if (!compressed && source.name().ends_with(".gz")) {
      throw DataError({.what = "is named .gz but is not gzip", .where = source.name()});
    }
    if (compressed && inflateInit2(&inflater, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~State() {
    if (compressed) inflateEnd(&inflater);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void refill() {
    if (file) {
      available = std::span<const char>(input.data(), file->read(input));
    } else {
      const std::size_t size = std::min(input.size(), source.bytes().size() - taken);
      available = source.bytes().subspan(taken, size);
      taken += size;
    }
  }

  std::size_t read_plain(std::span<char> buffer) {
    std::size_t filled = std::min(buffer.size(), available.size());
    std::copy_n(available.begin(), filled, buffer.begin());
    available = available.subspan(filled);
    if (filled == buffer.size()) return filled;
    if (file) return filled + file->read(buffer.subspan(filled));
    while (filled < buffer.size()) {
      refill();
      if (available.empty()) break;
      const std::size_t size = std::min(buffer.size() - filled, available.size());
      std::copy_n(available.begin(), size, buffer.begin() + static_cast<std::ptrdiff_t>(filled));
      available = available.subspan(size);
      filled += size;
    }
    return filled;
  }

  std::size_t read_gzip(std::span<char> buffer) {
    // zlib counts in 32 bits.
    buffer = buffer.first(std::min<std::size_t>(buffer.size(), std::size_t{1} << 30));
    inflater.next_out = reinterpret_cast<Bytef*>(buffer.data());
    inflater.avail_out = static_cast<uInt>(buffer.size());
    while (inflater.avail_out > 0) {
      if (available.empty()) refill();
      if (available.empty()) {
        if (member_ended) break;
        throw DataError({.what = "the gzip stream ends too early", .where = source.name()});
      }
      if (member_ended) {
        inflateReset(&inflater);  // a gzip file may be several streams, one after the other
        member_ended = false;
      }
      inflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(available.data()));
      inflater.avail_in = static_cast<uInt>(available.size());
      const int status = inflate(&inflater, Z_NO_FLUSH);
      available = available.subspan(available.size() - inflater.avail_in);
      if (status == Z_STREAM_END) {
        member_ended = true;
      } else if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw DataError({.what = fmt::format("the gzip stream is damaged: {}",
                                             inflater.msg != nullptr ? inflater.msg : "unexpected bytes"),
                         .where = source.name()});
      }
    }
    return buffer.size() - inflater.avail_out;
  }

  Source source;
  std::unique_ptr<InputFile> file;
  std::vector<char> input;
  std::span<const char> available;
  std::size_t taken = 0;
  bool compressed = false;
  bool member_ended = false;
  z_stream inflater{};
};

ByteStream::ByteStream(const Source& source) : state_(std::make_unique<State>(source)) {}
ByteStream::~ByteStream() = default;

std::size_t ByteStream::read(std::span<char> buffer) {
  if (!state_->compressed) return state_->read_plain(buffer);
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const std::size_t got = state_->read_gzip(buffer.subspan(filled));
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

RandomAccess::RandomAccess(const Source& source) : source_(source) {
  if (source_.in_memory()) {
    size_ = source_.bytes().size();
    return;
  }
  descriptor_ = ::open(source_.path().c_str(), O_RDONLY | O_CLOEXEC);
  const auto refuse = [&](std::string what) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw IoError({.what = std::move(what), .where = source_.name(), .expected = "a file"});
  };
  if (descriptor_ < 0) {
    throw IoError({.what = "can't open: " + std::generic_category().message(errno), .where = source_.name()});
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) refuse("can't be examined");
  if (S_ISDIR(status.st_mode)) refuse("is a directory");
  if (!S_ISREG(status.st_mode)) refuse("is not a regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
}

RandomAccess::~RandomAccess() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t RandomAccess::read_at(std::uint64_t position, std::span<char> buffer) const {
  if (position >= size_) return 0;
  buffer = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - position)));
  if (source_.in_memory()) {
    std::copy_n(source_.bytes().begin() + static_cast<std::ptrdiff_t>(position), buffer.size(),
                buffer.begin());
    return buffer.size();
  }
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t got = ::pread(descriptor_, buffer.data() + filled, buffer.size() - filled,
                                static_cast<off_t>(position + filled));
    if (got < 0) {
      if (errno == EINTR) continue;
      throw IoError(
          {.what = "can't read: " + std::generic_category().message(errno), .where = source_.name()});
    }
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

}  // namespace privet::graph
