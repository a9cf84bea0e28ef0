#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "privet/base/json.hpp"

namespace privet::methods {

/// Finished runs, one JSON line each, on the disk before the next begins: a comparison that is stopped loses
/// only the runs under way. A last line that was cut off by a crash is dropped.
class Journal {
 public:
  /// Reads what is there; a damaged line before the last is a DataError. The folder is made if need be.
  explicit Journal(std::filesystem::path file);

  [[nodiscard]] std::optional<Json> find(const std::string& key, std::uint64_t run) const;
  /// Appends and syncs; may be called from any thread.
  void add(const std::string& key, std::uint64_t run, const Json& result);

 private:
  std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, Json> finished_;
};

}  // namespace privet::methods
