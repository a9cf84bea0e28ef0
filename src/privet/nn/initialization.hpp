#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "privet/base/random.hpp"
#include "privet/tensor/view.hpp"

namespace privet::nn {

enum class Initialization : std::uint8_t {
  uniform,         ///< uniform on +- 1/sqrt(fan in), also for biases: what PyTorch does by default
  lecun_normal,    ///< Gaussian of variance 1/fan in; zero biases
  orthogonal,      ///< orthonormal rows or columns; zero biases
  glorot_uniform,  ///< uniform on +- sqrt(6 / (fan in + fan out)); zero biases
};

/// Fills a weight matrix that maps rows of `weight.rows` numbers to `weight.columns`.
void initialize_weight(Initialization kind, RandomStream& stream, tensor::MatrixView weight);
void initialize_bias(Initialization kind, std::size_t fan_in, RandomStream& stream, std::span<float> bias);

}  // namespace privet::nn
