#include "privet/graph/io/zip_reader.hpp"

#include <fmt/format.h>
#include <minizip/unzip.h>

#include <algorithm>
#include <array>
#include <exception>
#include <unordered_set>
#include <utility>

#include "privet/base/error.hpp"

namespace privet::graph {
namespace {

// More members than any data set has; each costs a little memory before a single byte is looked at.
constexpr std::uint64_t kMaxMembers = 1 << 16;

// Deflate spends at least one bit on a match of at most 258 bytes and two such bits on a block's end; zlib
// gives 1032:1 as the limit (zlib.net/zlib_tech.html). The slack covers the empty and the tiniest members.
constexpr std::uint64_t kDeflateLimit = 1032;
constexpr std::uint64_t kDeflateSlack = 1032;

// minizip's view of a RandomAccess. Exceptions must not cross its C frames: the first is kept and rethrown
// after the call returns.
struct Stream {
  const RandomAccess* bytes = nullptr;
  std::uint64_t position = 0;
  std::exception_ptr failure;
};

Stream& stream_of(voidpf opaque) { return *static_cast<Stream*>(opaque); }

voidpf open_stream(voidpf opaque, const void*, int) {
  stream_of(opaque).position = 0;
  return opaque;
}

uLong read_stream(voidpf opaque, voidpf, void* buffer, uLong size) {
  Stream& stream = stream_of(opaque);
  try {
    const std::size_t got = stream.bytes->read_at(stream.position, {static_cast<char*>(buffer), size});
    stream.position += got;
    return static_cast<uLong>(got);
  } catch (...) {
    if (!stream.failure) stream.failure = std::current_exception();
    return 0;
  }
}

uLong write_stream(voidpf, voidpf, const void*, uLong) { return 0; }

ZPOS64_T tell_stream(voidpf opaque, voidpf) { return stream_of(opaque).position; }

long seek_stream(voidpf opaque, voidpf, ZPOS64_T offset, int origin) {
  Stream& stream = stream_of(opaque);
  std::uint64_t base = 0;
  if (origin == ZLIB_FILEFUNC_SEEK_CUR) base = stream.position;
  if (origin == ZLIB_FILEFUNC_SEEK_END) base = stream.bytes->size();
  if (offset > stream.bytes->size() || base + offset > stream.bytes->size()) return -1;
  stream.position = base + offset;
  return 0;
}

int close_stream(voidpf, voidpf) { return 0; }

int error_of_stream(voidpf opaque, voidpf) { return stream_of(opaque).failure ? 1 : 0; }

}  // namespace

struct ZipReader::State {
  explicit State(const Source& source) : name(source.name()), bytes(source) {
    stream.bytes = &bytes;
    zlib_filefunc64_def functions{};
    functions.zopen64_file = open_stream;
    functions.zread_file = read_stream;
    functions.zwrite_file = write_stream;
    functions.ztell64_file = tell_stream;
    functions.zseek64_file = seek_stream;
    functions.zclose_file = close_stream;
    functions.zerror_file = error_of_stream;
    functions.opaque = &stream;
    archive = unzOpen2_64(name.c_str(), &functions);
    rethrow();
    if (archive == nullptr) {
      throw DataError({.what = "is not a zip archive, or is truncated", .where = name});
    }
    try {
      list();
    } catch (...) {
      unzClose(archive);
      throw;
    }
  }
  ~State() {
    if (current >= 0) unzCloseCurrentFile(archive);
    unzClose(archive);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void rethrow() {
    if (stream.failure) std::rethrow_exception(std::exchange(stream.failure, nullptr));
  }

  [[noreturn]] void damaged(const std::string& what, const std::string& member = {}) {
    rethrow();
    throw DataError({.what = what, .where = member.empty() ? name : name + ": " + member});
  }

  void list() {
    std::unordered_set<std::string> seen;
    int status = unzGoToFirstFile(archive);
    unz_global_info64 global{};
    unzGetGlobalInfo64(archive, &global);
    if (global.number_entry == 0) return;
    if (global.number_entry > kMaxMembers) damaged(fmt::format("{} members", global.number_entry));
    for (std::uint64_t k = 0; k < global.number_entry; ++k) {
      if (status != UNZ_OK) damaged("the zip directory is damaged");
      std::array<char, 512> buffer{};
      unz_file_info64 info{};
      if (unzGetCurrentFileInfo64(archive, &info, buffer.data(), buffer.size(), nullptr, 0, nullptr, 0) !=
          UNZ_OK) {
        damaged("the zip directory is damaged");
      }
      if (info.size_filename >= buffer.size()) damaged("a member has an overlong name");
      Member member{.name = std::string(buffer.data(), info.size_filename), .size = info.uncompressed_size};
      if ((info.flag & 1U) != 0) damaged("is encrypted", member.name);
      if (info.compression_method != 0 && info.compression_method != Z_DEFLATED) {
        damaged(fmt::format("is packed by method {} (only stored and deflated can be read)",
                            info.compression_method),
                member.name);
      }
      const std::uint64_t most = info.compression_method == 0
                                     ? info.compressed_size
                                     : info.compressed_size * kDeflateLimit + kDeflateSlack;
      if (info.compressed_size > bytes.size() || info.uncompressed_size > most) {
        damaged(fmt::format("claims {} bytes in {} compressed ones, which is impossible",
                            info.uncompressed_size, info.compressed_size),
                member.name);
      }
      if (!seen.insert(member.name).second) damaged("is there twice", member.name);
      unz64_file_pos position{};
      unzGetFilePos64(archive, &position);
      members.push_back(std::move(member));
      positions.push_back(position);
      status = unzGoToNextFile(archive);
    }
    rethrow();
  }

  std::string name;
  RandomAccess bytes;
  Stream stream;
  unzFile archive = nullptr;
  std::vector<Member> members;
  std::vector<unz64_file_pos> positions;
  std::ptrdiff_t current = -1;
};

ZipReader::ZipReader(const Source& source) : state_(std::make_unique<State>(source)) {}
ZipReader::~ZipReader() = default;

const std::vector<ZipReader::Member>& ZipReader::members() const noexcept { return state_->members; }

void ZipReader::open(std::size_t index) {
  State& state = *state_;
  if (state.current >= 0) unzCloseCurrentFile(state.archive);
  state.current = -1;
  if (unzGoToFilePos64(state.archive, &state.positions[index]) != UNZ_OK ||
      unzOpenCurrentFile(state.archive) != UNZ_OK) {
    state.damaged("the zip header of the member is damaged", state.members[index].name);
  }
  state.current = static_cast<std::ptrdiff_t>(index);
}

void ZipReader::read(std::span<char> buffer) {
  State& state = *state_;
  while (!buffer.empty()) {
    const auto piece = static_cast<unsigned>(std::min<std::size_t>(buffer.size(), std::size_t{1} << 30));
    const int got = unzReadCurrentFile(state.archive, buffer.data(), piece);
    const std::string& member = state.members[static_cast<std::size_t>(state.current)].name;
    if (got < 0) state.damaged("the compressed data is damaged or truncated", member);
    if (got == 0) state.damaged("ends before the size it declares", member);
    buffer = buffer.subspan(static_cast<std::size_t>(got));
  }
}

void ZipReader::close() {
  State& state = *state_;
  const std::size_t index = static_cast<std::size_t>(std::exchange(state.current, -1));
  if (unzCloseCurrentFile(state.archive) == UNZ_CRCERROR) {
    state.damaged("the CRC does not match: the member is damaged", state.members[index].name);
  }
  state.rethrow();
}

}  // namespace privet::graph
