#pragma once

#include "privet/nn/initialization.hpp"
#include "privet/nn/layer.hpp"

namespace privet::nn {

/// One linear layer for each of several channels that lie side by side in a row, their outputs side by side
/// again: out_c = in_c W_c + b_c, a linear layer whose weight is block diagonal. For dense rows, each of
/// which is an example.
///
/// The squared norm of an example's gradient is the sum over channels of (|in_c|^2 + 1) |error_c|^2.
class Channels final : public Layer {
 public:
  /// `inputs` and `outputs` are those of one channel.
  Channels(std::size_t channels, std::size_t inputs, std::size_t outputs,
           Initialization initialization = Initialization::uniform);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::vector<Array> arrays() const override;
  void initialize(std::span<float> parameters, std::span<float> statistics,
                  RandomStream& stream) const override;
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;
  void gradient(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView error,
                std::span<float> gradient, Slot& slot) const override;
  void add_squared_norms(const Pass& pass, const Input& in, tensor::ConstMatrixView error, Slot& slot,
                         std::span<double> norms) const override;

 private:
  /// Of one channel: its weight, then its bias.
  [[nodiscard]] std::size_t block() const { return (each_in_ + 1) * each_out_; }

  std::size_t channels_;
  std::size_t each_in_;
  std::size_t each_out_;
  Initialization initialization_;
};

}  // namespace privet::nn
