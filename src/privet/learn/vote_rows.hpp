#pragma once

#include <cstdint>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/graph/dataset.hpp"
#include "privet/tensor/matrix.hpp"

namespace privet::methods {

/// What nodes tell their neighbours of the classes, and on whom a combiner of it is fitted and chosen.

/// The share of every class in a node's ballot: the label of the nodes that `tell_label`, what the logarithms
/// of probabilities say of the others.
tensor::Matrix class_shares(const tensor::Matrix& log_probabilities, const std::vector<std::int32_t>& labels,
                            const std::vector<bool>& tell_label);

/// Every row less its mean, scaled: of shares, a row for no class in particular is zero and every norm is at
/// most 1.
void centre_rows(tensor::Matrix& rows);

/// Shares, centred.
tensor::Matrix vote_rows(const tensor::Matrix& log_probabilities, const std::vector<std::int32_t>& labels,
                         const std::vector<bool>& tell_label);

/// A combiner is fitted to some rows and chosen on others: the validation nodes, or without any a fifth of
/// the rows that it would be fitted to.
struct CombinerRows {
  std::vector<graph::NodeId> to_fit;
  std::vector<graph::NodeId> to_choose;
};
CombinerRows combiner_rows(std::vector<graph::NodeId> rows, const graph::Split& split, RandomStream& stream);

}  // namespace privet::methods
