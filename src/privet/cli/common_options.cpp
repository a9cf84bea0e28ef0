#include "privet/cli/common_options.hpp"

#include "privet/base/options.hpp"
#include "privet/base/parallel.hpp"

namespace privet::cli {

void declare_threads(Command& command) {
  command.option("--threads", "N", "threads to use (default: all cores); results don't depend on it",
                 [](const std::string& text) { set_thread_count(parse_integer(text, "--threads")); });
}

}  // namespace privet::cli
