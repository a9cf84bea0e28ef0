#include "privet/nn/projection.hpp"

#include <fmt/format.h>

#include "privet/nn/initialization.hpp"
#include "privet/tensor/dense_product.hpp"

namespace privet::nn {

std::string Projection::name() const { return fmt::format("fixed projection {} -> {}", inputs(), outputs()); }

void Projection::forward(const Pass&, const Weights&, const Input& in, tensor::MatrixView out, Slot&) const {
  tensor::product(in.dense, matrix_, out);
}

void Projection::backward(const Pass&, const Weights&, const Input&, tensor::ConstMatrixView,
                          tensor::MatrixView error, tensor::MatrixView in_error, Slot&) const {
  if (in_error.rows == 0) return;
  tensor::product_transposed(error, matrix_, in_error);
}

tensor::Matrix orthogonal_projection(std::size_t inputs, std::size_t outputs, double scale,
                                     RandomStream& stream) {
  tensor::Matrix matrix(inputs, outputs);
  initialize_weight(Initialization::orthogonal, stream, matrix);
  for (float& value : matrix.values()) value *= static_cast<float>(scale);
  return matrix;
}

}  // namespace privet::nn
