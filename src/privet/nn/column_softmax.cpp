#include "privet/nn/column_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace privet::nn {

std::string LogSoftmaxColumns::mixes_examples() const { return "it compares the rows of all examples"; }

void LogSoftmaxColumns::forward(const Pass&, const Weights&, const Input& in, tensor::MatrixView out,
                                Slot&) const {
  std::vector<float> largest(out.columns, -std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < out.rows; ++i) {
    const std::span<const float> row = in.dense.row(i);
    for (std::size_t a = 0; a < row.size(); ++a) largest[a] = std::max(largest[a], row[a]);
  }
  std::vector<double> sums(out.columns);
  for (std::size_t i = 0; i < out.rows; ++i) {
    const std::span<const float> row = in.dense.row(i);
    for (std::size_t a = 0; a < row.size(); ++a)
      sums[a] += std::exp(static_cast<double>(row[a]) - static_cast<double>(largest[a]));
  }
  for (std::size_t i = 0; i < out.rows; ++i) {
    const std::span<const float> row = in.dense.row(i);
    for (std::size_t a = 0; a < row.size(); ++a)
      out.row(i)[a] = static_cast<float>(static_cast<double>(row[a]) -
                                         (static_cast<double>(largest[a]) + std::log(sums[a])));
  }
}

void LogSoftmaxColumns::backward(const Pass&, const Weights&, const Input&, tensor::ConstMatrixView out,
                                 tensor::MatrixView error, tensor::MatrixView in_error, Slot&) const {
  if (in_error.rows == 0) return;
  std::vector<double> sums(error.columns);
  for (std::size_t i = 0; i < error.rows; ++i) {
    const std::span<const float> row = error.row(i);
    for (std::size_t a = 0; a < row.size(); ++a) sums[a] += static_cast<double>(row[a]);
  }
  for (std::size_t i = 0; i < error.rows; ++i) {
    for (std::size_t a = 0; a < error.columns; ++a) {
      in_error.row(i)[a] = static_cast<float>(static_cast<double>(error.row(i)[a]) -
                                              std::exp(static_cast<double>(out.row(i)[a])) * sums[a]);
    }
  }
}

}  // namespace privet::nn
