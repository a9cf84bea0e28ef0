#pragma once

#include "small_cases.hpp"

/// Gradients of single examples, formed the slow way: every example alone in a network of its own pass.
namespace privet::nn::testing {

struct Batch {
  Input input;
  std::vector<std::uint32_t> example_rows = {};  ///< empty: every row is an example
  std::vector<std::int32_t> labels;              ///< one per example

  [[nodiscard]] Pass pass() const { return {.training = true, .seed = 9, .example_rows = example_rows}; }
  [[nodiscard]] std::size_t examples() const { return labels.size(); }
};

inline Input some_rows(const Input& input, std::size_t begin, std::size_t count) {
  if (!input.is_sparse) return input.dense.row_range(begin, count);
  tensor::SparseView some = input.sparse;
  some.begin += begin;
  some.end += begin;
  some.rows = count;
  return some;
}

inline std::vector<std::vector<float>> gradients_alone(const Network& network, const Parameters& parameters,
                                                       const Batch& batch) {
  std::vector<std::vector<float>> all;
  for (std::size_t e = 0; e < batch.examples(); ++e) {
    std::size_t begin = e;
    std::size_t count = 1;
    std::vector<std::uint32_t> own_rows;
    if (!batch.example_rows.empty()) {
      begin = batch.example_rows[e];
      count = batch.example_rows[e + 1] - begin;
      own_rows = {0, static_cast<std::uint32_t>(count)};
    }
    const Pass pass{.training = true, .seed = 9, .example_rows = own_rows};
    all.push_back(analytic_gradient(network, pass, parameters, some_rows(batch.input, begin, count),
                                    {batch.labels[e]}));
  }
  return all;
}

/// The same with the masks that dropout draws for the whole batch: all errors but one example's are set to 0.
inline std::vector<std::vector<float>> gradients_singled_out(const Network& network,
                                                             const Parameters& parameters,
                                                             const Batch& batch) {
  std::vector<std::vector<float>> all;
  for (std::size_t e = 0; e < batch.examples(); ++e) {
    std::vector<std::int32_t> labels(batch.examples(), -1);
    labels[e] = batch.labels[e];
    all.push_back(analytic_gradient(network, batch.pass(), parameters, batch.input, labels));
  }
  return all;
}

/// The slices of the parameters that belong to one layer.
inline std::vector<std::pair<std::size_t, std::size_t>> group_slices(const Network& network) {
  std::vector<std::pair<std::size_t, std::size_t>> slices;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < network.layers(); ++i) {
    std::size_t size = 0;
    for (const Layer::Array& array : network.layer(i).arrays()) size += array.rows * array.columns;
    if (size > 0) slices.emplace_back(offset, offset + size);
    offset += size;
  }
  return slices;
}

inline double squared_norm(const std::vector<float>& values, std::pair<std::size_t, std::size_t> slice) {
  double sum = 0;
  for (std::size_t i = slice.first; i < slice.second; ++i)
    sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return sum;
}

/// squared_norms, scale_errors and gradient of the whole batch against the gradients of its examples.
inline void expect_per_example_arithmetic(const Network& network, const Parameters& parameters,
                                          const Batch& batch, const std::vector<std::vector<float>>& alone) {
  const Pass pass = batch.pass();
  const std::size_t examples = batch.examples();
  const auto slices = group_slices(network);
  ASSERT_EQ(slices.size(), network.groups());
  Tape tape;
  const auto prepare = [&] {
    (void)total_loss(network, pass, parameters, batch.input, batch.labels, tape);
    network.backward(pass, parameters, batch.input, tape);
  };

  prepare();
  std::vector<double> norms(network.groups() * examples, 7.0);
  network.squared_norms(pass, batch.input, tape, norms);
  bool any = false;
  for (std::size_t g = 0; g < slices.size(); ++g) {
    for (std::size_t e = 0; e < examples; ++e) {
      const double expected = squared_norm(alone[e], slices[g]);
      any = any || expected > 1e-3;
      ASSERT_NEAR(norms[g * examples + e], expected, 1e-4 * expected + 1e-12)
          << "group " << g << ", example " << e;
    }
  }
  EXPECT_TRUE(any);

  // One factor per example, then one per group and example.
  SeededStream stream(77);
  for (const std::size_t sets : {std::size_t{1}, network.groups()}) {
    std::vector<float> factors(sets * examples);
    for (float& factor : factors) factor = static_cast<float>(stream.uniform());
    prepare();
    network.scale_errors(pass, batch.input, factors, tape);
    std::vector<float> gradient(network.parameters(), 7.0F);
    network.gradient(pass, parameters, batch.input, tape, gradient);
    for (std::size_t g = 0; g < slices.size(); ++g) {
      const std::size_t set = sets == 1 ? 0 : g;
      for (std::size_t i = slices[g].first; i < slices[g].second; ++i) {
        double expected = 0;
        double scale = 0;
        for (std::size_t e = 0; e < examples; ++e) {
          const double part =
              static_cast<double>(factors[set * examples + e]) * static_cast<double>(alone[e][i]);
          expected += part;
          scale += std::abs(part);
        }
        ASSERT_NEAR(static_cast<double>(gradient[i]), expected, 1e-5 * scale + 1e-7) << "parameter " << i;
      }
    }
  }
}

}  // namespace privet::nn::testing
