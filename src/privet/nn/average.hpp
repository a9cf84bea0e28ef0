#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "privet/nn/network.hpp"

namespace privet::nn {

/// The mean of the parameters after each of the last steps: post-processing, and steadier than the last ones
/// alone where steps carry noise.
class Average {
 public:
  /// Over the last `share` of so many steps, at least one.
  Average(std::uint64_t steps, double share)
      : first_(steps - std::clamp<std::uint64_t>(
                           static_cast<std::uint64_t>(static_cast<double>(steps) * share), 1, steps)) {}

  void see(std::uint64_t step, const Parameters& parameters) {
    if (step < first_) return;
    sum_.resize(parameters.learnt.size());
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += static_cast<double>(parameters.learnt[i]);
    ++count_;
  }
  void write(Parameters& parameters) const {
    for (std::size_t i = 0; i < sum_.size(); ++i)
      parameters.learnt[i] = static_cast<float>(sum_[i] / static_cast<double>(count_));
  }

 private:
  std::uint64_t first_;
  std::uint64_t count_ = 0;
  std::vector<double> sum_;
};

}  // namespace privet::nn
