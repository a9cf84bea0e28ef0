#pragma once

#include <cstdint>
#include <vector>

#include "privet/core/protected_dataset.hpp"
#include "privet/nn/plain_values.hpp"

namespace privet::methods {

/// What the methods share that learn from protected rows by noisy gradients.

/// Each row by itself, scaled to Euclidean norm `norm`; rows without a number stay empty. 0 leaves all as
/// they are.
graph::Features scaled_rows(const graph::Features& features, double norm);

/// The examples of the nodes named, their rows scaled.
privacy::Secret<nn::Examples> secret_examples(const privacy::ProtectedDataset& data,
                                              const std::vector<graph::NodeId>& nodes, double feature_norm);

/// Size of a step, and norm of the rows.
struct RowTuning {
  double rate;
  double norm;
};

/// Where the signal of the whole sum stands far above its noise, larger steps on longer rows reach further;
/// elsewhere they only carry noise. N mu / sqrt(parameters) is that ratio up to a constant (mu is the
/// Gaussian DP of the budget): public numbers alone. The bound comes from runs on public graphs
/// (docs/methods/dp-mlp.md).
RowTuning tuned_rows(double training_nodes, double mu, std::size_t parameters);

/// The mean of the parameters after each of the last steps: post-processing.
class IterateAverage {
 public:
  /// Of the last `share` of `steps` steps, at least one.
  IterateAverage(std::uint64_t steps, double share);
  void see(std::uint64_t step, const nn::Parameters& parameters);
  void write(nn::Parameters& parameters) const;

 private:
  std::uint64_t first_;
  std::uint64_t count_ = 0;
  std::vector<double> sum_;
};

}  // namespace privet::methods
