#include "privet/nn/initialization.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "privet/base/distributions.hpp"
#include "privet/tensor/fill.hpp"

namespace privet::nn {
namespace {

void fill_orthogonal(RandomStream& stream, tensor::MatrixView weight) {
  const bool tall = weight.rows >= weight.columns;
  const auto longer = static_cast<Eigen::Index>(tall ? weight.rows : weight.columns);
  const auto shorter = static_cast<Eigen::Index>(tall ? weight.columns : weight.rows);
  Eigen::MatrixXd gaussian(longer, shorter);
  for (Eigen::Index j = 0; j < shorter; ++j) {
    for (Eigen::Index i = 0; i < longer; ++i) gaussian(i, j) = standard_normal(stream);
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(gaussian);
  Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(longer, shorter);
  // The signs of R's diagonal make the distribution uniform over orthogonal matrices.
  for (Eigen::Index j = 0; j < shorter; ++j) {
    if (qr.matrixQR()(j, j) < 0) q.col(j) *= -1;
  }
  for (std::size_t i = 0; i < weight.rows; ++i) {
    for (std::size_t j = 0; j < weight.columns; ++j) {
      const auto row = static_cast<Eigen::Index>(tall ? i : j);
      const auto column = static_cast<Eigen::Index>(tall ? j : i);
      weight.row(i)[j] = static_cast<float>(q(row, column));
    }
  }
}

}  // namespace

void initialize_weight(Initialization kind, RandomStream& stream, tensor::MatrixView weight) {
  if (weight.rows == 0 || weight.columns == 0) return;
  const float scale = 1.0F / std::sqrt(static_cast<float>(weight.rows));
  switch (kind) {
    case Initialization::uniform:
      for (std::size_t i = 0; i < weight.rows; ++i)
        tensor::fill_uniform(stream, -scale, scale, weight.row(i));
      break;
    case Initialization::lecun_normal:
      for (std::size_t i = 0; i < weight.rows; ++i) tensor::fill_gaussian(stream, scale, weight.row(i));
      break;
    case Initialization::orthogonal:
      fill_orthogonal(stream, weight);
      break;
    case Initialization::glorot_uniform: {
      const float bound = std::sqrt(6.0F / static_cast<float>(weight.rows + weight.columns));
      for (std::size_t i = 0; i < weight.rows; ++i)
        tensor::fill_uniform(stream, -bound, bound, weight.row(i));
      break;
    }
  }
}

void initialize_bias(Initialization kind, std::size_t fan_in, RandomStream& stream, std::span<float> bias) {
  if (kind != Initialization::uniform || fan_in == 0) {
    std::fill(bias.begin(), bias.end(), 0.0F);
    return;
  }
  const float scale = 1.0F / std::sqrt(static_cast<float>(fan_in));
  tensor::fill_uniform(stream, -scale, scale, bias);
}

}  // namespace privet::nn
