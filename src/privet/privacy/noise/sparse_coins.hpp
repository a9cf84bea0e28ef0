#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/privacy/noise/words.hpp"

namespace privet::privacy {

/// Many independent coins of one small probability, by the places of the heads alone: the gap to the next
/// head is geometric, so the time goes with the number of heads, not of coins.
///
/// Gaps are drawn by inversion from tables of 64-bit thresholds, level above level (a gap is an offset within
/// a block plus a number of whole blocks, which is geometric again). The probability of every gap is the
/// ideal one up to a factor 1 +- kGapError.
class SparseCoins {
 public:
  /// `probability` from 2^-40 to 1; an InvalidArgument otherwise.
  explicit SparseCoins(double probability);

  static constexpr double kGapError = 0x1p-43;

  /// Tails before the next head.
  std::uint64_t gap(Words& words) const {
    std::uint64_t total = 0;
    std::uint64_t unit = 1;
    for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
      total += unit * levels_[level].find(words.next());
      unit *= levels_[level].size;
    }
    const Level& top = levels_.back();
    std::uint64_t word = words.next();
    while (word < top.at_least.back()) {
      total += unit * top.size;
      word = words.next();
    }
    return total + unit * top.find(word);
  }

  /// The places of the heads among `count` coins, ascending, each plus `first`; appended to `heads`. `first`
  /// + `count` fits 32 bits.
  void toss(Words& words, std::uint32_t first, std::uint32_t count, std::vector<std::uint32_t>& heads) const {
    for (std::uint64_t at = gap(words); at < count; at += 1 + gap(words)) {
      heads.push_back(first + static_cast<std::uint32_t>(at));
    }
  }

 private:
  static constexpr int kGuideBits = 11;

  // Values 0 .. size-1; a word below at_least[j] (in 2^-64) means a value above j. at_least[size-1] is 0 in
  // all levels but the top one, where it is the probability of leaving the block.
  struct Level {
    std::uint64_t size = 0;
    std::vector<std::uint64_t> at_least;
    // By the first bits of a word: a value to search from. Fine enough that a search is rarely needed.
    std::array<std::uint16_t, std::size_t{1} << kGuideBits> guide{};

    [[nodiscard]] std::uint64_t find(std::uint64_t word) const {
      std::uint64_t value = guide[word >> (64 - kGuideBits)];
      while (word < at_least[value]) ++value;
      return value;
    }
    void make_guide();
  };
  std::vector<Level> levels_;
};

}  // namespace privet::privacy
