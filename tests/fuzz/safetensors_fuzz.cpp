#include "privet/tensor/safetensors.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "privet/base/error.hpp"

// The reader takes a file; this one lies in memory. What is accepted holds no more numbers than the file has
// room for, each of them finite.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("fuzz.safetensors", 0);
  static const std::string path = fmt::format("/proc/self/fd/{}", file);
  if (file < 0 || ::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
    std::abort();
  }
  try {
    std::size_t numbers = 0;
    for (const privet::tensor::NamedMatrix& matrix : privet::tensor::read_safetensors(path)) {
      numbers += matrix.values.size();
      for (const float value : matrix.values.values()) {
        if (!std::isfinite(value)) std::abort();
      }
    }
    if (numbers > size / sizeof(float)) std::abort();
  } catch (const privet::Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
