#include "privet/graph/io/zip_writer.hpp"

#include <minizip/zip.h>
#include <zlib.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"

namespace privet::graph {
namespace {

// minizip's view of an OutputFile. Exceptions must not cross its C frames: the first is kept and rethrown
// after the call returns.
struct Stream {
  explicit Stream(const std::filesystem::path& target) : file(target) {}
  OutputFile file;
  std::uint64_t end = 0;
  std::exception_ptr failure;
};

Stream& stream_of(voidpf opaque) { return *static_cast<Stream*>(opaque); }

voidpf open_stream(voidpf opaque, const void*, int) { return opaque; }

uLong read_stream(voidpf, voidpf, void*, uLong) { return 0; }

uLong write_stream(voidpf opaque, voidpf, const void* buffer, uLong size) {
  Stream& stream = stream_of(opaque);
  if (stream.failure) return 0;
  try {
    stream.file.write({static_cast<const char*>(buffer), size});
    stream.end = std::max<std::uint64_t>(stream.end, stream.file.position());
    return size;
  } catch (...) {
    stream.failure = std::current_exception();
    return 0;
  }
}

ZPOS64_T tell_stream(voidpf opaque, voidpf) { return stream_of(opaque).file.position(); }

long seek_stream(voidpf opaque, voidpf, ZPOS64_T offset, int origin) {
  Stream& stream = stream_of(opaque);
  std::uint64_t base = 0;
  if (origin == ZLIB_FILEFUNC_SEEK_CUR) base = stream.file.position();
  if (origin == ZLIB_FILEFUNC_SEEK_END) base = stream.end;
  if (stream.failure) return -1;
  try {
    stream.file.seek(base + offset);
    return 0;
  } catch (...) {
    stream.failure = std::current_exception();
    return -1;
  }
}

int close_stream(voidpf, voidpf) { return 0; }

int error_of_stream(voidpf opaque, voidpf) { return stream_of(opaque).failure ? 1 : 0; }

}  // namespace

struct ZipWriter::State {
  explicit State(const std::filesystem::path& target) : name(target.string()), stream(target) {
    zlib_filefunc64_def functions{};
    functions.zopen64_file = open_stream;
    functions.zread_file = read_stream;
    functions.zwrite_file = write_stream;
    functions.ztell64_file = tell_stream;
    functions.zseek64_file = seek_stream;
    functions.zclose_file = close_stream;
    functions.zerror_file = error_of_stream;
    functions.opaque = &stream;
    archive = zipOpen2_64(name.c_str(), APPEND_STATUS_CREATE, nullptr, &functions);
    expect(archive != nullptr);
  }
  ~State() {
    // Without commit the archive goes nowhere; closing only frees what minizip holds.
    if (archive != nullptr) zipClose(archive, nullptr);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void expect(bool done) {
    if (stream.failure) std::rethrow_exception(stream.failure);
    if (!done) throw IoError({.what = "can't write the archive", .where = name});
  }

  void end_member() {
    if (std::exchange(inside, false)) expect(zipCloseFileInZip(archive) == ZIP_OK);
  }

  std::string name;
  Stream stream;
  zipFile archive = nullptr;
  bool inside = false;
};

ZipWriter::ZipWriter(const std::filesystem::path& target) : state_(std::make_unique<State>(target)) {}
ZipWriter::~ZipWriter() = default;

void ZipWriter::begin(const std::string& name, std::uint64_t size) {
  State& state = *state_;
  state.end_member();
  zip_fileinfo info{};
  // The first date that zip can say: 1 January 1980.
  info.tmz_date.tm_year = 1980;
  info.tmz_date.tm_mon = 0;
  info.tmz_date.tm_mday = 1;
  // Deflate may grow data that will not compress by a little, hence not exactly 4 GiB.
  const int zip64 = size >= 0xf0000000 ? 1 : 0;
  state.expect(zipOpenNewFileInZip3_64(state.archive, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
                                       Z_DEFLATED, 6, 0, -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY,
                                       nullptr, 0, zip64) == ZIP_OK);
  state.inside = true;
}

void ZipWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto piece = static_cast<unsigned>(std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    state_->expect(zipWriteInFileInZip(state_->archive, bytes.data(), piece) == ZIP_OK);
    bytes.remove_prefix(piece);
  }
}

void ZipWriter::commit() {
  State& state = *state_;
  state.end_member();
  const bool closed = zipClose(std::exchange(state.archive, nullptr), nullptr) == ZIP_OK;
  state.expect(closed);
  state.stream.file.commit();
}

}  // namespace privet::graph
