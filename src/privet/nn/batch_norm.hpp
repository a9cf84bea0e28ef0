#pragma once

#include "privet/nn/layer.hpp"

namespace privet::nn {

/// Batch norm: centres and scales every column by the mean and variance of the batch while training, by
/// running ones after. A row then depends on all others of its batch, so gradients of single examples do not
/// exist and no private optimiser takes a network that has it.
class BatchNorm final : public Layer {
 public:
  static constexpr float kEpsilon = 1e-5F;  ///< beside the variance, as PyTorch

  explicit BatchNorm(std::size_t width) : Layer(width, width) {}

  [[nodiscard]] std::string name() const override { return "batch norm"; }
  [[nodiscard]] std::vector<Array> arrays() const override;
  [[nodiscard]] std::size_t statistics() const override { return 2 * outputs(); }
  [[nodiscard]] std::string mixes_examples() const override;
  void initialize(std::span<float> parameters, std::span<float> statistics,
                  RandomStream& stream) const override;
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;
  void gradient(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView error,
                std::span<float> gradient, Slot& slot) const override;
  void update_statistics(const Slot& slot, std::span<float> statistics) const override;
};

}  // namespace privet::nn
