#include "privet/nn/sage.hpp"

#include <fmt/format.h>

#include "privet/nn/message_passing.hpp"
#include "privet/tensor/dense_product.hpp"
#include "privet/tensor/rows.hpp"
#include "privet/tensor/sparse_product.hpp"

namespace privet::nn {
namespace {

// kSent: P in where rows are sent first, needed again for the gradient. kInner: in W_neighbor on the way
// forward and P^T error on the way back. kNorms: of the rows before they are scaled to 1.
enum Kept : std::size_t { kSent, kInner, kNorms };

void add(tensor::ConstMatrixView from, tensor::MatrixView to) {
  for (std::size_t i = 0; i < from.rows; ++i) {
    const auto more = from.row(i);
    const auto sum = to.row(i);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += more[j];
  }
}

}  // namespace

SageConv::SageConv(std::size_t inputs, std::size_t outputs, const SageOptions& options)
    : Layer(inputs, outputs), options_(options) {}

std::string SageConv::name() const { return fmt::format("GraphSAGE {} -> {}", inputs(), outputs()); }

std::vector<Layer::Array> SageConv::arrays() const {
  std::vector<Array> all = {{"neighbor_weight", inputs(), outputs()}};
  if (options_.root_weight) all.push_back({"root_weight", inputs(), outputs()});
  if (options_.bias) all.push_back({"bias", 1, outputs()});
  return all;
}

std::string SageConv::mixes_examples() const { return mixes_neighbors(); }

void SageConv::initialize(std::span<float> parameters, std::span<float>, RandomStream& stream) const {
  initialize_weight(options_.initialization, stream, neighbor_of(parameters));
  if (options_.root_weight) initialize_weight(options_.initialization, stream, root_of(parameters));
  if (options_.bias) initialize_bias(options_.initialization, inputs(), stream, bias_of(parameters));
}

void SageConv::forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
                       Slot& slot) const {
  const Propagation& propagation = propagation_for(pass, in.rows(), *this);
  if (sends_first(in)) {
    const tensor::MatrixView sent = slot.keep(kSent, in.rows(), inputs());
    send(propagation, in.dense, sent);
    tensor::product(sent, neighbor_of(weights.parameters), out);
  } else {
    const tensor::MatrixView inner = slot.keep(kInner, in.rows(), outputs());
    transform(in, neighbor_of(weights.parameters), inner);
    send(propagation, inner, out);
  }
  if (options_.root_weight) {
    if (in.is_sparse) {
      const tensor::MatrixView root = slot.keep(kInner, in.rows(), outputs());
      tensor::multiply(in.sparse, root_of(weights.parameters), root);
      add(root, out);
    } else {
      tensor::product(in.dense, root_of(weights.parameters), out, 1);
    }
  }
  if (options_.bias) tensor::add_to_rows(bias_of(weights.parameters), out);
  if (options_.normalize) tensor::normalize_rows_l2(out, out, slot.keep(kNorms, 1, out.rows).row(0));
}

void SageConv::backward(const Pass& pass, const Weights& weights, const Input& in,
                        tensor::ConstMatrixView out, tensor::MatrixView error, tensor::MatrixView in_error,
                        Slot& slot) const {
  const Propagation& propagation = propagation_for(pass, in.rows(), *this);
  if (options_.normalize)
    tensor::normalize_rows_l2_backward(out, slot.keep(kNorms, 1, out.rows).row(0), error);
  if (sends_first(in)) {
    if (in_error.rows == 0) return;
    const tensor::MatrixView inner = slot.keep(kInner, in.rows(), inputs());
    tensor::product_transposed(error, neighbor_of(weights.parameters), inner);
    send_back(propagation, inner, in_error);
  } else {
    const tensor::MatrixView inner = slot.keep(kInner, in.rows(), outputs());
    send_back(propagation, error, inner);
    if (in_error.rows == 0) return;
    tensor::product_transposed(inner, neighbor_of(weights.parameters), in_error);
  }
  if (options_.root_weight) tensor::product_transposed(error, root_of(weights.parameters), in_error, 1);
}

void SageConv::gradient(const Pass&, const Weights&, const Input& in, tensor::ConstMatrixView error,
                        std::span<float> gradient, Slot& slot) const {
  if (sends_first(in)) {
    tensor::transposed_product(slot.keep(kSent, in.rows(), inputs()), error, neighbor_of(gradient));
  } else {
    weight_gradient(in, slot.keep(kInner, in.rows(), outputs()), neighbor_of(gradient));
  }
  if (options_.root_weight) weight_gradient(in, error, root_of(gradient));
  if (options_.bias) bias_gradient(error, bias_of(gradient));
}

}  // namespace privet::nn
