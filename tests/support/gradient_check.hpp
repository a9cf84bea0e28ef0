#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "privet/nn/network.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::nn::testing {

inline double total_loss(const Network& network, const Pass& pass, const Parameters& parameters,
                         const Input& input, const std::vector<std::int32_t>& labels, Tape& tape) {
  const tensor::ConstMatrixView logits = network.forward(pass, parameters, input, tape);
  std::vector<float> losses(logits.rows);
  tensor::softmax_cross_entropy(logits, labels, network.output_error(pass, input, tape), losses);
  double sum = 0;
  for (const float loss : losses) sum += static_cast<double>(loss);
  return sum;
}

inline std::vector<float> analytic_gradient(const Network& network, const Pass& pass,
                                            const Parameters& parameters, const Input& input,
                                            const std::vector<std::int32_t>& labels) {
  Tape tape;
  (void)total_loss(network, pass, parameters, input, labels, tape);
  network.backward(pass, parameters, input, tape);
  std::vector<float> gradient(network.parameters());
  network.gradient(pass, parameters, input, tape, gradient);
  return gradient;
}

/// Every parameter's derivative against central differences. Float32 leaves about 1e-3 of the largest
/// derivative; kinks (ReLU at 0) are avoided by random inputs.
inline void expect_gradient_matches_differences(const Network& network, const Pass& pass,
                                                Parameters parameters, const Input& input,
                                                const std::vector<std::int32_t>& labels,
                                                double tolerance = 3e-3) {
  const std::vector<float> gradient = analytic_gradient(network, pass, parameters, input, labels);
  double scale = 1e-3;
  for (const float g : gradient) scale = std::max(scale, std::abs(static_cast<double>(g)));
  Tape tape;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const float saved = parameters.learnt[i];
    constexpr float kStep = 4e-3F;
    parameters.learnt[i] = saved + kStep;
    const double above = total_loss(network, pass, parameters, input, labels, tape);
    parameters.learnt[i] = saved - kStep;
    const double below = total_loss(network, pass, parameters, input, labels, tape);
    parameters.learnt[i] = saved;
    const double difference = (above - below) / (2.0 * static_cast<double>(kStep));
    ASSERT_NEAR(static_cast<double>(gradient[i]), difference, tolerance * scale) << "parameter " << i;
  }
}

}  // namespace privet::nn::testing
