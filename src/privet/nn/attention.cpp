#include "privet/nn/attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/nn/initialization.hpp"
#include "privet/nn/message_passing.hpp"
#include "privet/tensor/dense_product.hpp"
#include "privet/tensor/fill.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::nn {
namespace {

constexpr float kSlope = 0.2F;
constexpr std::size_t kGrain = 128;

// Eight sums side by side: a fixed order of addition that fits vector registers.
inline float dot(const float* a, const float* b, std::size_t count) {
  std::array<float, 8> sums{};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  float sum = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

void add_scaled(const float* from, float factor, float* to, std::size_t count) {
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

void for_rows(std::size_t rows, const auto& body) {
  parallel_for(rows, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) body(row);
  });
}

// For every entry of the transpose, in its order, which entry of the matrix it is.
void turn_entries(const Propagation& propagation, Slot& slot) {
  const tensor::SparseMatrix& forward = propagation.forward;
  const std::span<const std::uint64_t> starts = propagation.backward.offsets();
  slot.column_starts.assign(starts.begin(), starts.end());
  slot.turned_entries.resize(forward.entries());
  std::uint64_t entry = 0;
  for (const std::uint32_t column : forward.column_indices())
    slot.turned_entries[slot.column_starts[column]++] = entry++;
}

}  // namespace

// Per node, heads x width numbers in h and its error, a number per head in the others; per entry a number per
// head. The parts of a score, source . h_j and target . h_i, and their errors are there with additive scores
// only; the mask only where coefficients are dropped.
struct AttentionConv::Room {
  tensor::MatrixView h;
  tensor::MatrixView h_error;
  tensor::MatrixView coefficients;
  tensor::MatrixView score_errors;
  tensor::MatrixView mask;
  tensor::MatrixView source_part;
  tensor::MatrixView target_part;
  tensor::MatrixView source_error;
  tensor::MatrixView target_error;

  [[nodiscard]] float kept_share(std::uint64_t entry, std::size_t head) const {
    return mask.rows == 0 ? 1.0F : mask.row(entry)[head];
  }
};

AttentionConv::Room AttentionConv::room(const Pass& pass, std::size_t rows, std::size_t entries,
                                        Slot& slot) const {
  Room kept;
  const std::size_t heads = options_.heads;
  kept.h = slot.keep(0, rows, hidden());
  kept.h_error = slot.keep(1, rows, hidden());
  kept.coefficients = slot.keep(2, entries, heads);
  kept.score_errors = slot.keep(3, entries, heads);
  if (pass.training && options_.dropout > 0) kept.mask = slot.keep(4, entries, heads);
  if (additive()) {
    kept.source_part = slot.keep(5, rows, heads);
    kept.target_part = slot.keep(6, rows, heads);
    kept.source_error = slot.keep(7, rows, heads);
    kept.target_error = slot.keep(8, rows, heads);
  }
  return kept;
}

AttentionConv::AttentionConv(std::size_t inputs, const AttentionOptions& options)
    : Layer(inputs, options.concatenate ? options.heads * options.width : options.width), options_(options) {
  if (options.heads == 0 || options.width == 0) {
    throw InvalidArgument({.what = fmt::format("{} heads of width {}", options.heads, options.width),
                           .where = "attention",
                           .expected = "at least 1 of each"});
  }
  if (!(options.dropout >= 0 && options.dropout < 1)) {
    throw InvalidArgument({.what = fmt::format("dropout {}", options.dropout),
                           .where = "attention",
                           .expected = "0 to below 1"});
  }
}

std::string AttentionConv::name() const {
  return fmt::format("attention {} -> {} heads of {}", inputs(), options_.heads, options_.width);
}

std::vector<Layer::Array> AttentionConv::arrays() const {
  std::vector<Array> all = {{"weight", inputs(), hidden()}};
  if (additive()) {
    all.push_back({"source", options_.heads, options_.width});
    all.push_back({"target", options_.heads, options_.width});
  }
  if (options_.bias) all.push_back({"bias", 1, outputs()});
  return all;
}

std::string AttentionConv::mixes_examples() const { return mixes_neighbors(); }

float AttentionConv::product_scale() const { return 1.0F / std::sqrt(static_cast<float>(options_.width)); }

void AttentionConv::initialize(std::span<float> parameters, std::span<float>, RandomStream& stream) const {
  std::ranges::fill(parameters, 0.0F);
  float* next = parameters.data();
  for (const Array& array : arrays()) {
    if (array.name != "bias")
      initialize_weight(Initialization::glorot_uniform, stream, {next, array.rows, array.columns});
    next += array.rows * array.columns;
  }
}

// Row `row` of the output, and its coefficients.
void AttentionConv::attend(const tensor::SparseMatrix& adjacency, std::size_t row, const Room& kept,
                           tensor::MatrixView out) const {
  const std::size_t width = options_.width;
  const float scale = product_scale();
  const std::uint64_t begin = adjacency.offsets()[row];
  const std::uint64_t end = adjacency.offsets()[row + 1];
  const std::span<const std::uint32_t> columns = adjacency.column_indices();
  const std::span<float> result = out.row(row);
  if (!std::ranges::binary_search(adjacency.row_columns(row), static_cast<std::uint32_t>(row))) {
    throw InvalidArgument({.what = fmt::format("node {} does not send to itself", row),
                           .where = name(),
                           .expected = "an adjacency with loops"});
  }
  std::ranges::fill(result, 0.0F);
  for (std::size_t head = 0; head < options_.heads; ++head) {
    const float* own = kept.h.row(row).data() + head * width;
    float largest = -std::numeric_limits<float>::infinity();
    for (std::uint64_t k = begin; k < end; ++k) {
      const std::size_t j = columns[k];
      float score = 0;
      if (additive()) {
        score = kept.source_part.row(j)[head] + kept.target_part.row(row)[head];
        if (score < 0) score *= kSlope;
      } else {
        score = dot(own, kept.h.row(j).data() + head * width, width) * scale;
      }
      kept.coefficients.row(k)[head] = score;
      largest = std::max(largest, score);
    }
    float sum = 0;
    for (std::uint64_t k = begin; k < end; ++k) {
      float& coefficient = kept.coefficients.row(k)[head];
      coefficient = std::exp(coefficient - largest);
      sum += coefficient;
    }
    for (std::uint64_t k = begin; k < end; ++k) {
      float& coefficient = kept.coefficients.row(k)[head];
      coefficient /= sum;
      add_scaled(kept.h.row(columns[k]).data() + head * width,
                 coefficient * kept.kept_share(k, head) * output_share(), result.data() + output_begin(head),
                 width);
    }
  }
}

void AttentionConv::forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
                            Slot& slot) const {
  const tensor::SparseMatrix& adjacency = stored_propagation_for(pass, in.rows(), *this).forward;
  const Room kept = room(pass, in.rows(), adjacency.entries(), slot);
  const std::size_t heads = options_.heads;
  const std::size_t width = options_.width;
  transform(in, {weights.parameters.data(), inputs(), hidden()}, kept.h);
  if (additive()) {
    const float* source = weights.parameters.data() + inputs() * hidden();
    const float* target = source + hidden();
    for_rows(in.rows(), [&](std::size_t i) {
      for (std::size_t head = 0; head < heads; ++head) {
        const float* h = kept.h.row(i).data() + head * width;
        kept.source_part.row(i)[head] = dot(h, source + head * width, width);
        kept.target_part.row(i)[head] = dot(h, target + head * width, width);
      }
    });
  }
  if (kept.mask.rows > 0) {
    const auto rate = static_cast<float>(options_.dropout);
    const float scale = 1.0F / (1.0F - rate);
    const std::span<float> mask(kept.mask.data, kept.mask.rows * heads);
    const SeededStream seeded(pass.seed);
    tensor::fill_uniform(*seeded.fork("attention dropout", options_.place), 0.0F, 1.0F, mask);
    for (float& share : mask) share = share < rate ? 0.0F : scale;
  }
  for_rows(in.rows(), [&](std::size_t i) { attend(adjacency, i, kept, out); });
  if (options_.bias) tensor::add_to_rows(weights.parameters.last(outputs()), out);
}

// The errors of row `row`'s scores, and what they do to h of the receiving node.
void AttentionConv::score_errors(const tensor::SparseMatrix& adjacency, std::size_t row,
                                 tensor::ConstMatrixView error, std::span<const float> target,
                                 const Room& kept) const {
  const std::size_t width = options_.width;
  const float scale = product_scale();
  const std::uint64_t begin = adjacency.offsets()[row];
  const std::uint64_t end = adjacency.offsets()[row + 1];
  const std::span<const std::uint32_t> columns = adjacency.column_indices();
  std::ranges::fill(kept.h_error.row(row), 0.0F);
  for (std::size_t head = 0; head < options_.heads; ++head) {
    const float* from = error.row(row).data() + output_begin(head);
    float* own_error = kept.h_error.row(row).data() + head * width;
    float mean = 0;
    for (std::uint64_t k = begin; k < end; ++k) {
      const float of_coefficient = dot(from, kept.h.row(columns[k]).data() + head * width, width) *
                                   output_share() * kept.kept_share(k, head);
      kept.score_errors.row(k)[head] = of_coefficient;
      mean += of_coefficient * kept.coefficients.row(k)[head];
    }
    float total = 0;
    for (std::uint64_t k = begin; k < end; ++k) {
      const std::size_t j = columns[k];
      float& of_score = kept.score_errors.row(k)[head];
      of_score = kept.coefficients.row(k)[head] * (of_score - mean);
      if (additive()) {
        if (kept.source_part.row(j)[head] + kept.target_part.row(row)[head] < 0) of_score *= kSlope;
        total += of_score;
      } else {
        add_scaled(kept.h.row(j).data() + head * width, of_score * scale, own_error, width);
      }
    }
    if (additive()) {
      kept.target_error.row(row)[head] = total;
      add_scaled(target.data() + head * width, total, own_error, width);
    }
  }
}

// Adds to the error of h of node `row` what comes back from those it sent to.
void AttentionConv::sender_errors(const tensor::SparseMatrix& turned, std::size_t row,
                                  std::span<const std::uint64_t> entries, tensor::ConstMatrixView error,
                                  std::span<const float> source, const Room& kept) const {
  const std::size_t width = options_.width;
  const float scale = product_scale();
  float* own_error = kept.h_error.row(row).data();
  if (additive()) std::ranges::fill(kept.source_error.row(row), 0.0F);
  for (std::uint64_t e = turned.offsets()[row]; e < turned.offsets()[row + 1]; ++e) {
    const std::uint32_t i = turned.column_indices()[e];
    const std::uint64_t k = entries[e];
    for (std::size_t head = 0; head < options_.heads; ++head) {
      const float weight = kept.coefficients.row(k)[head] * kept.kept_share(k, head) * output_share();
      add_scaled(error.row(i).data() + output_begin(head), weight, own_error + head * width, width);
      const float of_score = kept.score_errors.row(k)[head];
      if (additive()) {
        kept.source_error.row(row)[head] += of_score;
      } else {
        add_scaled(kept.h.row(i).data() + head * width, of_score * scale, own_error + head * width, width);
      }
    }
  }
  if (!additive()) return;
  for (std::size_t head = 0; head < options_.heads; ++head)
    add_scaled(source.data() + head * width, kept.source_error.row(row)[head], own_error + head * width,
               width);
}

void AttentionConv::backward(const Pass& pass, const Weights& weights, const Input& in,
                             tensor::ConstMatrixView, tensor::MatrixView error, tensor::MatrixView in_error,
                             Slot& slot) const {
  const Propagation& propagation = stored_propagation_for(pass, in.rows(), *this);
  const Room kept = room(pass, in.rows(), propagation.forward.entries(), slot);
  std::span<const float> source;
  std::span<const float> target;
  if (additive()) {
    source = weights.parameters.subspan(inputs() * hidden(), hidden());
    target = weights.parameters.subspan((inputs() + 1) * hidden(), hidden());
  }
  for_rows(in.rows(), [&](std::size_t i) { score_errors(propagation.forward, i, error, target, kept); });
  turn_entries(propagation, slot);
  for_rows(in.rows(), [&](std::size_t j) {
    sender_errors(propagation.backward, j, slot.turned_entries, error, source, kept);
  });
  if (in_error.rows > 0)
    tensor::product_transposed(kept.h_error, {weights.parameters.data(), inputs(), hidden()}, in_error);
}

void AttentionConv::gradient(const Pass& pass, const Weights&, const Input& in, tensor::ConstMatrixView error,
                             std::span<float> gradient, Slot& slot) const {
  const Propagation& propagation = stored_propagation_for(pass, in.rows(), *this);
  const Room kept = room(pass, in.rows(), propagation.forward.entries(), slot);
  weight_gradient(in, kept.h_error, {gradient.data(), inputs(), hidden()});
  if (additive()) {
    const std::size_t width = options_.width;
    float* source = gradient.data() + inputs() * hidden();
    float* target = source + hidden();
    std::fill_n(source, 2 * hidden(), 0.0F);
    for (std::size_t i = 0; i < in.rows(); ++i) {
      for (std::size_t head = 0; head < options_.heads; ++head) {
        const float* h = kept.h.row(i).data() + head * width;
        add_scaled(h, kept.source_error.row(i)[head], source + head * width, width);
        add_scaled(h, kept.target_error.row(i)[head], target + head * width, width);
      }
    }
  }
  if (options_.bias) bias_gradient(error, gradient.last(outputs()));
}

}  // namespace privet::nn
