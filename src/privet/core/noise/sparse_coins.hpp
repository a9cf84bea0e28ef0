#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/noise/words.hpp"

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
      total += unit * levels_[level].draw(words);
      unit *= levels_[level].size;
    }
    return total + unit * levels_.back().draw(words);
  }

  /// The places of the heads among `count` coins, ascending, each plus `first`; appended to `heads`. `first`
  /// + `count` fits 32 bits.
  template <typename Heads>
  void toss(Words& words, std::uint32_t first, std::uint32_t count, Heads& heads) const {
    if (levels_.size() > 1) {
      for (std::uint64_t at = gap(words); at < count; at += 1 + gap(words)) {
        heads.push_back(first + static_cast<std::uint32_t>(at));
      }
      return;
    }
    const Level& level = levels_.front();
    std::array<std::uint32_t, 128> places;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    for (std::uint64_t at = 0;;) {
      const std::span<const std::uint16_t> parts = words.parts();
      const std::size_t most = std::min(parts.size(), places.size());
      std::size_t found = 0;
      bool open = false;
      for (; found < most; ++found, ++at) {
        const std::uint16_t cell = level.guide[parts[found] >> (16 - kGuideBits)];
        open = cell >= kOpen;
        if (open) break;
        at += cell;
        if (at >= count) break;
        places[found] = first + static_cast<std::uint32_t>(at);
      }
      heads.insert(heads.end(), places.begin(), places.begin() + found);
      if (at >= count) {
        // The part that led past the end is used up too: it is known to be one of a large gap.
        words.use_parts(std::min(found + 1, most));
        return;
      }
      words.use_parts(found);
      if (!open) continue;
      at += level.draw(words);
      if (at >= count) return;
      heads.push_back(first + static_cast<std::uint32_t>(at++));
    }
  }

 private:
  static constexpr unsigned kGuideBits = 14;
  static constexpr std::uint16_t kOpen = 0x8000;

  // Values 0 .. size-1; a word below at_least[j] (in 2^-64) means a value above j. at_least[size-1] is 0 in
  // all levels but the top one, where it is the probability of leaving the block: the block is then passed
  // and another value drawn.
  struct Level {
    std::uint64_t size = 0;
    std::vector<std::uint64_t> at_least;
    // By the first bits of a word: the least value of the words that begin so, and kOpen beside it where they
    // have several or leave the block.
    std::array<std::uint16_t, std::size_t{1} << kGuideBits> guide{};

    // A word's first 16 bits nearly always tell its value. Only where they do not are the other 48 drawn: the
    // law is that of whole words.
    [[nodiscard]] std::uint64_t draw(Words& words) const {
      const std::uint16_t part = words.next_part();
      const std::uint16_t cell = guide[part >> (16 - kGuideBits)];
      return cell < kOpen ? cell : draw_open(part, words);
    }
    [[nodiscard]] std::uint64_t draw_open(std::uint16_t part, Words& words) const;
    void make_guide();
  };
  std::vector<Level> levels_;
};

}  // namespace privet::privacy
