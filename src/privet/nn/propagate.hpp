#pragma once

#include "privet/nn/layer.hpp"

namespace privet::nn {

/// Sends rows along the graph and does nothing else: out = P in, with the pass's propagation as P. Behind
/// Linear it makes the convolution whose constants travel too, P (in W + b): a node hears of them as often as
/// it has neighbours, where GraphConv adds them once.
class Propagate final : public Layer {
 public:
  explicit Propagate(std::size_t width) : Layer(width, width) {}
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::string mixes_examples() const override;
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;
};

}  // namespace privet::nn
