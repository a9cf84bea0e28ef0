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

// Natural logarithms from a table and a short series, without a call or a branch, so that a processor works
// on several at a time. The error is below 1e-15; of one operation after the other, never fused, the bytes
// are the same on every x86 processor.
class LogTable {
 public:
  LogTable() {
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      const double inverse = 1 / (1 + (static_cast<double>(k) + 0.5) / static_cast<double>(cells_.size()));
      cells_[k] = {inverse, -std::log(inverse)};
    }
  }

  /// log(whole * 2^-53) for 1 <= whole <= 2^53.
  double operator()(std::uint64_t whole) const {
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(whole)));
    const auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023 - 53);
    const Cell& cell = cells_[(bits >> (52 - kBits)) & (cells_.size() - 1)];
    const auto mantissa = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
    const double r = mantissa * cell.inverse - 1;  // at most 2^-8 either way: six terms are enough
    const double r2 = r * r;
    const double series = r - r2 * (0.5 - r * (1.0 / 3)) - r2 * r2 * (0.25 - r * 0.2 + r2 * (1.0 / 6));
    return exponent * std::numbers::ln2 + (cell.log + series);
  }

 private:
  static constexpr unsigned kBits = 7;
  struct Cell {
    double inverse;
    double log;
  };
  std::array<Cell, std::size_t{1} << kBits> cells_;
};

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
  static const LogTable log_table;
  const LogTable& log = log_table;
  constexpr double kMost = 0x1p62;
  stream.fill(std::as_writable_bytes(skips));
  for (std::uint64_t& word : skips) {
    const double skip = log((word >> 11) + 1) * inverse_log_failure_;
    word = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::min(std::max(skip, 0.0), kMost)));
  }
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
