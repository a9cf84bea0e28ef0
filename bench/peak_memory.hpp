#pragma once

#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace privet::bench {

/// The most memory that was resident since it was made, above what was resident then: of one size of a
/// benchmark, not of the largest before it. Linux keeps the mark and takes it back on demand (proc(5),
/// clear_refs). Freed memory is given back first, so that it is not counted as there already.
class PeakMemory {
 public:
  PeakMemory() {
    malloc_trim(0);
    std::ofstream clear("/proc/self/clear_refs");
    clear << "5";
    clear.close();
    start_ = clear.good() ? status("VmRSS:") : std::numeric_limits<double>::quiet_NaN();
  }

  /// Not a number where the system does not say.
  [[nodiscard]] double mebibytes() const { return (status("VmHWM:") - start_) / 1024; }

 private:
  static double status(const std::string& field) {
    std::ifstream lines("/proc/self/status");
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(field)) return std::strtod(line.c_str() + field.size(), nullptr);
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  double start_;
};

}  // namespace privet::bench
