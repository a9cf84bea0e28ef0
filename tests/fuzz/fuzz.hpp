#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "graph/io/archives.hpp"
#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/graph/dataset.hpp"

// A reader may refuse any bytes with one of our errors; what it accepts has to be whole. Anything else
// (another exception, a sanitizer's finding, a hang, too much memory) is a bug.
namespace privet::graph::testing {

template <typename Read>
int fuzz(const std::uint8_t* data, std::size_t size, const Read& read) {
  static const bool one_thread = [] {
    set_thread_count(1);
    return true;
  }();
  (void)one_thread;
  try {
    const Dataset dataset = read(std::string_view(reinterpret_cast<const char*>(data), size));
    check(dataset, "fuzz");
    for (NodeId i = 0; i < dataset.nodes(); ++i) {
      for (const NodeId neighbor : dataset.graph.neighbors(i)) {
        if (neighbor == i || (dataset.graph.undirected() && !dataset.graph.has_entry(neighbor, i)))
          std::abort();
      }
    }
  } catch (const Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}

/// The part of `data` up to the first 0xff and a newline, which is then taken off it: several small files in
/// one input.
inline std::string_view next_file(std::string_view& data) {
  const std::string_view file = data.substr(0, data.find("\xff\n"));
  data.remove_prefix(std::min(data.size(), file.size() + 2));
  return file;
}

/// The bytes as a zip archive: as they are when they begin like one, else as pairs of a name and a content,
/// put into an archive with a proper directory and CRC, which a fuzzer would hardly find by itself.
inline std::string as_archive(std::string_view data) {
  if (data.substr(0, 2) == "PK") return std::string(data);
  std::vector<ZipMember> members;
  while (!data.empty() && members.size() < 32) {
    const std::string name(next_file(data));
    const std::string bytes(next_file(data));
    members.push_back({.name = name + ".npy", .bytes = bytes, .deflate = false});
  }
  return zip(members);
}

}  // namespace privet::graph::testing

#define PRIVET_FUZZ_TARGET(...)                                                       \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    return privet::graph::testing::fuzz(data, size, __VA_ARGS__);                     \
  }
