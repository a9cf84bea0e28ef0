#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "privet/base/file.hpp"
#include "privet/base/random.hpp"

namespace privet {

/// A file of random pairs in the temporary folder, "a,b" a line, that goes away with its owner.
class RandomPairsFile {
 public:
  RandomPairsFile(std::size_t pairs, std::size_t nodes)
      : path_((std::filesystem::temp_directory_path() / fmt::format("random_pairs_{}.csv", ::getpid()))
                  .string()) {
    SeededStream random(1);
    OutputFile file(path_);
    std::string text;
    for (std::size_t i = 0; i < pairs; ++i) {
      text += fmt::format("{},{}\n", random.below(nodes), random.below(nodes));
      if (text.size() > (1U << 20)) {
        file.write(text);
        text.clear();
      }
    }
    file.write(text);
    file.commit();
  }
  ~RandomPairsFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  RandomPairsFile(const RandomPairsFile&) = delete;
  RandomPairsFile& operator=(const RandomPairsFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace privet
