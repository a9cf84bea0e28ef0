#include "privet/nn/graph_conv.hpp"

#include <fmt/format.h>

#include "privet/nn/message_passing.hpp"
#include "privet/tensor/dense_product.hpp"
#include "privet/tensor/rows.hpp"
#include "privet/tensor/sparse_product.hpp"

namespace privet::nn {
namespace {

// kSent: P in where rows are sent first, needed again for the gradient. kInner: in W on the way forward and
// P^T error on the way back, which nobody needs at the same time.
enum Kept : std::size_t { kSent, kInner };

}  // namespace

GraphConv::GraphConv(std::size_t inputs, std::size_t outputs, bool bias, Initialization initialization)
    : Layer(inputs, outputs), bias_(bias), initialization_(initialization) {}

std::string GraphConv::name() const { return fmt::format("graph convolution {} -> {}", inputs(), outputs()); }

std::vector<Layer::Array> GraphConv::arrays() const {
  std::vector<Array> all = {{"weight", inputs(), outputs()}};
  if (bias_) all.push_back({"bias", 1, outputs()});
  return all;
}

std::string GraphConv::mixes_examples() const { return mixes_neighbors(); }

void GraphConv::initialize(std::span<float> parameters, std::span<float>, RandomStream& stream) const {
  initialize_weight(initialization_, stream, {parameters.data(), inputs(), outputs()});
  if (bias_)
    initialize_bias(initialization_, inputs(), stream, parameters.subspan(inputs() * outputs(), outputs()));
}

void GraphConv::forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
                        Slot& slot) const {
  const Propagation& propagation = propagation_for(pass, in.rows(), *this);
  const tensor::ConstMatrixView weight(weights.parameters.data(), inputs(), outputs());
  if (sends_first(in)) {
    const tensor::MatrixView sent = slot.keep(kSent, in.rows(), inputs());
    send(propagation, in.dense, sent);
    tensor::product(sent, weight, out);
  } else {
    const tensor::MatrixView inner = slot.keep(kInner, in.rows(), outputs());
    transform(in, weight, inner);
    send(propagation, inner, out);
  }
  if (bias_) tensor::add_to_rows(weights.parameters.subspan(inputs() * outputs(), outputs()), out);
}

void GraphConv::backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView,
                         tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const {
  const Propagation& propagation = propagation_for(pass, in.rows(), *this);
  const tensor::ConstMatrixView weight(weights.parameters.data(), inputs(), outputs());
  if (sends_first(in)) {
    if (in_error.rows == 0) return;
    const tensor::MatrixView inner = slot.keep(kInner, in.rows(), inputs());
    tensor::product_transposed(error, weight, inner);
    send_back(propagation, inner, in_error);
    return;
  }
  const tensor::MatrixView inner = slot.keep(kInner, in.rows(), outputs());
  send_back(propagation, error, inner);
  if (in_error.rows > 0) tensor::product_transposed(inner, weight, in_error);
}

void GraphConv::gradient(const Pass&, const Weights&, const Input& in, tensor::ConstMatrixView error,
                         std::span<float> gradient, Slot& slot) const {
  const tensor::MatrixView weight(gradient.data(), inputs(), outputs());
  if (sends_first(in)) {
    tensor::transposed_product(slot.keep(kSent, in.rows(), inputs()), error, weight);
  } else {
    weight_gradient(in, slot.keep(kInner, in.rows(), outputs()), weight);
  }
  if (bias_) bias_gradient(error, gradient.subspan(inputs() * outputs(), outputs()));
}

}  // namespace privet::nn
