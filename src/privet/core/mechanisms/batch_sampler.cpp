#include "privet/core/mechanisms/batch_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numbers>
#include <unordered_set>
#include <variant>

#include "privet/base/error.hpp"
#include "privet/core/noise/sparse_coins.hpp"
#include "privet/graph/graph.hpp"

namespace privet::privacy {
namespace {

std::vector<std::uint32_t> draw_each(const SparseCoins& coins, std::uint64_t population,
                                     RandomStream& stream) {
  std::vector<std::uint32_t> members;
  Words words(stream);
  coins.toss(words, 0, static_cast<std::uint32_t>(population), members);
  return members;
}

std::vector<std::uint32_t> draw_subset(const FixedSizeSampling& sampling, std::uint64_t population,
                                       RandomStream& stream) {
  // One bit per example, where that is not much more than the batch itself; then the members come out in
  // order.
  std::vector<std::uint32_t> members;
  members.reserve(sampling.batch);
  if (population / 256 <= sampling.batch) {
    std::vector<std::uint64_t> chosen((population + 63) / 64);
    const auto take = [&](std::uint64_t example) {
      std::uint64_t& word = chosen[example / 64];
      const std::uint64_t bit = std::uint64_t{1} << (example % 64);
      const bool fresh = (word & bit) == 0;
      word |= bit;
      return fresh;
    };
    for (std::uint64_t last = population - sampling.batch; last < population; ++last) {
      if (!take(stream.below(last + 1))) take(last);
    }
    for (std::size_t w = 0; w < chosen.size(); ++w) {
      for (std::uint64_t word = chosen[w]; word != 0; word &= word - 1)
        members.push_back(static_cast<std::uint32_t>(64 * w + static_cast<unsigned>(std::countr_zero(word))));
    }
    return members;
  }
  std::unordered_set<std::uint32_t> chosen;
  for (std::uint64_t last = population - sampling.batch; last < population; ++last) {
    const auto candidate = static_cast<std::uint32_t>(stream.below(last + 1));
    if (!chosen.insert(candidate).second) chosen.insert(static_cast<std::uint32_t>(last));
  }
  members.assign(chosen.begin(), chosen.end());
  std::sort(members.begin(), members.end());
  return members;
}

}  // namespace

BatchSampler::BatchSampler(Sampling sampling, std::uint64_t population)
    : sampling_(sampling), population_(population) {
  if (population == 0 || population > graph::kMaxNodes) {
    throw InvalidArgument({.what = fmt::format("{}", population),
                           .where = "number of examples",
                           .expected = fmt::format("from 1 to {}", graph::kMaxNodes)});
  }
  // The event checks rates and batch sizes.
  const Event checked = SubsampledGaussianEvent{sampling, 1, 1, 0};
  const auto* fixed = std::get_if<FixedSizeSampling>(&sampling);
  if (fixed != nullptr && fixed->population != population) {
    throw InvalidArgument({.what = fmt::format("{} examples", population),
                           .where = "batch sampler",
                           .expected = fmt::format("the population of the plan, {}", fixed->population)});
  }
  const auto* poisson = std::get_if<PoissonSampling>(&sampling);
  if (poisson != nullptr) coins_.emplace(poisson->rate);
}

std::uint64_t most_members(const Sampling& sampling, std::uint64_t population) {
  if (const auto* fixed = std::get_if<FixedSizeSampling>(&sampling)) return fixed->batch;
  const double rate = std::get<PoissonSampling>(sampling).rate;
  const auto examples = static_cast<double>(population);
  // P(more than a share a of the examples) <= exp(-n KL(a || rate)) for a > rate.
  const auto exponent = [&](double share) {
    const double rest = share < 1 ? (1 - share) * std::log((1 - share) / (1 - rate)) : 0;
    return examples * (share * std::log(share / rate) + rest);
  };
  auto least = static_cast<std::uint64_t>(std::ceil(rate * examples));
  std::uint64_t most = population;
  while (least < most) {
    const std::uint64_t middle = least + (most - least) / 2;
    if (exponent(static_cast<double>(middle) / examples) >= 100 * std::numbers::ln2) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return most;
}

SampledBatch BatchSampler::draw(RandomStream& stream) const {
  const std::unique_ptr<RandomStream> own = stream.fork("batch", stream.bits());
  const auto* fixed = std::get_if<FixedSizeSampling>(&sampling_);
  std::vector<std::uint32_t> members =
      fixed != nullptr ? draw_subset(*fixed, population_, *own) : draw_each(*coins_, population_, *own);
  return {std::move(members), sampling_, population_};
}

}  // namespace privet::privacy
