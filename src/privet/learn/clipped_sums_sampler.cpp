#include "privet/learn/clipped_sums_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "privet/base/parallel.hpp"
#include "privet/core/mechanisms/clipped_sum.hpp"

namespace privet::methods {
namespace {

constexpr double kAffordable = 6e7;  // members of batches, of each world: some seconds
constexpr double kStepCost = 40;     // of a step besides its members, in members
constexpr double kLeastDraws = 500;
constexpr double kMostDraws = 1e6;

// Row i is the number of the i-th member, of whom the first `numbers.size()` have one.
tensor::Matrix rows_of(const std::vector<std::uint32_t>& members, const std::vector<float>& numbers) {
  tensor::Matrix rows(members.size(), 1);
  for (std::size_t i = 0; i < members.size(); ++i)
    rows(i, 0) = members[i] < numbers.size() ? numbers[members[i]] : 0.0F;
  return rows;
}

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// ln of the probability that k of `at_stake` examples are in a batch, for k from 0 on.
std::vector<double> log_counts(const privacy::Sampling& sampling, std::uint64_t at_stake) {
  std::vector<double> all;
  const auto n = static_cast<double>(at_stake);
  for (std::uint64_t count = 0; count <= at_stake; ++count) {
    const auto k = static_cast<double>(count);
    if (const auto* fixed = std::get_if<privacy::FixedSizeSampling>(&sampling)) {
      const auto everybody = static_cast<double>(fixed->population);
      const auto batch = static_cast<double>(fixed->batch);
      const bool possible = k <= batch && batch - k <= everybody - n;
      all.push_back(possible ? log_choose(n, k) + log_choose(everybody - n, batch - k) -
                                   log_choose(everybody, batch)
                             : -INFINITY);
      continue;
    }
    const double rate = std::get<privacy::PoissonSampling>(sampling).rate;
    if (rate >= 1) {
      all.push_back(count == at_stake ? 0 : -INFINITY);
    } else {
      all.push_back(log_choose(n, k) + k * std::log(rate) + (n - k) * std::log1p(-rate));
    }
  }
  return all;
}

// ln of the density of a noisy sum, up to what is the same in both worlds: k members move it by k x `each`.
double log_density(double seen, double each, double stddev, const std::vector<double>& counts) {
  double largest = -INFINITY;
  double total = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double moved = (seen - static_cast<double>(k) * each) / stddev;
    const double term = counts[k] - moved * moved / 2;
    if (term > largest) {
      total = total * std::exp(largest - term) + 1;
      largest = term;
    } else if (std::isfinite(term)) {
      total += std::exp(term - largest);
    }
  }
  return largest + std::log(total);
}

struct Worlds {
  privacy::ClippedSum mechanism;
  std::uint64_t steps;
  double clip;
  std::vector<double> all_counts;       // of all at stake, who are there in the first world
  std::vector<double> replaced_counts;  // of those who are there in the second, turned round
  std::vector<float> first;
  std::vector<float> second;

  [[nodiscard]] double draw(bool is_second, RandomStream& noise) const {
    double ratio = 0;
    for (std::uint64_t step = 0; step < steps; ++step) {
      privacy::ReleaseLog log;
      privacy::SampledBatch batch = mechanism.draw(noise);
      const auto rows = batch.members().map(&rows_of, is_second ? second : first);
      const double seen = mechanism.release(rows, std::move(batch), "audit", log, noise).front() / clip;
      const double stddev = mechanism.stddev().value() / clip;
      ratio += log_density(seen, 1, stddev, all_counts) - log_density(seen, -1, stddev, replaced_counts);
    }
    return ratio;
  }
};

}  // namespace

std::optional<AuditSampler> clipped_sums_sampler(const nn::PrivateTraining& training) {
  const auto [added, replaced] = training.affected;
  const std::uint64_t at_stake = training.affected.count();
  const bool poisson = std::holds_alternative<privacy::PoissonSampling>(training.sampling);
  const double members = poisson ? static_cast<double>(at_stake) : training.expected_batch();
  const bool everybody = training.expected_batch() >= static_cast<double>(training.population);
  const double draws = kAffordable / (static_cast<double>(training.steps) * (members + kStepCost));
  if (draws < kLeastDraws) return {};
  const privacy::ClipNorm clip(training.clipping.joint_norm());
  std::vector<float> first(at_stake, static_cast<float>(clip.value()));
  std::vector<float> second(at_stake, -static_cast<float>(clip.value()));
  std::fill_n(second.begin(), added, 0.0F);
  const auto worlds = std::make_shared<const Worlds>(
      Worlds{.mechanism = privacy::ClippedSum({.unit = training.unit,
                                               .affected = training.affected,
                                               .clip_norm = clip,
                                               .noise_multiplier = training.noise_multiplier,
                                               .sampling = training.sampling,
                                               .population = poisson ? at_stake : training.population,
                                               .columns = 1}),
             .steps = training.steps,
             .clip = clip.value(),
             .all_counts = log_counts(training.sampling, at_stake),
             .replaced_counts = log_counts(training.sampling, replaced),
             .first = std::move(first),
             .second = std::move(second)});
  return AuditSampler{
      .what = fmt::format("noisy sums of {} steps with {} examples at stake", training.steps, at_stake),
      .gaussian = everybody,  // a sum of shifted Gaussians
      .most_draws = static_cast<std::uint64_t>(std::min(draws, kMostDraws)),
      .draw = [worlds](bool is_second, std::span<double> to, RandomStream& noise) {
        const std::unique_ptr<RandomStream> own = noise.fork("clipped sums", noise.bits());
        constexpr std::size_t kGrain = 16;
        parallel_for(to.size(), kGrain, [&](std::size_t begin, std::size_t end) {
          const std::unique_ptr<RandomStream> stream = own->fork("draws", begin);
          for (std::size_t i = begin; i < end; ++i) to[i] = worlds->draw(is_second, *stream);
        });
      }};
}

}  // namespace privet::methods
