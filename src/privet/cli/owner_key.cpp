#include "privet/cli/owner_key.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"

namespace privet::cli {
namespace {

namespace fs = std::filesystem;

fs::path key_file() {
  if (const char* named = std::getenv("PRIVET_KEY")) return named;
  if (const char* state = std::getenv("XDG_STATE_HOME")) return fs::path(state) / "privet" / "owner.key";
  if (const char* home = std::getenv("HOME")) return fs::path(home) / ".local/state/privet/owner.key";
  throw IoError({.what = "no place for the key that blinds fingerprints",
                 .remedy = "set PRIVET_KEY to a file that only you can read"});
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

[[noreturn]] void fail(const char* doing, const std::string& file) {
  throw IoError({.what = fmt::format("can't {} the key: {}", doing, std::strerror(errno)),
                 .where = file,
                 .remedy = "set PRIVET_KEY to a file that you can write, on a file system with hard links"});
}

// The key is written under another name and then gets its own, which a second name for the same bytes can do
// and a rename can't: it appears whole, and of several first uses at once only one makes it.
void make_key(const fs::path& file) {
  if (file.has_parent_path()) make_folder(file.parent_path());
  const std::string text = privacy::blinding_key_text(privacy::make_blinding_key()) + "\n";
  std::string temporary = file.string() + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);  // readable by the user alone
  if (descriptor < 0) fail("make", file.string());
  const bool whole = ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                     ::fsync(descriptor) == 0;
  ::close(descriptor);
  const bool named = whole && (::link(temporary.c_str(), file.c_str()) == 0 || errno == EEXIST);
  const int error = errno;
  ::unlink(temporary.c_str());
  errno = error;
  if (!named) fail(whole ? "name" : "write", file.string());
  flush_folder(file.has_parent_path() ? file.parent_path() : fs::path("."));
}

}  // namespace

privacy::BlindingKey owner_key() {
  constexpr std::size_t kMostBytes = 1024;
  const fs::path file = key_file();
  if (!fs::exists(file)) make_key(file);
  return privacy::blinding_key_from_text(trimmed(read_text(file, kMostBytes)), file.string());
}

}  // namespace privet::cli
