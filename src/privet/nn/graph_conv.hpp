#pragma once

#include "privet/nn/initialization.hpp"
#include "privet/nn/layer.hpp"

namespace privet::nn {

/// Graph convolution (Kipf and Welling): out = P (in W) + b, with the pass's propagation as P; the method
/// chooses it, as a rule graph::symmetric_with_loops. Sparse features are taken as they are.
///
/// The narrower side travels along the edges: dense rows that W would widen are sent first, (P in) W.
class GraphConv final : public Layer {
 public:
  GraphConv(std::size_t inputs, std::size_t outputs, bool bias = true,
            Initialization initialization = Initialization::glorot_uniform);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::vector<Array> arrays() const override;
  [[nodiscard]] std::string mixes_examples() const override;
  void initialize(std::span<float> parameters, std::span<float> statistics,
                  RandomStream& stream) const override;
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;
  void gradient(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView error,
                std::span<float> gradient, Slot& slot) const override;

 private:
  [[nodiscard]] bool sends_first(const Input& in) const { return !in.is_sparse && inputs() < outputs(); }

  bool bias_;
  Initialization initialization_;
};

}  // namespace privet::nn
