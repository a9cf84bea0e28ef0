#pragma once

#include "privet/nn/initialization.hpp"
#include "privet/nn/layer.hpp"

namespace privet::nn {

struct SageOptions {
  bool root_weight = true;  ///< a node's own row has weights of its own; without, only its neighbours count
  bool normalize = false;   ///< rows of the output scaled to norm 1
  bool bias = true;
  Initialization initialization = Initialization::uniform;
};

/// GraphSAGE (Hamilton, Ying and Leskovec): out = in W_root + (P in) W_neighbor + b, with the pass's
/// propagation as P; the method chooses it: the plain adjacency for sums, graph::row_mean for means. Sparse
/// features are taken as they are.
class SageConv final : public Layer {
 public:
  SageConv(std::size_t inputs, std::size_t outputs, const SageOptions& options = {});

  [[nodiscard]] const SageOptions& options() const noexcept { return options_; }
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
  [[nodiscard]] std::size_t weight_size() const { return inputs() * outputs(); }

  // The slices of the parameters, or of their gradient: neighbor, root, bias.
  template <typename T>
  [[nodiscard]] tensor::BasicView<T> neighbor_of(std::span<T> numbers) const {
    return {numbers.data(), inputs(), outputs()};
  }
  template <typename T>
  [[nodiscard]] tensor::BasicView<T> root_of(std::span<T> numbers) const {
    return {numbers.data() + weight_size(), inputs(), outputs()};
  }
  template <typename T>
  [[nodiscard]] std::span<T> bias_of(std::span<T> numbers) const {
    return numbers.last(outputs());
  }

  SageOptions options_;
};

}  // namespace privet::nn
