#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "privet/tensor/matrix.hpp"

namespace privet::privacy {

/// One node's membership in a cluster is a whole number of these steps; those of one node add up to one
/// membership. So sums of memberships over neighbours are integers, and one neighbour moves them by exactly
/// one membership in L1, whatever the rounding of whoever made the matrix.
inline constexpr std::uint32_t kMembershipSteps = 1U << 20;

/// Memberships of a row-stochastic matrix, each row rounded so that it still adds up to one (what is left
/// over goes to the largest). Entries are finite and not negative, rows not zero: an InvalidArgument
/// otherwise.
std::vector<std::uint32_t> memberships_of(const tensor::Matrix& clusters);
/// Everybody wholly in one cluster.
std::vector<std::uint32_t> hard_memberships(std::span<const std::int32_t> clusters, std::size_t count);

}  // namespace privet::privacy
