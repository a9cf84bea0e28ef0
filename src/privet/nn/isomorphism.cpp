#include "privet/nn/isomorphism.hpp"

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/nn/message_passing.hpp"
#include "privet/tensor/sparse_product.hpp"

namespace privet::nn {
namespace {

void add_scaled(tensor::ConstMatrixView from, float factor, tensor::MatrixView to) {
  for (std::size_t i = 0; i < from.rows; ++i) {
    const auto more = from.row(i);
    const auto sum = to.row(i);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += factor * more[j];
  }
}

}  // namespace

std::vector<Layer::Array> IsomorphismSum::arrays() const {
  if (!learnt_) return {};
  return {{"epsilon", 1, 1}};
}

std::string IsomorphismSum::mixes_examples() const { return mixes_neighbors(); }

void IsomorphismSum::initialize(std::span<float> parameters, std::span<float>, RandomStream&) const {
  std::ranges::fill(parameters, epsilon_);
}

void IsomorphismSum::forward(const Pass& pass, const Weights& weights, const Input& in,
                             tensor::MatrixView out, Slot&) const {
  if (in.is_sparse) {
    throw InvalidArgument({.what = "sparse features",
                           .where = name(),
                           .expected = "dense rows",
                           .remedy = "put a linear layer before it"});
  }
  tensor::multiply(stored_propagation_for(pass, in.rows(), *this).forward, in.dense, out);
  add_scaled(in.dense, own_share(weights), out);
}

void IsomorphismSum::backward(const Pass& pass, const Weights& weights, const Input& in,
                              tensor::ConstMatrixView, tensor::MatrixView error, tensor::MatrixView in_error,
                              Slot&) const {
  if (in_error.rows == 0) return;
  tensor::multiply(stored_propagation_for(pass, in.rows(), *this).backward, error, in_error);
  add_scaled(error, own_share(weights), in_error);
}

void IsomorphismSum::gradient(const Pass&, const Weights&, const Input& in, tensor::ConstMatrixView error,
                              std::span<float> gradient, Slot&) const {
  if (!learnt_) return;
  double sum = 0;
  for (std::size_t i = 0; i < error.rows; ++i) {
    const auto x = in.dense.row(i);
    const auto e = error.row(i);
    for (std::size_t j = 0; j < e.size(); ++j) sum += static_cast<double>(x[j]) * static_cast<double>(e[j]);
  }
  gradient[0] = static_cast<float>(sum);
}

}  // namespace privet::nn
