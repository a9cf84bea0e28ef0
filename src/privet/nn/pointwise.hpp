#pragma once

#include "privet/nn/layer.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::nn {

/// Layers without parameters that treat every row by itself.

class Activate final : public Layer {
 public:
  Activate(std::size_t width, tensor::Activation activation) : Layer(width, width), activation_(activation) {}
  [[nodiscard]] tensor::Activation activation() const noexcept { return activation_; }
  [[nodiscard]] std::string name() const override;
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;

 private:
  tensor::Activation activation_;
};

/// While training sets each number to 0 with probability `rate` and scales the others by 1 / (1 - rate). The
/// masks of a pass are a function of its seed and of the layer's place in the network.
class Dropout final : public Layer {
 public:
  /// `rate` from 0 to below 1.
  Dropout(std::size_t width, double rate, std::uint64_t place);
  [[nodiscard]] std::string name() const override;
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;

 private:
  float rate_;
  std::uint64_t place_;
};

/// Scales every row to Euclidean norm 1; zero rows stay zero.
class NormalizeRows final : public Layer {
 public:
  explicit NormalizeRows(std::size_t width) : Layer(width, width) {}
  [[nodiscard]] std::string name() const override;
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;
};

}  // namespace privet::nn
