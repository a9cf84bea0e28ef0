#pragma once

#include "privet/nn/layer.hpp"

namespace privet::nn {

/// out = in P for a matrix P that is fixed when the network is described and never learnt: it has no
/// parameters, so the layers before it are all that a gradient is of.
class Projection final : public Layer {
 public:
  explicit Projection(tensor::Matrix matrix)
      : Layer(matrix.rows(), matrix.columns()), matrix_(std::move(matrix)) {}

  [[nodiscard]] std::string name() const override;
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;

 private:
  tensor::Matrix matrix_;
};

/// `inputs` x `outputs` with orthonormal columns (rows, where there are more outputs), times `scale`.
tensor::Matrix orthogonal_projection(std::size_t inputs, std::size_t outputs, double scale,
                                     RandomStream& stream);

}  // namespace privet::nn
