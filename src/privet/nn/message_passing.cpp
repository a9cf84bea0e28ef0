#include "privet/nn/message_passing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/tensor/dense_product.hpp"
#include "privet/tensor/rows.hpp"
#include "privet/tensor/sparse_product.hpp"

namespace privet::nn {

const Propagation& propagation_for(const Pass& pass, std::size_t rows, const Layer& layer) {
  if (pass.propagation == nullptr) {
    throw InvalidArgument({.what = "no graph to send along",
                           .where = layer.name(),
                           .expected = fmt::format("a propagation of {} nodes", rows)});
  }
  const Propagation& given = *pass.propagation;
  const std::size_t across = given.map ? given.map->nodes() : given.forward.rows();
  const std::size_t down = given.map ? given.map->nodes() : given.forward.columns();
  if (across != rows || down != rows) {
    throw InvalidArgument({.what = fmt::format("propagation of {} x {}", across, down),
                           .where = layer.name(),
                           .expected = fmt::format("{0} x {0}, a row for every row of the input", rows)});
  }
  return *pass.propagation;
}

const Propagation& stored_propagation_for(const Pass& pass, std::size_t rows, const Layer& layer) {
  const Propagation& given = propagation_for(pass, rows, layer);
  if (!given.map) return given;
  throw InvalidArgument({.what = "a graph that is not stored edge by edge",
                         .where = layer.name(),
                         .expected = "single edges",
                         .remedy = "use a convolution, or a hard graph"});
}

void send(const Propagation& propagation, tensor::ConstMatrixView x, tensor::MatrixView out) {
  if (propagation.map) {
    propagation.map->multiply(x, out);
  } else {
    tensor::multiply(propagation.forward, x, out);
  }
}

void send_back(const Propagation& propagation, tensor::ConstMatrixView x, tensor::MatrixView out) {
  if (propagation.map) {
    propagation.map->multiply_transposed(x, out);
  } else {
    tensor::multiply(propagation.backward, x, out);
  }
}

std::string mixes_neighbors() {
  return "a node's output depends on its neighbours: there is no gradient of one example to clip";
}

void transform(const Input& in, tensor::ConstMatrixView weight, tensor::MatrixView out) {
  if (in.is_sparse) {
    tensor::multiply(in.sparse, weight, out);
  } else {
    tensor::product(in.dense, weight, out);
  }
}

void weight_gradient(const Input& in, tensor::ConstMatrixView error, tensor::MatrixView gradient) {
  if (!in.is_sparse) {
    tensor::transposed_product(in.dense, error, gradient);
    return;
  }
  for (std::size_t i = 0; i < gradient.rows; ++i) std::ranges::fill(gradient.row(i), 0.0F);
  tensor::add_transposed_product(in.sparse, error, gradient);
}

void bias_gradient(tensor::ConstMatrixView error, std::span<float> gradient) {
  std::ranges::fill(gradient, 0.0F);
  tensor::add_column_sums(error, gradient);
}

}  // namespace privet::nn
