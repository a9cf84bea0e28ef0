#pragma once

#include "privet/core/guarded.hpp"
#include "privet/graph/dataset.hpp"
#include "privet/nn/network.hpp"
#include "privet/nn/plain_values.hpp"

namespace privet::methods {

/// The outputs of a network for every row of the features: secret where the features are. A row of scores is
/// made from the features of its own node alone.
privacy::Guarded<tensor::Matrix> row_scores(const nn::Network& network, const nn::Parameters& parameters,
                                            const privacy::Guarded<graph::Features>& features);

/// The class of every node that the scores name.
std::vector<std::int32_t> predicted(const tensor::Matrix& scores);

}  // namespace privet::methods
