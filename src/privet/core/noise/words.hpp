#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "privet/base/random.hpp"

namespace privet::privacy {

/// Uniform words for inner loops, fetched from a stream a page at a time. What is left when it goes out of
/// scope is thrown away, so words must come from a stream whose position tells nothing: a fork.
class Words {
 public:
  explicit Words(RandomStream& stream) : stream_(stream) {}
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  /// 64 uniform bits.
  std::uint64_t next() {
    if (kPage - used_ < 4) fetch();
    std::uint64_t word = 0;
    std::memcpy(&word, parts_.data() + used_, sizeof word);
    used_ += 4;
    return word;
  }

  /// 16 uniform bits.
  std::uint16_t next_part() {
    if (used_ == kPage) fetch();
    return parts_[used_++];
  }

  /// The next parts that next_part() would give, at least one, to be read in a loop. Those used are to be
  /// taken out by use_parts() before anything else is asked for.
  std::span<const std::uint16_t> parts() {
    if (used_ == kPage) fetch();
    return std::span(parts_).subspan(used_);
  }
  void use_parts(std::size_t count) { used_ += count; }

 private:
  void fetch() {
    stream_.fill(std::as_writable_bytes(std::span(parts_)));
    used_ = 0;
  }

  static constexpr std::size_t kPage = 2048;
  RandomStream& stream_;
  std::size_t used_ = kPage;
  std::array<std::uint16_t, kPage> parts_;
};

}  // namespace privet::privacy
