#pragma once

#include <cstdint>
#include <vector>

#include "privet/learn/vote_combiner.hpp"

namespace privet::methods {

/// The combiner with the fewest numbers, for few rows to fit on: scores = a prior + sum over blocks of
/// m_b votes_b + offsets, column c of every block speaking for class c and for no other. `prior` and `votes`
/// are the rows to fit on, one label for each; the columns of the votes are blocks x classes
/// (std::logic_error).
Combiner tied_votes(const tensor::Matrix& prior, const tensor::Matrix& votes, std::size_t blocks,
                    double vote_scale, const std::vector<std::int32_t>& labels);

/// `plain`, which has no votes, plus a fixed factor times one block of them: nothing is fitted, so that
/// validation labels alone decide, however few rows there are to fit on.
std::vector<Combiner> with_votes_added(const Combiner& plain, std::size_t blocks, double vote_scale);

}  // namespace privet::methods
