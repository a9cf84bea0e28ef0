#pragma once

#include <memory>

#include "privet/nn/layer.hpp"

namespace privet::nn {

/// Branches within a chain. A network is a chain of layers; one with branches (LINKX: features and a cached
/// embedding, joined, with residuals) is a chain too if every row carries the numbers of all its branches
/// side by side. The layers here work on some of the columns and hand the others on, so that the gradient of
/// a single example is exactly as known as in a plain chain.

/// Applies a layer to the columns from `first` on, as many as it reads, and hands all others on unchanged, in
/// their order. Reads sparse rows if the layer does; what is handed on becomes dense.
class OnColumns final : public Layer {
 public:
  /// `columns` come in. std::logic_error where the layer does not fit in, and for layers that gather
  /// examples.
  OnColumns(std::size_t columns, std::size_t first, std::shared_ptr<const Layer> layer);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::vector<Array> arrays() const override { return layer_->arrays(); }
  [[nodiscard]] std::size_t statistics() const override { return layer_->statistics(); }
  [[nodiscard]] std::string mixes_examples() const override { return layer_->mixes_examples(); }
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
  void update_statistics(const Slot& slot, std::span<float> statistics) const override;

 private:
  [[nodiscard]] Input part_of(const Input& in, Slot& slot) const;

  std::size_t first_;
  std::size_t behind_;  // columns handed on behind the layer's own
  std::shared_ptr<const Layer> layer_;
};

/// [a | b] -> [a | b | a + b]: the start of a residual.
class SumBeside final : public Layer {
 public:
  explicit SumBeside(std::size_t width) : Layer(2 * width, 3 * width), width_(width) {}
  [[nodiscard]] std::string name() const override;
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;

 private:
  std::size_t width_;
};

/// [a | b] -> a + b: its end.
class AddHalves final : public Layer {
 public:
  explicit AddHalves(std::size_t width) : Layer(2 * width, width) {}
  [[nodiscard]] std::string name() const override;
  void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
               Slot& slot) const override;
  void backward(const Pass& pass, const Weights& weights, const Input& in, tensor::ConstMatrixView out,
                tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const override;
};

}  // namespace privet::nn
