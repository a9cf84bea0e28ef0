#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "privet/base/random.hpp"

namespace privet::privacy {

/// An index of `scores` (at least one): candidates in random order, each taken with probability
/// exp(-(best - score) numerator / denominator), exactly, in integer arithmetic (McKenna, Sheldon 2020,
/// Algorithm 1). How many coins are tossed depends on the scores: give it a stream that nothing else draws
/// from afterwards.
std::size_t permute_and_flip(RandomStream& coins, std::span<const std::int64_t> scores,
                             std::uint64_t numerator, std::uint64_t denominator);

}  // namespace privet::privacy
