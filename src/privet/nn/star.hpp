#pragma once

#include "privet/nn/layer.hpp"

namespace privet::nn {

/// Message passing to the middle of a star: the rows of every star (a node, which comes first, and those whom
/// it hears) become one row. The layers before see every row of a star by itself. A star is what
/// Pass::stars() says; without any, every row is a star of its own. No layer here has parameters: linear
/// layers before or behind have them, so gradients of single examples are known.

/// The mean: row-normalised aggregation with weights 1 / (degree + 1), the middle included.
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

/// The sum: what a graph isomorphism network with epsilon 0 passes on.
class StarSum final : public Layer {
 public:
  explicit StarSum(std::size_t width) : Layer(width, width) {}
  [[nodiscard]] std::string name() const override { return "sum of a star"; }
  [[nodiscard]] bool gathers_examples() const override { return true; }
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;
};

/// Dot-product attention: the row is cut into `heads` equal parts, and each part of the result is the mean of
/// the star's with weights softmax(h_middle . h_j / sqrt(width of a part)).
class StarAttention final : public Layer {
 public:
  /// InvalidArgument unless `heads` divides `width`.
  StarAttention(std::size_t width, std::size_t heads);
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] bool gathers_examples() const override { return true; }
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;

 private:
  std::size_t heads_;
};

}  // namespace privet::nn
