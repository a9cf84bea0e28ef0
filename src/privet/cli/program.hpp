#pragma once

#include <string>
#include <vector>

namespace privet::cli {

/// The whole program: runs `privet ARGUMENTS...` and returns its exit status.
///
///     0  done                      2  bad usage or bad input
///     1  failed while running      3  refused to protect privacy
int run(const std::vector<std::string>& arguments);

}  // namespace privet::cli
