#include "privet/nn/star.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

namespace privet::nn {
namespace {

constexpr std::size_t kGrain = 256;

// Calls body(star, first row, row behind the last) for every star.
template <typename Body>
void for_each_star(const Pass& pass, std::size_t stars, const Body& body) {
  const std::span<const std::uint32_t> starts = pass.stars();
  const auto some = [&](std::size_t first, std::size_t last) {
    for (std::size_t s = first; s < last; ++s) {
      if (starts.empty()) {
        body(s, s, s + 1);
      } else {
        body(s, std::size_t{starts[s]}, std::size_t{starts[s + 1]});
      }
    }
  };
  parallel_for(stars, kGrain, std::cref(some));
}

// Each row of the result is the sum of its star's times weight(number of rows).
template <typename Weight>
void gather_sums(const Pass& pass, const Input& in, tensor::MatrixView out, const Weight& weight) {
  for_each_star(pass, out.rows, [&](std::size_t star, std::size_t begin, std::size_t end) {
    const auto sum = out.row(star);
    std::ranges::fill(sum, 0.0F);
    for (std::size_t row = begin; row < end; ++row) {
      const auto x = in.dense.row(row);
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += x[j];
    }
    const float share = weight(end - begin);
    if (share == 1) return;
    for (float& value : sum) value *= share;
  });
}

template <typename Weight>
void spread_errors(const Pass& pass, tensor::ConstMatrixView error, tensor::MatrixView in_error,
                   const Weight& weight) {
  if (in_error.rows == 0) return;
  for_each_star(pass, error.rows, [&](std::size_t star, std::size_t begin, std::size_t end) {
    const float share = weight(end - begin);
    const auto from = error.row(star);
    for (std::size_t row = begin; row < end; ++row) {
      const auto to = in_error.row(row);
      for (std::size_t j = 0; j < to.size(); ++j) to[j] = from[j] * share;
    }
  });
}

float mean_weight(std::size_t rows) { return rows > 0 ? 1.0F / static_cast<float>(rows) : 0.0F; }
float sum_weight(std::size_t) { return 1; }

float dot(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add_scaled(std::span<const float> from, float factor, std::span<float> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

}  // namespace

void StarMean::forward(const Pass& pass, const Weights&, const Input& in, tensor::MatrixView out,
                       Slot&) const {
  gather_sums(pass, in, out, &mean_weight);
}

void StarMean::backward(const Pass& pass, const Weights&, const Input&, tensor::ConstMatrixView,
                        tensor::MatrixView error, tensor::MatrixView in_error, Slot&) const {
  spread_errors(pass, error, in_error, &mean_weight);
}

void StarSum::forward(const Pass& pass, const Weights&, const Input& in, tensor::MatrixView out,
                      Slot&) const {
  gather_sums(pass, in, out, &sum_weight);
}

void StarSum::backward(const Pass& pass, const Weights&, const Input&, tensor::ConstMatrixView,
                       tensor::MatrixView error, tensor::MatrixView in_error, Slot&) const {
  spread_errors(pass, error, in_error, &sum_weight);
}

StarAttention::StarAttention(std::size_t width, std::size_t heads) : Layer(width, width), heads_(heads) {
  if (heads == 0 || width % heads != 0) {
    throw InvalidArgument({.what = fmt::format("{} heads", heads),
                           .where = "attention over a star",
                           .expected = fmt::format("a divisor of the width, {}", width)});
  }
}

std::string StarAttention::name() const { return fmt::format("attention over a star, {} heads", heads_); }

void StarAttention::forward(const Pass& pass, const Weights&, const Input& in, tensor::MatrixView out,
                            Slot& slot) const {
  const tensor::MatrixView shares = slot.keep(0, in.rows(), heads_);
  const std::size_t width = inputs() / heads_;
  const float scale = 1.0F / std::sqrt(static_cast<float>(width));
  for_each_star(pass, out.rows, [&](std::size_t star, std::size_t begin, std::size_t end) {
    const auto to = out.row(star);
    std::ranges::fill(to, 0.0F);
    for (std::size_t h = 0; h < heads_ && begin < end; ++h) {
      const auto part = [&](std::size_t row) { return in.dense.row(row).subspan(h * width, width); };
      float largest = -INFINITY;
      for (std::size_t row = begin; row < end; ++row) {
        shares.row(row)[h] = dot(part(begin), part(row)) * scale;
        largest = std::max(largest, shares.row(row)[h]);
      }
      float total = 0;
      for (std::size_t row = begin; row < end; ++row) {
        shares.row(row)[h] = std::exp(shares.row(row)[h] - largest);
        total += shares.row(row)[h];
      }
      for (std::size_t row = begin; row < end; ++row) {
        shares.row(row)[h] /= total;
        add_scaled(part(row), shares.row(row)[h], to.subspan(h * width, width));
      }
    }
  });
}

void StarAttention::backward(const Pass& pass, const Weights&, const Input& in, tensor::ConstMatrixView,
                             tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const {
  if (in_error.rows == 0) return;
  const tensor::MatrixView shares = slot.keep(0, in.rows(), heads_);
  const std::size_t width = inputs() / heads_;
  const float scale = 1.0F / std::sqrt(static_cast<float>(width));
  for_each_star(pass, error.rows, [&](std::size_t star, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) std::ranges::fill(in_error.row(row), 0.0F);
    for (std::size_t h = 0; h < heads_; ++h) {
      const auto from = error.row(star).subspan(h * width, width);
      const auto part = [&](std::size_t row) { return in.dense.row(row).subspan(h * width, width); };
      float mean = 0;
      for (std::size_t row = begin; row < end; ++row) mean += shares.row(row)[h] * dot(from, part(row));
      for (std::size_t row = begin; row < end; ++row) {
        const float share = shares.row(row)[h];
        const float score_error = share * (dot(from, part(row)) - mean) * scale;
        const auto to = in_error.row(row).subspan(h * width, width);
        add_scaled(from, share, to);
        add_scaled(part(begin), score_error, to);
        add_scaled(part(row), score_error, in_error.row(begin).subspan(h * width, width));
      }
    }
  });
}

}  // namespace privet::nn
