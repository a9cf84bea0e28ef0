#include "privet/base/distributions.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "privet/base/error.hpp"

namespace privet {

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
