#include "privet/cli/program.hpp"

#include <cstdio>

#include "privet/base/version.hpp"

namespace privet::cli {

int run(const std::vector<std::string>&) {
  std::puts(std::string(version()).c_str());
  return 0;
}

}  // namespace privet::cli
