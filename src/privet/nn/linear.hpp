#pragma once

#include "privet/nn/initialization.hpp"
#include "privet/nn/layer.hpp"

namespace privet::nn {

/// out = in W + b, for dense rows and for sparse features.
///
/// The squared norm of an example's gradient is |in|^2 |error|^2 (+ |error|^2 for the bias); where the
/// example spans several rows, the sum over pairs of rows of (in_k . in_l + 1)(error_k . error_l).
class Linear final : public Layer {
 public:
  Linear(std::size_t inputs, std::size_t outputs, bool bias = true,
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
  void gradient_in_doubles(const Pass& pass, const Input& in, tensor::ConstMatrixView error,
                           std::span<float> gradient, Slot& slot) const override;
  void prepare_parts(const Input& in, std::size_t rows, Slot& slot) const override;
  void gradient_part(const Slot& slot, std::size_t first, std::span<float> part) const override;
  void add_gradient(const Input& in, tensor::ConstMatrixView error, std::span<double> total) const override;
  void add_squared_row_norms(const Pass& pass, const Input& in, tensor::ConstMatrixView error,
                             std::span<double> norms) const override;
  void add_squared_norms(const Pass& pass, const Input& in, tensor::ConstMatrixView error, Slot& slot,
                         std::span<double> norms) const override;

 private:
  bool bias_;
  Initialization initialization_;
};

}  // namespace privet::nn
