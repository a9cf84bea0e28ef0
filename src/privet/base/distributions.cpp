#include "privet/base/distributions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

#include "privet/base/error.hpp"

namespace privet {
namespace {

// log(whole * 2^-53) for 1 <= whole <= 2^53, with an error below 1e-14. Without a call, a branch or a
// conversion that a vector unit lacks, so that a loop of it is worked on several at a time. Nothing is fused,
// so the result is the same on every vector unit.
inline __attribute__((always_inline)) double log_of_share(std::uint64_t whole) {
  // Both halves are written into the mantissas of large numbers, which are then taken off: exact.
  const double high = std::bit_cast<double>((whole >> 32) | 0x4530000000000000) - (0x1p84 + 0x1p52);
  const double value = high + std::bit_cast<double>((whole & 0xffffffff) | 0x4330000000000000);
  // value = mantissa * 2^exponent with the mantissa from sqrt(1/2) to sqrt(2).
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value) + (0x3ff0000000000000 - kSqrtHalf);
  const double exponent = std::bit_cast<double>((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023 + 53);
  const auto mantissa = std::bit_cast<double>((bits & 0x000fffffffffffff) + kSqrtHalf);
  // log(m) = 2 artanh((m-1) / (m+1)), whose argument is below 0.172.
  const double s = (mantissa - 1) / (mantissa + 1);
  const double z = s * s;
  const double tail = 2.0 / 9 + z * (2.0 / 11 + z * (2.0 / 13 + z * (2.0 / 15 + z * (2.0 / 17))));
  const double series = 2 + z * (2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + z * tail)));
  return exponent * std::numbers::ln2 + s * series;
}

// Words to skips, in place.
inline __attribute__((always_inline)) void skips_from(std::span<std::uint64_t> words, double scale) {
  constexpr double kMost = 0x1p62;
  std::array<double, 64> skips;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  for (std::size_t begin = 0; begin < words.size(); begin += skips.size()) {
    const std::size_t count = std::min(skips.size(), words.size() - begin);
    std::uint64_t* const at = words.data() + begin;
    for (std::size_t i = 0; i < count; ++i) {
      const double skip = log_of_share((at[i] >> 11) + 1) * scale;
      skips[i] = skip > 0 ? (skip < kMost ? skip : kMost) : 0;
    }
    for (std::size_t i = 0; i < count; ++i) {
      at[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(skips[i]));
    }
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void skips_from_on_avx2(std::span<std::uint64_t> words, double scale) {
  skips_from(words, scale);
}
#endif

}  // namespace

double standard_normal(RandomStream& stream) {
  const double radius = std::sqrt(-2 * std::log(stream.uniform_positive()));
  return radius * std::cos(2 * std::numbers::pi * stream.uniform());
}

double exponential(RandomStream& stream) { return -std::log(stream.uniform_positive()); }

GeometricSkip::GeometricSkip(double p) {
  if (!(p > 0 && p <= 1))
    throw InvalidArgument({.what = "a probability in (0, 1] is needed", .where = "skip"});
  inverse_log_failure_ = p < 1 ? 1 / std::log1p(-p) : 0;
}

std::uint64_t GeometricSkip::operator()(RandomStream& stream, std::uint64_t most) const {
  const double skip = std::floor(std::log(stream.uniform_positive()) * inverse_log_failure_);
  return skip < static_cast<double>(most) ? static_cast<std::uint64_t>(skip) : most;
}

void GeometricSkip::fill(RandomStream& stream, std::span<std::uint64_t> skips) const {
  stream.fill(std::as_writable_bytes(skips));
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) {
    skips_from_on_avx2(skips, inverse_log_failure_);
    return;
  }
#endif
  skips_from(skips, inverse_log_failure_);
}

AliasTable::AliasTable(std::span<const double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (weights.empty() || !(sum > 0) || !std::isfinite(sum)) {
    throw InvalidArgument({.what = "weights must be finite and not all zero", .where = "alias table"});
  }
  const auto count = static_cast<double>(weights.size());
  cells_.resize(weights.size());
  std::vector<double> scaled(weights.size());
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    scaled[i] = weights[i] / sum * count;
    (scaled[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t low = small.back();
    const std::uint32_t high = large.back();
    small.pop_back();
    cells_[low] = {scaled[low], high};
    scaled[high] -= 1 - scaled[low];
    if (scaled[high] < 1) {
      large.pop_back();
      small.push_back(high);
    }
  }
  for (const std::uint32_t i : large) cells_[i] = {1, i};
  for (const std::uint32_t i : small) cells_[i] = {1, i};  // what rounding left over
}

std::size_t AliasTable::operator()(RandomStream& stream) const {
  const std::size_t index = stream.below(cells_.size());
  const Cell& cell = cells_[index];
  return stream.uniform() < cell.keep ? index : cell.other;
}

}  // namespace privet
