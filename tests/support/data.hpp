#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace privet::testing {

/// The folder of real graphs: PRIVET_DATA, or shared/data beside the source tree; empty where there is none.
inline std::filesystem::path data_folder() {
  if (const char* given = std::getenv("PRIVET_DATA"); given != nullptr && *given != '\0') return given;
  const std::filesystem::path beside =
      std::filesystem::path(PRIVET_SOURCE_DIR).parent_path() / "shared" / "data";
  return std::filesystem::is_directory(beside) ? beside : std::filesystem::path();
}

}  // namespace privet::testing

/// Leaves the test, visibly, where the real graphs are not at hand.
#define PRIVET_NEEDS_DATA()                                                                 \
  if (privet::testing::data_folder().empty()) {                                             \
    GTEST_SKIP() << "no real graphs here: set PRIVET_DATA to a folder of native data sets"; \
  }
