#pragma once

#include <span>

#include "privet/base/random.hpp"

namespace privet::tensor {

/// Random float32 numbers straight from a stream, vectorised: initial weights, dropout, simulations. The
/// numbers depend on the stream alone, not on the number of threads or the instruction set's width; two
/// calls draw independently. Noise that protects someone comes from core/noise/, whose precision and
/// rounding are part of the guarantee.

/// Uniform on [low, high).
void fill_uniform(RandomStream& stream, float low, float high, std::span<float> values);
void fill_gaussian(RandomStream& stream, float stddev, std::span<float> values);
/// Density exp(-|x| / scale) / (2 scale).
void fill_laplace(RandomStream& stream, float scale, std::span<float> values);

}  // namespace privet::tensor
