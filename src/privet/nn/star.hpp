#pragma once

#include "privet/nn/layer.hpp"

namespace privet::nn {

/// Turns the rows of every example (a node and its neighbours) into their mean: message passing to the
/// middle of a star. The layers before it see every row of a star by itself.
class StarMean final : public Layer {
 public:
  explicit StarMean(std::size_t width) : Layer(width, width) {}
  [[nodiscard]] std::string name() const override { return "mean of a star"; }
  [[nodiscard]] bool gathers_examples() const override { return true; }
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;
};

}  // namespace privet::nn
