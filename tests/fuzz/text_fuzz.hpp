#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

// What reads strangers' bytes may refuse any of them with one of our errors, on one line. Anything else
// (another exception, a sanitizer's finding, a hang, too much memory) is a bug.
namespace privet::testing {

template <typename Read>
int fuzz(const std::uint8_t* data, std::size_t size, const Read& read) {
  static const bool one_thread = [] {
    set_thread_count(1);
    return true;
  }();
  (void)one_thread;
  try {
    read(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}

/// A folder of this process in memory, for readers that take files.
inline const std::filesystem::path& scratch() {
  static const std::filesystem::path folder = [] {
    const std::filesystem::path root = std::filesystem::is_directory("/dev/shm")
                                           ? std::filesystem::path("/dev/shm")
                                           : std::filesystem::temp_directory_path();
    std::string name = (root / "privet-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    static const std::string made = name;
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(made, ignored);
    });
    return std::filesystem::path(made);
  }();
  return folder;
}

inline std::filesystem::path file_of(const std::string& name, std::string_view bytes) {
  const std::filesystem::path path = scratch() / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// For what must hold of everything that was accepted.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace privet::testing

#define PRIVET_TEXT_FUZZ_TARGET(...)                                                  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    return privet::testing::fuzz(data, size, __VA_ARGS__);                            \
  }
