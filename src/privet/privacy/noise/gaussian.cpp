#include "privet/privacy/noise/gaussian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/privacy/noise/words.hpp"

namespace privet::privacy {
namespace {

struct SingleWords {
  RandomStream& stream;
  std::uint64_t next() { return stream.bits(); }
};

struct Pair {
  double first;
  double second;
};

// `Source` gives uniform words by next(). Below 2^-12 the first word of a uniform number has too few
// significant bits left: more words follow, as many as it takes to find one that is not zero, up to 2^-1088.
template <typename Source>
double log_small_uniform(std::uint64_t word, Source& words) {
  int zeros = 0;
  while (word == 0 && zeros < 16) {
    word = words.next();
    ++zeros;
  }
  const double lower = (static_cast<double>(words.next()) + 0.5) * 0x1p-64;
  return std::log(static_cast<double>(word) + lower) - 64 * (zeros + 1) * std::numbers::ln2;
}

template <typename Source>
Pair draw_pair(Source& words) {
  const std::uint64_t size_bits = words.next();
  const std::uint64_t angle_bits = words.next();
  const double log_uniform = size_bits >> 52 != 0 ? std::log((static_cast<double>(size_bits) + 0.5) * 0x1p-64)
                                                  : log_small_uniform(size_bits, words);
  const double radius = std::sqrt(-2 * log_uniform);
  const double angle = (static_cast<double>(angle_bits) + 0.5) * 0x1p-64 * (2 * std::numbers::pi);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace

void fill_gaussian(RandomStream& stream, std::span<double> values) {
  Words words(stream);
  std::size_t i = 0;
  for (; i + 1 < values.size(); i += 2) {
    const Pair pair = draw_pair(words);
    values[i] = pair.first;
    values[i + 1] = pair.second;
  }
  if (i < values.size()) values[i] = draw_pair(words).first;
}

void fill_rounded_gaussian(RandomStream& stream, double stddev, std::span<std::int32_t> values) {
  static constexpr std::size_t kPiece = std::size_t{1} << 14;
  static constexpr std::size_t kFew = 64;  // cheaper word by word than a fork
  if (!(stddev > 0 && stddev <= kMostGaussianSteps)) {
    throw InvalidArgument({.what = fmt::format("noise of {} grid steps", stddev),
                           .where = "rounded Gaussian noise",
                           .expected = fmt::format("at most {}", kMostGaussianSteps)});
  }
  const auto fill = [&](auto& source, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; i += 2) {
      const Pair pair = draw_pair(source);
      values[i] = static_cast<std::int32_t>(std::nearbyint(pair.first * stddev));
      if (i + 1 < end) values[i + 1] = static_cast<std::int32_t>(std::nearbyint(pair.second * stddev));
    }
  };
  if (values.size() <= kFew) {
    SingleWords words{stream};
    fill(words, 0, values.size());
    return;
  }
  // A fork is named by fresh bits: forks of a replayable stream by a fixed name would repeat their noise.
  const std::unique_ptr<RandomStream> base = stream.fork("gaussian", stream.bits());
  parallel_for(values.size(), kPiece, [&](std::size_t begin, std::size_t end) {
    const std::unique_ptr<RandomStream> own = base->fork("piece", begin / kPiece);
    Words words(*own);
    fill(words, begin, end);
  });
}

}  // namespace privet::privacy
