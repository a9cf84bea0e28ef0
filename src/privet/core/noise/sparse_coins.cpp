#include "privet/core/noise/sparse_coins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

constexpr std::uint64_t kBlock = 4096;

// A probability as a threshold for 64-bit words; 1 becomes 1 - 2^-64.
std::uint64_t threshold(long double probability) {
  const long double scaled = std::round(probability * 0x1p64L);
  return scaled >= 0x1p64L ? ~std::uint64_t{0} : static_cast<std::uint64_t>(scaled);
}

}  // namespace

void SparseCoins::Level::make_guide() {
  auto value = static_cast<std::uint16_t>(size - 1);
  for (std::uint64_t first = 0; first < guide.size(); ++first) {
    const std::uint64_t smallest = first << (64 - kGuideBits);
    const std::uint64_t largest = smallest | ~std::uint64_t{0} >> kGuideBits;
    while (value > 0 && largest >= at_least[value - 1]) --value;
    // Settled if no word of the cell is below the threshold of the value, that is, above the value.
    guide[first] = smallest >= at_least[value] ? value : static_cast<std::uint16_t>(value | kOpen);
  }
}

std::uint64_t SparseCoins::Level::draw_open(std::uint16_t part, Words& words) const {
  std::uint64_t passed = 0;
  std::uint64_t word = std::uint64_t{part} << 48 | words.next() >> 16;
  while (word < at_least.back()) {
    passed += size;
    word = words.next();
  }
  std::uint64_t value = guide[word >> (64 - kGuideBits)] & ~kOpen;
  while (word < at_least[value]) ++value;
  return passed + value;
}

SparseCoins::SparseCoins(double probability) {
  if (!(probability >= 0x1p-40 && probability <= 1)) {
    throw InvalidArgument({.what = fmt::format("{}", probability),
                           .where = "probability of a coin",
                           .expected = "from 2^-40 to 1"});
  }
  // log of the probability of no head in one unit of the level.
  long double log_tail = std::log1p(-static_cast<long double>(probability));
  while (true) {
    // Four expected gaps cover a level; a larger gap goes round again at the top.
    const bool top = probability == 1 || -log_tail * kBlock >= 4;
    Level level;
    level.size = probability == 1 ? 1 : top ? static_cast<std::uint64_t>(std::ceil(4 / -log_tail)) : kBlock;
    level.at_least.resize(level.size);
    const long double whole = -std::expm1(static_cast<long double>(level.size) * log_tail);
    for (std::uint64_t j = 0; j < level.size; ++j) {
      const long double more = probability == 1 ? 0 : std::exp(static_cast<long double>(j + 1) * log_tail);
      // Below the top: given that the head is in this block, which (1 - more) / whole of them have had by j.
      level.at_least[j] =
          threshold(top ? more : 1 + std::expm1(static_cast<long double>(j + 1) * log_tail) / whole);
    }
    if (!top) level.at_least.back() = 0;
    level.make_guide();
    levels_.push_back(std::move(level));
    if (top) return;
    log_tail *= kBlock;
  }
}

}  // namespace privet::privacy
