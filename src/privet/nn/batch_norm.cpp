#include "privet/nn/batch_norm.hpp"

#include <algorithm>
#include <cmath>

#include "privet/tensor/rows.hpp"

namespace privet::nn {
namespace {

constexpr float kMomentum = 0.1F;  // share of the new batch in the running statistics

// What is kept of a training pass: the normalised rows, and one row each of means, variances, 1/deviations.
enum Kept : std::size_t { kNormalized, kMean, kVariance, kInverse, kCorrection, kSums };

void column_means(tensor::ConstMatrixView x, std::span<float> means) {
  std::ranges::fill(means, 0.0F);
  tensor::add_column_sums(x, means);
  for (float& mean : means) mean /= static_cast<float>(std::max<std::size_t>(x.rows, 1));
}

}  // namespace

std::vector<Layer::Array> BatchNorm::arrays() const {
  return {{"scale", 1, outputs()}, {"shift", 1, outputs()}};
}

std::string BatchNorm::mixes_examples() const {
  return "batch norm makes every row depend on the others of its batch: there is no gradient of one example "
         "to clip";
}

void BatchNorm::initialize(std::span<float> parameters, std::span<float> statistics, RandomStream&) const {
  std::ranges::fill(parameters.first(outputs()), 1.0F);
  std::ranges::fill(parameters.subspan(outputs()), 0.0F);
  std::ranges::fill(statistics.first(outputs()), 0.0F);
  std::ranges::fill(statistics.subspan(outputs()), 1.0F);
}

void BatchNorm::forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
                        Slot& slot) const {
  const std::size_t width = outputs();
  const tensor::MatrixView normalized = slot.keep(kNormalized, out.rows, width);
  const std::span<float> mean = slot.keep(kMean, 1, width).row(0);
  const std::span<float> variance = slot.keep(kVariance, 1, width).row(0);
  const std::span<float> inverse = slot.keep(kInverse, 1, width).row(0);
  if (pass.training) {
    column_means(in.dense, mean);
    for (std::size_t i = 0; i < out.rows; ++i) {
      const auto x = in.dense.row(i);
      const auto squares = normalized.row(i);
      for (std::size_t j = 0; j < width; ++j) squares[j] = (x[j] - mean[j]) * (x[j] - mean[j]);
    }
    column_means(normalized, variance);
    // The running variance is the unbiased one.
    const float correction =
        out.rows > 1 ? static_cast<float>(out.rows) / static_cast<float>(out.rows - 1) : 1.0F;
    slot.keep(kCorrection, 1, 1).row(0)[0] = correction;
  } else {
    std::ranges::copy(weights.statistics.first(width), mean.begin());
    std::ranges::copy(weights.statistics.subspan(width), variance.begin());
  }
  for (std::size_t j = 0; j < width; ++j) inverse[j] = 1.0F / std::sqrt(variance[j] + kEpsilon);
  const auto scale = weights.parameters.first(width);
  const auto shift = weights.parameters.subspan(width, width);
  for (std::size_t i = 0; i < out.rows; ++i) {
    const auto x = in.dense.row(i);
    const auto unit = normalized.row(i);
    const auto y = out.row(i);
    for (std::size_t j = 0; j < width; ++j) {
      unit[j] = (x[j] - mean[j]) * inverse[j];
      y[j] = unit[j] * scale[j] + shift[j];
    }
  }
}

void BatchNorm::backward(const Pass& pass, const Weights& weights, const Input&, tensor::ConstMatrixView,
                         tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const {
  if (in_error.rows == 0 || error.rows == 0) return;
  const std::size_t width = outputs();
  const tensor::ConstMatrixView normalized = slot.keep(kNormalized, error.rows, width);
  const std::span<const float> inverse = slot.keep(kInverse, 1, width).row(0);
  const auto scale = weights.parameters.first(width);
  if (!pass.training) {
    for (std::size_t i = 0; i < error.rows; ++i) {
      for (std::size_t j = 0; j < width; ++j) in_error.row(i)[j] = error.row(i)[j] * scale[j] * inverse[j];
    }
    return;
  }
  const tensor::MatrixView sums = slot.keep(kSums, 2, width);
  const auto means = sums.row(0);
  const auto products = sums.row(1);
  column_means(error, means);
  for (std::size_t i = 0; i < error.rows; ++i) {
    for (std::size_t j = 0; j < width; ++j) in_error.row(i)[j] = error.row(i)[j] * normalized.row(i)[j];
  }
  column_means(in_error, products);
  for (std::size_t i = 0; i < error.rows; ++i) {
    const auto e = error.row(i);
    const auto unit = normalized.row(i);
    const auto to = in_error.row(i);
    for (std::size_t j = 0; j < width; ++j)
      to[j] = scale[j] * inverse[j] * (e[j] - means[j] - unit[j] * products[j]);
  }
}

void BatchNorm::gradient(const Pass&, const Weights&, const Input&, tensor::ConstMatrixView error,
                         std::span<float> gradient, Slot& slot) const {
  std::ranges::fill(gradient, 0.0F);
  const tensor::ConstMatrixView normalized = slot.keep(kNormalized, error.rows, outputs());
  for (std::size_t i = 0; i < error.rows; ++i) {
    for (std::size_t j = 0; j < outputs(); ++j) gradient[j] += error.row(i)[j] * normalized.row(i)[j];
  }
  tensor::add_column_sums(error, gradient.subspan(outputs(), outputs()));
}

void BatchNorm::update_statistics(const Slot& slot, std::span<float> statistics) const {
  const float correction = slot.kept[kCorrection].values()[0];
  for (std::size_t j = 0; j < outputs(); ++j) {
    float& mean = statistics[j];
    float& variance = statistics[outputs() + j];
    mean += kMomentum * (slot.kept[kMean].values()[j] - mean);
    variance += kMomentum * (slot.kept[kVariance].values()[j] * correction - variance);
  }
}

}  // namespace privet::nn
