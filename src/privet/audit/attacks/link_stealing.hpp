#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "privet/audit/attacks/attack_result.hpp"
#include "privet/audit/attacks/pairs.hpp"
#include "privet/audit/attacks/target.hpp"

namespace privet::audit {

/// Link stealing without any knowledge (He et al. 2021, attack 0; "LPA" of LPGNet and Eclipse): nodes with
/// like posteriors are taken for joined.
///
/// What it finds may be homophily alone: joined nodes have like features and labels, and a model that never
/// saw an edge answers alike for them. So the same is asked of the features themselves, and of an MLP.

/// Distances of two rows; a score is their negative. Those that are not defined (a zero row) count as 0.
enum class Distance {
  cosine,
  euclidean,
  correlation,  ///< 1 - Pearson's of the two rows, each centred by its own mean
  chebyshev,
  bray_curtis,
  canberra,
  city_block,
  squared_euclidean,
};
inline constexpr std::size_t kDistances = 8;
std::string name(Distance distance);

/// All of them, in the order of the enumeration.
std::array<double, kDistances> distances(std::span<const double> a, std::span<const double> b);

/// For every pair the eight distances of the rows and, first, "centred cosine": the cosine of rows centred by
/// the mean row of everybody, which is what LPGNet and Eclipse call LPA. No area is turned round: one below
/// 0.5 says that joined nodes are the less alike.
std::vector<AttackResult> compare_rows(const std::string& variant_prefix, std::span<const double> rows,
                                       std::span<const double> mean_row,
                                       const std::vector<CandidatePair>& pairs);

/// On the posteriors of the target.
std::vector<AttackResult> link_stealing(const Target& target, const std::vector<CandidatePair>& pairs);
/// On the features alone: what anybody knows without the model. Nothing for a data set without features.
std::vector<AttackResult> link_stealing_baseline(const graph::Dataset& dataset,
                                                 const std::vector<CandidatePair>& pairs);

}  // namespace privet::audit
