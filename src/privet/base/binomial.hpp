#pragma once

#include <cstdint>

namespace privet {

/// Exact one-sided bounds on a probability from `hits` among `draws` independent draws (Clopper and Pearson
/// 1934). Each is wrong with probability at most `doubt`, whatever the true probability. No draws say
/// nothing: 0 and 1. More hits than draws, or a doubt outside (0, 1), is an InvalidArgument.
double probability_at_least(std::uint64_t hits, std::uint64_t draws, double doubt);
double probability_at_most(std::uint64_t hits, std::uint64_t draws, double doubt);

/// P[Bin(draws, probability) >= hits]; 1 for no hits.
double binomial_tail(std::uint64_t hits, std::uint64_t draws, double probability);

/// P[Bin(draws, probability) = hits].
double binomial_mass(std::uint64_t hits, std::uint64_t draws, double probability);

}  // namespace privet
