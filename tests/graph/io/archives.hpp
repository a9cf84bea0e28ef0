#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "privet/graph/io/npy.hpp"
#include "privet/graph/io/source.hpp"

// Archives and arrays made byte by byte, so that tests can also make wrong ones.
namespace privet::graph::testing {

inline void put(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

inline std::string deflated(std::string_view text) {
  std::string packed(compressBound(static_cast<uLong>(text.size())) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string gzipped(std::string_view text) {
  std::string packed(compressBound(static_cast<uLong>(text.size())) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// One member of an archive; what is set lies.
struct ZipMember {
  std::string name;
  std::string bytes;
  bool deflate = true;
  std::optional<std::uint32_t> crc = {};
  std::optional<std::uint32_t> size = {};
  std::optional<std::uint16_t> method = {};
  std::uint16_t flags = 0;
};

inline std::string zip(const std::vector<ZipMember>& members) {
  std::string archive;
  std::string directory;
  for (const ZipMember& member : members) {
    const std::string packed = member.deflate ? deflated(member.bytes) : member.bytes;
    const auto crc = member.crc.value_or(static_cast<std::uint32_t>(crc32(
        0, reinterpret_cast<const Bytef*>(member.bytes.data()), static_cast<uInt>(member.bytes.size()))));
    const std::uint64_t offset = archive.size();
    std::string common;
    put(common, 20, 2);
    put(common, member.flags, 2);
    put(common, member.method.value_or(member.deflate ? 8 : 0), 2);
    put(common, 0, 2);
    put(common, 0x21, 2);
    put(common, crc, 4);
    put(common, packed.size(), 4);
    put(common, member.size.value_or(static_cast<std::uint32_t>(member.bytes.size())), 4);
    put(common, member.name.size(), 2);
    put(common, 0, 2);
    archive += "PK\x03\x04" + common + member.name + packed;
    directory += "PK\x01\x02";
    put(directory, 20, 2);
    directory += common;
    put(directory, 0, 2);
    put(directory, 0, 2);
    put(directory, 0, 2);
    put(directory, 0, 4);
    put(directory, offset, 4);
    directory += member.name;
  }
  const std::uint64_t offset = archive.size();
  archive += directory;
  archive += "PK\x05\x06";
  put(archive, 0, 2);
  put(archive, 0, 2);
  put(archive, members.size(), 2);
  put(archive, members.size(), 2);
  put(archive, directory.size(), 4);
  put(archive, offset, 4);
  put(archive, 0, 2);
  return archive;
}

template <typename T>
std::string descr_of() {
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return std::string(sizeof(T) == 1 ? "|" : "<") + kind + std::to_string(sizeof(T));
}

template <typename T>
std::string npy(const std::vector<T>& values, std::vector<std::uint64_t> shape) {
  std::string bytes = npy_header(descr_of<T>(), shape);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return bytes;
}

/// An array with a header of one's own.
inline std::string raw_npy(const std::string& dictionary, std::string_view data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  put(bytes, dictionary.size() + 1, 2);
  return bytes + dictionary + "\n" + std::string(data);
}

template <typename T>
ZipMember array(const std::string& name, const std::vector<T>& values,
                std::vector<std::uint64_t> shape = {}) {
  if (shape.empty()) shape = {values.size()};
  return {.name = name + ".npy", .bytes = npy(values, std::move(shape))};
}

/// Puts an array in the place of the one of its name, or behind the others.
inline std::vector<ZipMember> with(std::vector<ZipMember> members, ZipMember member) {
  for (ZipMember& known : members) {
    if (known.name == member.name) {
      known = std::move(member);
      return members;
    }
  }
  members.push_back(std::move(member));
  return members;
}

inline std::vector<ZipMember> without(std::vector<ZipMember> members, const std::string& array) {
  std::erase_if(members, [&](const ZipMember& member) { return member.name == array + ".npy"; });
  return members;
}

/// A folder that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "privet_test.XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// The one line that a call fails with, or "" when it does not fail.
template <typename Failure, typename Call>
std::string failure_of(const Call& call) {
  try {
    call();
  } catch (const Failure& error) {
    return error.what();
  }
  return {};
}

}  // namespace privet::graph::testing

/// Expects `call` to throw `Failure` with a message that has `text` in it.
#define EXPECT_FAILS_WITH(Failure, text, call)                                                      \
  do {                                                                                              \
    const std::string message = privet::graph::testing::failure_of<Failure>([&] { (void)(call); }); \
    EXPECT_NE(message.find(text), std::string::npos) << "message: '" << message << "'";             \
    EXPECT_EQ(message.find('\n'), std::string::npos);                                               \
  } while (false)
