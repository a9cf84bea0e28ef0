#pragma once

#include <span>

namespace privet::tensor {

/// One step of gradient descent on a vector of parameters p, with the direction d = scale g + decay p.

/// p -= rate d; with momentum, velocity = momentum velocity + d and p -= rate velocity. `velocity` is empty
/// without momentum.
struct DescentStep {
  float rate = 0;
  float scale = 1;
  float decay = 0;
  float momentum = 0;
};
void descend(const DescentStep& step, std::span<const float> gradient, std::span<float> velocity,
             std::span<float> parameters);

/// mean = beta1 mean + (1 - beta1) d, square = beta2 square + (1 - beta2) d^2,
/// p -= rate mean / (sqrt(square) unbias + stability).
struct AdamStep {
  float rate = 0;  ///< with the correction of the mean's bias in it
  float scale = 1;
  float decay = 0;
  float beta1 = 0;
  float beta2 = 0;
  float unbias = 1;  ///< the correction of the square's bias, under the root
  float stability = 0;
};
void descend(const AdamStep& step, std::span<const float> gradient, std::span<float> mean,
             std::span<float> square, std::span<float> parameters);

}  // namespace privet::tensor
