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

}  // namespace

privacy::BlindingKey owner_key() {
  constexpr std::size_t kMostBytes = 1024;
  const fs::path file = key_file();
  if (!fs::exists(file)) {
    if (file.has_parent_path()) make_folder(file.parent_path());
    const std::string text = privacy::blinding_key_text(privacy::make_blinding_key()) + "\n";
    // Exclusive: of two first uses at once one makes the key and both read it. Written whole in one call.
    const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0 && errno != EEXIST)
      throw IoError({.what = fmt::format("can't make the key: {}", std::strerror(errno)),
                     .where = file.string(),
                     .remedy = "set PRIVET_KEY to a file that you can write"});
    if (made >= 0) {
      const bool whole = ::write(made, text.data(), text.size()) == static_cast<ssize_t>(text.size());
      ::close(made);
      if (!whole) {
        ::unlink(file.c_str());
        throw IoError({.what = "can't write the key", .where = file.string()});
      }
    }
  }
  return privacy::blinding_key_from_text(trimmed(read_text(file, kMostBytes)), file.string());
}

}  // namespace privet::cli
