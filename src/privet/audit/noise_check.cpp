#include "privet/audit/noise_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <memory>
#include <numeric>

#include "privet/base/error.hpp"

namespace privet::audit {
namespace {

constexpr std::size_t kFewest = 20;

// Ranks of mean 0 and mean square 1; equal values share the middle of their ranks.
std::vector<double> standard_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  const double middle = (static_cast<double>(values.size()) - 1) / 2;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && values[order[j]] == values[order[i]]) ++j;
    for (std::size_t k = i; k < j; ++k) ranks[order[k]] = static_cast<double>(i + j - 1) / 2 - middle;
    i = j;
  }
  double squares = 0;
  for (const double rank : ranks) squares += rank * rank;
  const double scale = squares > 0 ? std::sqrt(static_cast<double>(ranks.size()) / squares) : 0;
  for (double& rank : ranks) rank *= scale;
  return ranks;
}

double correlation_at(const std::vector<double>& a, const std::vector<double>& b, std::int64_t lag) {
  const std::size_t from_a = lag < 0 ? static_cast<std::size_t>(-lag) : 0;
  const std::size_t from_b = lag > 0 ? static_cast<std::size_t>(lag) : 0;
  const std::size_t overlap = a.size() - std::max(from_a, from_b);
  double sum = 0;
  for (std::size_t i = 0; i < overlap; ++i) sum += a[from_a + i] * b[from_b + i];
  return sum / static_cast<double>(overlap);
}

// Two-sided chance of a rank correlation of n pairs, by Fisher's transformation; the variance of ranks is
// 1.06 / (n - 3) (Fieller, Hartley and Pearson 1957).
double chance_of_correlation(double correlation, double n) {
  const double r = std::clamp(correlation, -1 + 1e-12, 1 - 1e-12);
  const double z = std::abs(std::atanh(r)) * std::sqrt((n - 3) / 1.06);
  return boost::math::erfc(z / std::sqrt(2.0));
}

}  // namespace

std::vector<NoiseFault> noise_faults(const std::vector<NoiseSample>& samples, std::uint64_t lags,
                                     double confidence) {
  std::vector<std::vector<double>> ranks;
  for (const NoiseSample& sample : samples) {
    const std::size_t count = sample.values.size();
    if (count < kFewest + lags || count != samples.front().values.size()) {
      throw InvalidArgument(
          {.what = fmt::format("{} values", count),
           .where = sample.where,
           .expected = fmt::format("at least {}, and as many in every sample", kFewest + lags)});
    }
    ranks.push_back(standard_ranks(sample.values));
  }
  const auto widest = static_cast<std::int64_t>(lags);
  const double pairs = static_cast<double>(samples.size() * (samples.size() - 1)) / 2;
  const double comparisons = std::max(1.0, pairs * static_cast<double>(2 * lags + 1));
  std::vector<NoiseFault> faults;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = i + 1; j < samples.size(); ++j) {
      for (std::int64_t lag = -widest; lag <= widest; ++lag) {
        const double correlation = correlation_at(ranks[i], ranks[j], lag);
        const double n = static_cast<double>(ranks[i].size()) - std::abs(static_cast<double>(lag));
        const double chance = std::min(1.0, comparisons * chance_of_correlation(correlation, n));
        if (chance < 1 - confidence)
          faults.push_back({samples[i].where, samples[j].where, correlation, lag, chance});
      }
    }
  }
  std::ranges::stable_sort(faults, [](const NoiseFault& a, const NoiseFault& b) {
    return std::abs(a.correlation) > std::abs(b.correlation);
  });
  return faults;
}

std::vector<NoiseSample> sample_noise(const methods::AuditSampler& sampler, std::uint64_t runs,
                                      std::uint64_t releases, std::uint64_t values,
                                      const RandomStream& stream) {
  std::vector<NoiseSample> samples;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const std::unique_ptr<RandomStream> noise = stream.fork("noise check, run", run);
    for (std::uint64_t release = 0; release < releases; ++release) {
      NoiseSample sample{fmt::format("run {}, release {}", run + 1, release + 1),
                         std::vector<double>(values)};
      sampler.draw(true, sample.values, *noise);
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

}  // namespace privet::audit
