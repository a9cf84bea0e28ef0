#pragma once

#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/graph/graph.hpp"

namespace privet::methods {

/// A W: row i is the sum of the rows of W over the neighbours of i.

/// As it is: of public graphs, and of published defects.
tensor::Matrix plain_sums(const graph::Graph& graph, const tensor::Matrix& weight);

/// The only way of it out of a protected graph that is accounted for. Rows are held to `row_bound` once more
/// and summed in fixed point; `mechanism` is made for neighbor_sum_sensitivity with the same bound.
tensor::Matrix noisy_sums(const privacy::Secret<graph::Graph>& graph, const tensor::Matrix& weight,
                          const privacy::GaussianMechanism& mechanism, double row_bound,
                          privacy::ReleaseLog& log, RandomStream& noise);

}  // namespace privet::methods
