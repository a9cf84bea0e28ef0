#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "privet/base/random.hpp"

namespace privet::privacy {

/// Uniform 64-bit words for inner loops, fetched from a stream a page at a time. What is left when it goes
/// out of scope is thrown away, so words must come from a stream whose position tells nothing: a fork.
class Words {
 public:
  explicit Words(RandomStream& stream) : stream_(stream) {}
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  std::uint64_t next() {
    if (used_ == words_.size()) {
      stream_.fill(std::as_writable_bytes(std::span(words_)));
      used_ = 0;
    }
    return words_[used_++];
  }

 private:
  RandomStream& stream_;
  std::size_t used_ = kPage;
  static constexpr std::size_t kPage = 512;
  std::array<std::uint64_t, kPage> words_;
};

}  // namespace privet::privacy
