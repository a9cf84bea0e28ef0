#include "privet/nn/layer.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "privet/base/error.hpp"

namespace privet::nn {

AdjacencyMap::~AdjacencyMap() = default;

Layer::~Layer() = default;

tensor::MatrixView shaped(tensor::Matrix& matrix, std::size_t rows, std::size_t columns) {
  if (matrix.size() < rows * columns) matrix = tensor::Matrix(rows, columns);
  return {matrix.values().data(), rows, columns};
}

tensor::MatrixView Slot::keep(std::size_t index, std::size_t rows, std::size_t columns) {
  if (kept.size() <= index) kept.resize(index + 1);
  return shaped(kept[index], rows, columns);
}

void Layer::initialize(std::span<float>, std::span<float>, RandomStream&) const {}
void Layer::gradient(const Pass&, const Weights&, const Input&, tensor::ConstMatrixView, std::span<float>,
                     Slot&) const {}
void Layer::gradient_in_doubles(const Pass&, const Input&, tensor::ConstMatrixView, std::span<float>,
                                Slot&) const {
  if (!arrays().empty()) throw std::logic_error(fmt::format("{}: no sums in double precision", name()));
}
void Layer::prepare_parts(const Input&, std::size_t, Slot&) const {
  throw std::logic_error(fmt::format("{}: no parts of a gradient", name()));
}
void Layer::gradient_part(const Slot&, std::size_t, std::span<float>) const {
  throw std::logic_error(fmt::format("{}: no parts of a gradient", name()));
}
void Layer::add_gradient(const Input&, tensor::ConstMatrixView, std::span<double>) const {
  if (!arrays().empty()) throw std::logic_error(fmt::format("{}: no sums in double precision", name()));
}
void Layer::add_squared_row_norms(const Pass&, const Input&, tensor::ConstMatrixView,
                                  std::span<double>) const {
  if (!arrays().empty()) throw std::logic_error(fmt::format("{}: no norms of single rows", name()));
}
void Layer::update_statistics(const Slot&, std::span<float>) const {}

void Layer::add_squared_norms(const Pass&, const Input&, tensor::ConstMatrixView, Slot&,
                              std::span<double>) const {
  if (arrays().empty()) return;
  throw Unsound({.what = "no gradients of single examples",
                 .where = name(),
                 .expected = "a layer whose parameters see one example at a time"});
}

}  // namespace privet::nn
