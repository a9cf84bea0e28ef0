#pragma once

#include <cstdint>

#include "privet/nn/layer.hpp"

namespace privet::nn {

struct AttentionOptions {
  enum class Score : std::uint8_t {
    additive,     ///< LeakyReLU(source . h_j + target . h_i), slope 0.2 (Velickovic et al.)
    dot_product,  ///< h_i . h_j / sqrt(width)
  };
  std::size_t heads = 1;
  std::size_t width = 0;  ///< of each head
  Score score = Score::additive;
  bool concatenate = true;  ///< the heads side by side; otherwise their mean
  bool bias = true;
  double dropout = 0;       ///< of the coefficients, while training
  std::uint64_t place = 0;  ///< of the layer in its network, for the masks of dropout
};

/// Graph attention: with h = in W, every head of node i receives the sum over j of a_ij h_j, where a_i is the
/// softmax of its scores over the entries of row i of the pass's propagation. Those entries hold i itself (a
/// row without is an InvalidArgument); their weights do not matter. Sparse features are taken as they are.
///
/// Time and, beside the rows, memory are linear in entries x heads: x width and x 1.
class AttentionConv final : public Layer {
 public:
  /// InvalidArgument for no heads, no width, or a rate of dropout outside 0 to below 1.
  AttentionConv(std::size_t inputs, const AttentionOptions& options);

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
  struct Room;  // what is kept of a pass, seen as matrices
  [[nodiscard]] Room room(const Pass& pass, std::size_t rows, std::size_t entries, Slot& slot) const;
  [[nodiscard]] bool additive() const { return options_.score == AttentionOptions::Score::additive; }
  [[nodiscard]] std::size_t hidden() const { return options_.heads * options_.width; }
  // Where head h's part of an output or its error begins, and the head's share in it.
  [[nodiscard]] std::size_t output_begin(std::size_t h) const {
    return options_.concatenate ? h * options_.width : 0;
  }
  [[nodiscard]] float output_share() const {
    return options_.concatenate ? 1.0F : 1.0F / static_cast<float>(options_.heads);
  }
  [[nodiscard]] float product_scale() const;

  void attend(const tensor::SparseMatrix& adjacency, std::size_t row, const Room& kept,
              tensor::MatrixView out) const;
  void score_errors(const tensor::SparseMatrix& adjacency, std::size_t row, tensor::ConstMatrixView error,
                    std::span<const float> target, const Room& kept) const;
  void sender_errors(const tensor::SparseMatrix& turned, std::size_t row,
                     std::span<const std::uint64_t> entries, tensor::ConstMatrixView error,
                     std::span<const float> source, const Room& kept) const;

  AttentionOptions options_;
};

}  // namespace privet::nn
