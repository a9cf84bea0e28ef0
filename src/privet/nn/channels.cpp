#include "privet/nn/channels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "privet/tensor/dense_product.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::nn {
namespace {

void require_rows(const Pass& pass, const Input& in) {
  if (in.is_sparse || !pass.example_rows.empty())
    throw std::logic_error("channels are for dense rows, each of which is an example");
}

}  // namespace

Channels::Channels(std::size_t channels, std::size_t inputs, std::size_t outputs,
                   Initialization initialization)
    : Layer(channels * inputs, channels * outputs),
      channels_(channels),
      each_in_(inputs),
      each_out_(outputs),
      initialization_(initialization) {}

std::string Channels::name() const {
  return fmt::format("{} channels, linear {} -> {} each", channels_, each_in_, each_out_);
}

std::vector<Layer::Array> Channels::arrays() const {
  std::vector<Array> all;
  for (std::size_t c = 0; c < channels_; ++c) {
    all.push_back({fmt::format("weight{}", c), each_in_, each_out_});
    all.push_back({fmt::format("bias{}", c), 1, each_out_});
  }
  return all;
}

void Channels::initialize(std::span<float> parameters, std::span<float>, RandomStream& stream) const {
  for (std::size_t c = 0; c < channels_; ++c) {
    const std::span<float> own = parameters.subspan(c * block(), block());
    initialize_weight(initialization_, stream, {own.data(), each_in_, each_out_});
    initialize_bias(initialization_, each_in_, stream, own.subspan(each_in_ * each_out_));
  }
}

void Channels::forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
                       Slot&) const {
  require_rows(pass, in);
  for (std::size_t c = 0; c < channels_; ++c) {
    const std::span<const float> own = weights.parameters.subspan(c * block(), block());
    const tensor::MatrixView part = out.column_range(c * each_out_, each_out_);
    tensor::product(in.dense.column_range(c * each_in_, each_in_), {own.data(), each_in_, each_out_}, part);
    tensor::add_to_rows(own.subspan(each_in_ * each_out_), part);
  }
}

void Channels::backward(const Pass&, const Weights& weights, const Input&, tensor::ConstMatrixView,
                        tensor::MatrixView error, tensor::MatrixView in_error, Slot&) const {
  if (in_error.rows == 0) return;
  for (std::size_t c = 0; c < channels_; ++c) {
    const float* const own = weights.parameters.data() + c * block();
    tensor::product_transposed(error.column_range(c * each_out_, each_out_), {own, each_in_, each_out_},
                               in_error.column_range(c * each_in_, each_in_));
  }
}

void Channels::gradient(const Pass&, const Weights&, const Input& in, tensor::ConstMatrixView error,
                        std::span<float> gradient, Slot&) const {
  for (std::size_t c = 0; c < channels_; ++c) {
    const std::span<float> own = gradient.subspan(c * block(), block());
    const tensor::ConstMatrixView own_error = error.column_range(c * each_out_, each_out_);
    tensor::transposed_product(in.dense.column_range(c * each_in_, each_in_), own_error,
                               tensor::MatrixView(own.data(), each_in_, each_out_));
    const std::span<float> bias = own.subspan(each_in_ * each_out_);
    std::fill(bias.begin(), bias.end(), 0.0F);
    tensor::add_column_sums(own_error, bias);
  }
}

void Channels::add_squared_norms(const Pass& pass, const Input& in, tensor::ConstMatrixView error, Slot& slot,
                                 std::span<double> norms) const {
  require_rows(pass, in);
  if (slot.norms.size() < 2 * error.rows) slot.norms.resize(2 * error.rows);
  const std::span<double> of_inputs = std::span(slot.norms).first(error.rows);
  const std::span<double> of_errors = std::span(slot.norms).subspan(error.rows, error.rows);
  for (std::size_t c = 0; c < channels_; ++c) {
    tensor::squared_row_norms(in.dense.column_range(c * each_in_, each_in_), of_inputs);
    tensor::squared_row_norms(error.column_range(c * each_out_, each_out_), of_errors);
    for (std::size_t i = 0; i < error.rows; ++i) norms[i] += (of_inputs[i] + 1) * of_errors[i];
  }
}

}  // namespace privet::nn
