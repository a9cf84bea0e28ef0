#pragma once

#include "privet/nn/examples.hpp"
#include "privet/tensor/fill.hpp"

namespace privet::nn::testing {

/// Gaussian rows and uniform labels.
inline Examples random_examples(std::size_t count, std::size_t features, std::size_t classes,
                                std::uint64_t seed) {
  SeededStream stream(seed);
  tensor::Matrix rows(count, features);
  tensor::fill_gaussian(stream, 1, rows.values());
  Examples examples;
  examples.features = std::move(rows);
  for (std::size_t i = 0; i < count; ++i)
    examples.labels.push_back(static_cast<std::int32_t>(stream.below(classes)));
  return examples;
}

}  // namespace privet::nn::testing
