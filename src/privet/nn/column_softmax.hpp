#pragma once

#include "privet/nn/layer.hpp"

namespace privet::nn {

/// The logarithm of a softmax over each column: numbers of a class are compared between rows, not between the
/// classes of a row. An output depends on all rows of the pass, so gradients of single examples do not exist.
class LogSoftmaxColumns final : public Layer {
 public:
  explicit LogSoftmaxColumns(std::size_t width) : Layer(width, width) {}
  [[nodiscard]] std::string name() const override { return "log softmax of columns"; }
  [[nodiscard]] std::string mixes_examples() const override;
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;
};

}  // namespace privet::nn
