#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

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

}  // namespace privet::graph::testing

#define PRIVET_FUZZ_TARGET(...)                                                       \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    return privet::graph::testing::fuzz(data, size, __VA_ARGS__);                     \
  }
