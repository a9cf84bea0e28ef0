#include "privet/nn/linear.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/tensor/dense_product.hpp"
#include "privet/tensor/rows.hpp"
#include "privet/tensor/sparse_product.hpp"

namespace privet::nn {
namespace {

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

double sparse_dot(const tensor::SparseView& x, std::size_t k, std::size_t l) {
  double sum = 0;
  std::uint64_t a = x.begin[k];
  std::uint64_t b = x.begin[l];
  while (a < x.end[k] && b < x.end[l]) {
    const std::uint32_t left = x.column_indices[a];
    const std::uint32_t right = x.column_indices[b];
    if (left == right) sum += static_cast<double>(x.value(a)) * static_cast<double>(x.value(b));
    a += left <= right ? 1U : 0U;
    b += right <= left ? 1U : 0U;
  }
  return sum;
}

double input_dot(const Input& in, std::size_t k, std::size_t l) {
  return in.is_sparse ? sparse_dot(in.sparse, k, l) : dot(in.dense.row(k), in.dense.row(l));
}

}  // namespace

Linear::Linear(std::size_t inputs, std::size_t outputs, bool bias, Initialization initialization)
    : Layer(inputs, outputs), bias_(bias), initialization_(initialization) {}

std::string Linear::name() const { return fmt::format("linear {} -> {}", inputs(), outputs()); }

std::vector<Layer::Array> Linear::arrays() const {
  std::vector<Array> all = {{"weight", inputs(), outputs()}};
  if (bias_) all.push_back({"bias", 1, outputs()});
  return all;
}

void Linear::initialize(std::span<float> parameters, std::span<float>, RandomStream& stream) const {
  initialize_weight(initialization_, stream, {parameters.data(), inputs(), outputs()});
  if (bias_)
    initialize_bias(initialization_, inputs(), stream, parameters.subspan(inputs() * outputs(), outputs()));
}

void Linear::forward(const Pass&, const Weights& weights, const Input& in, tensor::MatrixView out,
                     Slot&) const {
  const tensor::ConstMatrixView weight(weights.parameters.data(), inputs(), outputs());
  if (in.is_sparse) {
    tensor::multiply(in.sparse, weight, out);
  } else {
    tensor::product(in.dense, weight, out);
  }
  if (bias_) tensor::add_to_rows(weights.parameters.subspan(inputs() * outputs(), outputs()), out);
}

void Linear::backward(const Pass&, const Weights& weights, const Input&, tensor::ConstMatrixView,
                      tensor::MatrixView error, tensor::MatrixView in_error, Slot&) const {
  if (in_error.rows == 0) return;
  tensor::product_transposed(error, {weights.parameters.data(), inputs(), outputs()}, in_error);
}

void Linear::gradient(const Pass&, const Weights&, const Input& in, tensor::ConstMatrixView error,
                      std::span<float> gradient, Slot&) const {
  const tensor::MatrixView weight(gradient.data(), inputs(), outputs());
  if (in.is_sparse) {
    std::fill_n(gradient.begin(), inputs() * outputs(), 0.0F);
    tensor::add_transposed_product(in.sparse, error, weight);
  } else {
    tensor::transposed_product(in.dense, error, weight);
  }
  if (bias_) {
    const std::span<float> bias = gradient.subspan(inputs() * outputs(), outputs());
    std::fill(bias.begin(), bias.end(), 0.0F);
    tensor::add_column_sums(error, bias);
  }
}

// Threads share the columns of the weight: every sum is taken by one of them, in the order of the rows,
// however many they are.
void Linear::add_gradient(const Pass&, const Input& in, tensor::ConstMatrixView error,
                          std::span<double> sum) const {
  const std::size_t width = outputs();
  const std::size_t share = (width + thread_count() - 1) / thread_count();
  double* const bias = bias_ ? sum.data() + inputs() * width : nullptr;
  parallel_for(width, share, [&](std::size_t first, std::size_t last) {
    const auto add = [&](const float* from, double factor, double* to) {
      for (std::size_t j = first; j < last; ++j) to[j] += factor * static_cast<double>(from[j]);
    };
    for (std::size_t i = 0; i < error.rows; ++i) {
      const float* const from = error.row(i).data();
      if (bias != nullptr) add(from, 1, bias);
      if (in.is_sparse) {
        for (std::uint64_t k = in.sparse.begin[i]; k < in.sparse.end[i]; ++k)
          add(from, static_cast<double>(in.sparse.value(k)),
              sum.data() + in.sparse.column_indices[k] * width);
      } else {
        const auto row = in.dense.row(i);
        for (std::size_t a = 0; a < row.size(); ++a)
          add(from, static_cast<double>(row[a]), sum.data() + a * width);
      }
    }
  });
}

void Linear::add_squared_norms(const Pass& pass, const Input& in, tensor::ConstMatrixView error, Slot& slot,
                               std::span<double> norms) const {
  const double bias = bias_ ? 1.0 : 0.0;
  if (pass.example_rows.empty()) {
    if (slot.norms.size() < 2 * error.rows) slot.norms.resize(2 * error.rows);
    const std::span<double> of_inputs = std::span(slot.norms).first(error.rows);
    const std::span<double> of_errors = std::span(slot.norms).subspan(error.rows, error.rows);
    if (in.squared_norms != nullptr) {
      std::copy_n(in.squared_norms, error.rows, of_inputs.begin());
    } else if (in.is_sparse) {
      tensor::squared_row_norms(in.sparse, of_inputs);
    } else {
      tensor::squared_row_norms(in.dense, of_inputs);
    }
    tensor::squared_row_norms(error, of_errors);
    for (std::size_t i = 0; i < error.rows; ++i) norms[i] += (of_inputs[i] + bias) * of_errors[i];
    return;
  }
  parallel_for(norms.size(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t begin = pass.example_rows[i];
      const std::size_t end = pass.example_rows[i + 1];
      double sum = 0;
      for (std::size_t k = begin; k < end; ++k) {
        sum += (input_dot(in, k, k) + bias) * dot(error.row(k), error.row(k));
        for (std::size_t l = begin; l < k; ++l)
          sum += 2 * (input_dot(in, k, l) + bias) * dot(error.row(k), error.row(l));
      }
      norms[i] += std::max(sum, 0.0);
    }
  });
}

}  // namespace privet::nn
