#pragma once

#include <span>
#include <string>

#include "privet/nn/layer.hpp"

namespace privet::nn {

/// What the layers share that send rows along a graph.

/// The pass's propagation, once it is sure that it joins `rows` nodes: a missing one or one of another size
/// is an InvalidArgument of `layer`.
const Propagation& propagation_for(const Pass& pass, std::size_t rows, const Layer& layer);
/// The same for layers that look at single entries: a map, which has none, is an InvalidArgument too.
const Propagation& stored_propagation_for(const Pass& pass, std::size_t rows, const Layer& layer);

/// out = P x on the way forward, P^T x on the way back.
void send(const Propagation& propagation, tensor::ConstMatrixView x, tensor::MatrixView out);
void send_back(const Propagation& propagation, tensor::ConstMatrixView x, tensor::MatrixView out);

/// Why no gradient of one example exists behind them.
std::string mixes_neighbors();

/// in W, for dense rows and for sparse features.
void transform(const Input& in, tensor::ConstMatrixView weight, tensor::MatrixView out);
/// Overwrites `gradient` with in^T error.
void weight_gradient(const Input& in, tensor::ConstMatrixView error, tensor::MatrixView gradient);
/// Overwrites `gradient` with the sum of the rows of `error`.
void bias_gradient(tensor::ConstMatrixView error, std::span<float> gradient);

}  // namespace privet::nn
