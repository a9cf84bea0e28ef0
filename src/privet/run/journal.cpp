#include "privet/run/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"

namespace privet::methods {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

[[noreturn]] void refused(const std::filesystem::path& file, const char* doing) {
  throw IoError({.what = fmt::format("can't {}: {}", doing, std::strerror(errno)), .where = file.string()});
}

class Appending {
 public:
  explicit Appending(const std::filesystem::path& file)
      : file_(file), descriptor_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) refused(file, "open");
  }
  ~Appending() { ::close(descriptor_); }
  Appending(const Appending&) = delete;
  Appending& operator=(const Appending&) = delete;
  void write_line(const std::string& line) const {
    if (::write(descriptor_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      refused(file_, "write");
    if (::fsync(descriptor_) != 0) refused(file_, "write");
  }

 private:
  const std::filesystem::path& file_;
  int descriptor_;
};

}  // namespace

Journal::Journal(std::filesystem::path file) : file_(std::move(file)) {
  if (file_.has_parent_path()) make_folder(file_.parent_path());
  if (!std::filesystem::exists(file_)) return;
  const std::string text = read_text(file_, kMaxBytes);
  std::size_t line = 1;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin), ++line) {
    const std::string where = fmt::format("{}, line {}", file_.string(), line);
    const Json entry = parse_json(std::string_view(text).substr(begin, end - begin), where);
    if (!entry.is_object() || !entry.contains("key") || !entry["key"].is_string() || !entry.contains("run") ||
        !entry["run"].is_number_unsigned() || !entry.contains("result")) {
      throw DataError(
          {.what = "not a finished run", .where = where, .remedy = "remove the file to start anew"});
    }
    finished_[{entry["key"].get<std::string>(), entry["run"].get<std::uint64_t>()}] = entry["result"];
    begin = end + 1;
  }
  if (begin < text.size() && ::truncate(file_.c_str(), static_cast<off_t>(begin)) != 0)
    refused(file_, "drop a line that was cut off");
}

std::optional<Json> Journal::find(const std::string& key, std::uint64_t run) const {
  const std::lock_guard lock(mutex_);
  const auto found = finished_.find({key, run});
  if (found == finished_.end()) return {};
  return found->second;
}

void Journal::add(const std::string& key, std::uint64_t run, const Json& result) {
  const std::lock_guard lock(mutex_);
  Appending(file_).write_line(to_line(Json{{"key", key}, {"run", run}, {"result", result}}));
  finished_[{key, run}] = result;
}

}  // namespace privet::methods
