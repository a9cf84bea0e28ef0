#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace privet::graph {

/// Writes a zip archive of deflated members through an OutputFile: it appears whole or not at all. Every
/// member carries the same fixed date, so equal contents are equal bytes.
class ZipWriter {
 public:
  explicit ZipWriter(const std::filesystem::path& target);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  /// Begins a member of `size` bytes; the one before ends.
  void begin(const std::string& name, std::uint64_t size);
  void write(std::string_view bytes);
  /// Ends the archive and moves it into place.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace privet::graph
