#pragma once

#include <cstdint>

#include "privet/base/random.hpp"
#include "privet/core/contractive_layer.hpp"
#include "privet/graph/graph.hpp"
#include "privet/tensor/matrix.hpp"

namespace privet::privacy {

/// The kernel of ContractiveHops: all hops of a contractive layer, each one pass over the rows in which the
/// product with the graph, the mean, the residual, the noise and the projection happen together.

/// What is added after every product with the graph. A standard deviation of 0 adds nothing and rounds
/// nothing.
struct HopNoise {
  double stddev = 0;
  double grid = 1;  ///< a power of two; values are rounded to it before the noise, which is rounded too
};

/// X = P(X0); `hops` times X <- P(L(X) + noise), where P scales rows down to norm 1 and is left out after the
/// last hop. Rows of `x0` with a number that is not finite count as zero. The graph is the layer's own
/// (layer_graph), with one row of `x0` for every node (std::logic_error).
///
/// Between hops rows are float32, sums are double. Pieces of rows draw from forks of the stream: the result
/// does not depend on the number of threads. Time is linear in hops x (entries + nodes) x columns.
tensor::Matrix contractive_states(const graph::Graph& graph, const ContractiveLayer& layer,
                                  std::uint64_t hops, const tensor::Matrix& x0, const HopNoise& noise,
                                  RandomStream& stream);

/// How far, in the Frobenius norm, one hop as computed may be from the exact one on rows of norm at most 1,
/// rounding of the noise to the grid included. docs/privacy/mechanisms.md#contractive-hops adds it up.
double hop_rounding(const ContractiveLayer& layer, std::uint64_t nodes, std::uint64_t columns, double grid);

}  // namespace privet::privacy
