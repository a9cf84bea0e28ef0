#pragma once

#include "privet/nn/layer.hpp"

namespace privet::nn {

/// The sum of graph isomorphism networks (Xu, Hu, Leskovec and Jegelka): out = (1 + epsilon) in + P in, with
/// the pass's propagation as P, as a rule the plain adjacency. The perceptron of the paper is the layers
/// behind it: Linear, Activate, Linear.
///
/// Reads dense rows only: sums of sparse features are hardly sparse. Put a Linear before it for those.
class IsomorphismSum final : public Layer {
 public:
  explicit IsomorphismSum(std::size_t width, double epsilon = 0, bool learn_epsilon = false)
      : Layer(width, width), epsilon_(static_cast<float>(epsilon)), learnt_(learn_epsilon) {}

  [[nodiscard]] std::string name() const override { return "isomorphism sum"; }
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

  /// 1 + epsilon: what a node's own row counts.
  [[nodiscard]] float own_share(const Weights& weights) const {
    return 1.0F + (learnt_ ? weights.parameters[0] : epsilon_);
  }

 private:
  float epsilon_;
  bool learnt_;
};

}  // namespace privet::nn
