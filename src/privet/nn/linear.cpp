#include "privet/nn/linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/tensor/dense_product.hpp"
#include "privet/tensor/listed_rows.hpp"
#include "privet/tensor/row_groups.hpp"
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

// Which rows have an entry in each column, ascending, into the slot.
void transpose(const tensor::SparseView& x, Slot& slot) {
  // Counted two places ahead: adding up makes them the starts of the columns one place ahead, and placing the
  // entries moves each of those to its end, which is the start of the next.
  slot.column_starts.assign(x.columns + 2, 0);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::uint64_t k = x.begin[i]; k < x.end[i]; ++k) ++slot.column_starts[x.column_indices[k] + 2];
  }
  for (std::size_t a = 0; a < x.columns; ++a) slot.column_starts[a + 2] += slot.column_starts[a + 1];
  const std::size_t entries = slot.column_starts.back();
  if (slot.column_rows.size() < entries) slot.column_rows.resize(entries);
  slot.column_values.resize(x.values == nullptr ? 0 : entries);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::uint64_t k = x.begin[i]; k < x.end[i]; ++k) {
      const std::uint64_t place = slot.column_starts[x.column_indices[k] + 1]++;
      slot.column_rows[place] = static_cast<std::uint32_t>(i);
      if (x.values != nullptr) slot.column_values[place] = x.values[k];
    }
  }
}

// Columns [first, first + to.size()) of a sum of rows of `error`, each times a factor: `for_terms` calls back
// for all of them, in the order of the rows.
template <typename ForTerms>
void sum_in_doubles(const tensor::ConstMatrixView& error, std::size_t first, std::span<float> to,
                    const ForTerms& for_terms) {
  constexpr std::size_t kBlock = 64;  // numbers summed at a time
  for (std::size_t begin = 0; begin < to.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, to.size() - begin);
    std::array<double, kBlock> sums{};
    for_terms([&](std::size_t row, double factor) {
      const float* const from = error.row(row).data() + first + begin;
      for (std::size_t j = 0; j < count; ++j) sums[j] += factor * static_cast<double>(from[j]);
    });
    for (std::size_t j = 0; j < count; ++j) to[begin + j] = static_cast<float>(sums[j]);
  }
}

void sum_rows(const tensor::ConstMatrixView& error, std::size_t first, std::span<float> to) {
  sum_in_doubles(error, first, to, [&](const auto& term) {
    for (std::size_t i = 0; i < error.rows; ++i) term(i, 1.0);
  });
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

void Linear::gradient_in_doubles(const Pass&, const Input& in, tensor::ConstMatrixView error,
                                 std::span<float> gradient, Slot& slot) const {
  constexpr std::size_t kGrain = 128;
  const std::size_t width = outputs();
  if (in.is_sparse) {
    if (error.data != slot.error.values().data()) throw std::logic_error("errors that are not the slot's");
    prepare_parts(in, error.rows, slot);
  }
  parallel_for(inputs(), kGrain, [&](std::size_t begin, std::size_t end) {
    const std::span<float> rows = gradient.subspan(begin * width, (end - begin) * width);
    if (in.is_sparse) {
      std::ranges::fill(rows, 0.0F);
      return gradient_part(slot, begin * width, rows);
    }
    for (std::size_t a = begin; a < end; ++a) {
      sum_in_doubles(error, 0, gradient.subspan(a * width, width), [&](const auto& term) {
        for (std::size_t i = 0; i < error.rows; ++i) term(i, static_cast<double>(in.dense.row(i)[a]));
      });
    }
  });
  if (bias_) sum_rows(error, 0, gradient.subspan(inputs() * width, width));
}

void Linear::prepare_parts(const Input& in, std::size_t rows, Slot& slot) const {
  if (!in.is_sparse) throw std::logic_error("parts of the gradient of dense rows");
  transpose(in.sparse, slot);
  slot.summed_rows = rows;
}

void Linear::gradient_part(const Slot& slot, std::size_t first, std::span<float> part) const {
  const std::size_t width = outputs();
  const tensor::ConstMatrixView error(slot.error.values().data(), slot.summed_rows, width);
  while (!part.empty()) {
    const std::size_t a = first / width;
    const std::size_t skipped = first % width;
    const std::size_t whole = skipped > 0 || a >= inputs() ? 0 : std::min(part.size() / width, inputs() - a);
    if (whole > 0 && slot.column_values.empty()) {
      tensor::sum_listed_rows(error, std::span(slot.column_starts).subspan(a, whole + 1), slot.column_rows,
                              {part.data(), whole, width});
      first += whole * width;
      part = part.subspan(whole * width);
      continue;
    }
    const std::span<float> row = part.first(std::min(width - skipped, part.size()));
    first += row.size();
    part = part.subspan(row.size());
    if (a == inputs()) {
      sum_rows(error, skipped, row);
      continue;
    }
    const std::uint64_t begin = slot.column_starts[a];
    const std::uint64_t end = slot.column_starts[a + 1];
    sum_in_doubles(error, skipped, row, [&](const auto& term) {
      for (std::uint64_t k = begin; k < end; ++k)
        term(slot.column_rows[k],
             slot.column_values.empty() ? 1.0 : static_cast<double>(slot.column_values[k]));
    });
  }
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
  if (!in.is_sparse) {
    if (slot.norms.size() < norms.size()) slot.norms.resize(norms.size());
    const std::span<double> sums = std::span(slot.norms).first(norms.size());
    std::ranges::fill(sums, 0.0);
    tensor::add_gram_products(in.dense, error, pass.example_rows, bias, sums);
    for (std::size_t i = 0; i < norms.size(); ++i) norms[i] += std::max(sums[i], 0.0);
    return;
  }
  parallel_for(norms.size(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t begin = pass.example_rows[i];
      const std::size_t end = pass.example_rows[i + 1];
      double sum = 0;
      for (std::size_t k = begin; k < end; ++k) {
        sum += (sparse_dot(in.sparse, k, k) + bias) * dot(error.row(k), error.row(k));
        for (std::size_t l = begin; l < k; ++l)
          sum += 2 * (sparse_dot(in.sparse, k, l) + bias) * dot(error.row(k), error.row(l));
      }
      norms[i] += std::max(sum, 0.0);
    }
  });
}

void Linear::add_squared_row_norms(const Pass& pass, const Input& in, tensor::ConstMatrixView error,
                                   std::span<double> norms) const {
  const double bias = bias_ ? 1.0 : 0.0;
  const bool single = pass.example_rows.empty();
  parallel_for(norms.size(), 64, [&](std::size_t first, std::size_t last) {
    const std::size_t begin = single ? first : pass.example_rows[first];
    const std::size_t end = single ? last : pass.example_rows[last];
    std::vector<double> of_inputs(end - begin);
    std::vector<double> of_errors(end - begin);
    if (in.is_sparse) {
      for (std::size_t k = begin; k < end; ++k) of_inputs[k - begin] = sparse_dot(in.sparse, k, k);
    } else {
      tensor::squared_row_norms(in.dense.row_range(begin, end - begin), of_inputs);
    }
    tensor::squared_row_norms(error.row_range(begin, end - begin), of_errors);
    for (std::size_t i = first; i < last; ++i) {
      double sum = 0;
      const std::size_t to = single ? i + 1 : pass.example_rows[i + 1];
      for (std::size_t k = single ? i : pass.example_rows[i]; k < to; ++k)
        sum += std::sqrt((of_inputs[k - begin] + bias) * of_errors[k - begin]);
      norms[i] += sum * sum;
    }
  });
}

void Linear::add_gradient(const Input& in, tensor::ConstMatrixView error, std::span<double> total) const {
  const std::size_t width = outputs();
  if (in.is_sparse) {
    constexpr std::size_t kColumns = 16;  // of the errors, which are shared out among threads
    parallel_for(width, kColumns, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = 0; i < error.rows; ++i) {
        const float* const from = error.row(i).data();
        for (std::uint64_t k = in.sparse.begin[i]; k < in.sparse.end[i]; ++k) {
          const auto factor = static_cast<double>(in.sparse.value(k));
          double* const to = total.data() + in.sparse.column_indices[k] * width;
          for (std::size_t j = first; j < last; ++j) to[j] += factor * static_cast<double>(from[j]);
        }
      }
    });
  } else {
    tensor::add_outer_products(in.dense, error, total.first(inputs() * width));
  }
  if (!bias_) return;
  const std::span<double> bias = total.subspan(inputs() * width, width);
  for (std::size_t i = 0; i < error.rows; ++i) {
    const auto from = error.row(i);
    for (std::size_t j = 0; j < width; ++j) bias[j] += static_cast<double>(from[j]);
  }
}

}  // namespace privet::nn
