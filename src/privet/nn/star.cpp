#include "privet/nn/star.hpp"

#include <algorithm>

namespace privet::nn {
namespace {

// Without groups every row is a star of its own.
std::pair<std::size_t, std::size_t> rows_of(const Pass& pass, std::size_t example) {
  if (pass.example_rows.empty()) return {example, example + 1};
  return {pass.example_rows[example], pass.example_rows[example + 1]};
}

}  // namespace

void StarMean::forward(const Pass& pass, const Weights&, const Input& in, tensor::MatrixView out,
                       Slot&) const {
  for (std::size_t e = 0; e < out.rows; ++e) {
    const auto [begin, end] = rows_of(pass, e);
    const auto mean = out.row(e);
    std::ranges::fill(mean, 0.0F);
    for (std::size_t row = begin; row < end; ++row) {
      const auto x = in.dense.row(row);
      for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += x[j];
    }
    const float share = end > begin ? 1.0F / static_cast<float>(end - begin) : 0.0F;
    for (float& value : mean) value *= share;
  }
}

void StarMean::backward(const Pass& pass, const Weights&, const Input&, tensor::ConstMatrixView,
                        tensor::MatrixView error, tensor::MatrixView in_error, Slot&) const {
  if (in_error.rows == 0) return;
  for (std::size_t e = 0; e < error.rows; ++e) {
    const auto [begin, end] = rows_of(pass, e);
    const float share = end > begin ? 1.0F / static_cast<float>(end - begin) : 0.0F;
    const auto from = error.row(e);
    for (std::size_t row = begin; row < end; ++row) {
      const auto to = in_error.row(row);
      for (std::size_t j = 0; j < to.size(); ++j) to[j] = from[j] * share;
    }
  }
}

}  // namespace privet::nn
